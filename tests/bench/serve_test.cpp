// minerva-bench serve as a separate program: its first line, a reply, and its end.
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace minerva {
namespace {

const std::string builtIn = MINERVA_SOURCE_DIR "/resources/builtin-model";

struct Child {
  pid_t id = -1;
  int out = -1;
};

Child startServe(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t id = fork();
  if (id == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    std::vector<std::string> all{MINERVA_BENCH, "serve", "--port", "0", "--device", "cpu"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& one : all) pointers.push_back(one.data());
    pointers.push_back(nullptr);
    execv(MINERVA_BENCH, pointers.data());
    _exit(127);
  }
  close(ends[1]);
  return {id, ends[0]};
}

std::string firstLine(const Child& child) {
  std::string line;
  for (char c = 0; read(child.out, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

int exitStatus(const Child& child) {
  int status = 0;
  waitpid(child.id, &status, 0);
  close(child.out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Serve, SaysWhereItListensAndEndsWithSigterm) {
  const Child child = startServe({builtIn, "--host", "127.0.0.1"});
  const std::string line = firstLine(child);
  ASSERT_EQ(line.substr(0, 29), "listening on http://127.0.0.1") << line;
  const auto health = httplib::Client(line.substr(13)).Get("/health");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->status, 200);
  kill(child.id, SIGTERM);
  EXPECT_EQ(exitStatus(child), 0);
}

// What follows a list is the model.
TEST(Serve, PagesMayBeNamedBeforeTheModel) {
  const Child child = startServe({"--origins", "https://a.example,https://b.example", builtIn, "--parallel", "2"});
  EXPECT_EQ(firstLine(child).substr(0, 29), "listening on http://127.0.0.1");
  kill(child.id, SIGTERM);
  EXPECT_EQ(exitStatus(child), 0);
}

TEST(Serve, RefusesAnOpenDoorWithoutAKey) {
  const Child child = startServe({builtIn, "--host", "0.0.0.0"});
  EXPECT_EQ(firstLine(child), "");
  EXPECT_EQ(exitStatus(child), 1);
}

nlohmann::json askFor(const std::string& address, const char* path, const nlohmann::json& body) {
  const auto result = httplib::Client(address).Post(path, body.dump(), "application/json");
  return result ? nlohmann::json::parse(result->body, nullptr, false) : nlohmann::json();
}

// A folder with a language model, an embedding model and a broken one, and a reranker beside it.
TEST(Serve, ServesTheModelsOfAFolderByName) {
  namespace fs = std::filesystem;
  TemporaryFolder folder;
  fs::create_directory_symlink(builtIn, folder.path() / "writer");
  fs::create_directory_symlink(MINERVA_TEST_DATA "/embedding/tiny-xlm-roberta/hf", folder.path() / "vectors");
  folder.write("broken.gguf", "GGUF and no more");
  folder.write("notes.txt", "no model");
  for (const auto& part : fs::directory_iterator(MINERVA_TEST_DATA "/format/split"))
    fs::create_symlink(part.path(), folder.path() / part.path().filename());
  fs::create_symlink(MINERVA_TEST_DATA "/golden/models/q-llama/gguf/q-llama-Q4_K_M.gguf", folder.path() / "finest-of-breed.gguf");
  const Child child = startServe({folder.path().string(), "ranks=" MINERVA_TEST_DATA "/rerank/bert/hf", "--idle", "5"});
  const std::string line = firstLine(child);
  ASSERT_EQ(line.substr(0, 13), "listening on ") << line;
  const std::string address = line.substr(13);
  const auto listed = httplib::Client(address).Get("/v1/models");
  ASSERT_TRUE(listed);
  std::vector<std::string> names;
  const auto models = nlohmann::json::parse(listed->body);
  for (const auto& model : models["data"]) names.push_back(model["id"]);
  EXPECT_EQ(names, (std::vector<std::string>{"finest-of-breed", "tiny-00001-of-00004", "vectors", "writer", "ranks"}));
  EXPECT_EQ(askFor(address, "/v1/completions", {{"model", "writer"}, {"prompt", "a"}, {"max_tokens", 2}})["usage"]["completion_tokens"], 2);
  EXPECT_EQ(askFor(address, "/v1/embeddings", {{"model", "vectors"}, {"input", "a"}})["data"].size(), 1U);
  EXPECT_EQ(askFor(address, "/v1/rerank", {{"model", "ranks"}, {"query", "a"}, {"documents", {"b", "c"}}})["results"].size(), 2U);
  EXPECT_EQ(askFor(address, "/v1/completions", {{"model", "broken"}, {"prompt", "a"}})["error"]["code"], "model_not_found");
  kill(child.id, SIGTERM);
  EXPECT_EQ(exitStatus(child), 0);
}

TEST(Serve, TwoModelsOfOneNameAreRefused) {
  const Child child = startServe({builtIn, builtIn});
  EXPECT_EQ(firstLine(child), "");
  EXPECT_EQ(exitStatus(child), 1);
}

}  // namespace
}  // namespace minerva
