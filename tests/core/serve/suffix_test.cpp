// What is between two texts: the same as for the tokens that ask for it, through each interface, and refused where a model has none.
#include "core/text/infill.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/core/serve/serve_test.h"

#include <fstream>

namespace minerva::serve {
namespace {

// The model in the box, with three of its tokens under the names of such ones.
class SuffixTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"config.json", "generation_config.json", "model.safetensors", "tokenizer_config.json"})
      std::filesystem::copy_file(builtInModel / name, m_folder.path() / name);
    std::string tokens = TemporaryFolder::read(builtInModel / "tokenizer.json");
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"<|user|>", "<|fim_prefix|>"},
                                   {"<|assistant|>", "<|fim_suffix|>"},
                                   {"<|system|>", "<|fim_middle|>"}}) {
      for (std::size_t at = tokens.find(from); at != std::string::npos; at = tokens.find(from, at + to.size()))
        tokens.replace(at, from.size(), to);
    }
    m_folder.write("tokenizer.json", tokens);
    m_running = Running::start(2, {}, m_folder.path());
  }
  [[nodiscard]] Answer ask(const char* path, Json body) const {
    if (std::string_view(path) == "/api/generate") body["options"] = {{"temperature", 0}, {"num_predict", 12}}, body["stream"] = false;
    else body["temperature"] = 0, body["max_tokens"] = 12;
    return post(m_running, path, body.dump());
  }

  TemporaryFolder m_folder;
  Running m_running;
};

TEST_F(SuffixTest, IsAskedForInTheModelsOwnForm) {
  const auto tokens = text::infillPrompt(*m_running.engine->tokenizer(), "def add(a, b):\n  return ", "\n\nprint(add(1, 2))");
  ASSERT_TRUE(tokens);
  const Json expected = ask("/v1/completions", {{"prompt", *tokens}}).json();
  const std::string text = expected["choices"][0]["text"];
  EXPECT_FALSE(text.empty());
  const Json between{{"prompt", "def add(a, b):\n  return "}, {"suffix", "\n\nprint(add(1, 2))"}};
  const Json found = ask("/v1/completions", between).json();
  EXPECT_EQ(found["choices"][0]["text"], text) << found;
  EXPECT_EQ(found["usage"]["prompt_tokens"], expected["usage"]["prompt_tokens"]);
  Json ollama = between;
  ollama["model"] = m_folder.path().filename();
  EXPECT_EQ(ask("/api/generate", ollama).json()["response"], text);
  ollama["prompt"] = "";
  EXPECT_EQ(ask("/api/generate", ollama).json()["prompt_eval_count"],
            text::infillPrompt(*m_running.engine->tokenizer(), "", "\n\nprint(add(1, 2))")->size());
  const Json shown = ask("/api/show", {{"model", m_folder.path().filename()}}).json();
  EXPECT_EQ(shown["capabilities"].back(), "insert") << shown;
  EXPECT_NE(shown["template"].get<std::string>().find(".Suffix"), std::string::npos) << "Continue looks for it";
  const auto header = readHeader(m_folder.path()), other = readHeader(builtInModel);
  ASSERT_TRUE(header && other);
  EXPECT_TRUE(header->infills) << "before the model is loaded, too";
  EXPECT_FALSE(other->infills);
}

// llama-server's own interface, as llama.vim, llama.vscode and Continue use it.
TEST_F(SuffixTest, IsAskedForInLlamaServersInterface) {
  const Json between{{"prompt", "def add(a, b):\n  return "}, {"suffix", "\n\nprint(add(1, 2))"}};
  const std::string text = ask("/v1/completions", between).json()["choices"][0]["text"];
  Json body{{"input_prefix", between["prompt"]}, {"input_suffix", between["suffix"]}, {"n_predict", 12}, {"temperature", 0}};
  body.update(Json::parse(R"({"prompt":"","input_extra":[],"samplers":["top_k"],"cache_prompt":true,"t_max_prompt_ms":500,"stop":[]})"));
  const auto infill = [&](const Json& more) {
    Json changed = body;
    changed.update(more);
    return post(m_running, "/infill", changed.dump());
  };
  const Json whole = infill(Json::object()).json();
  EXPECT_EQ(whole["content"], text) << whole;
  EXPECT_EQ(whole["stop"], true);
  EXPECT_EQ(whole["stop_type"], "limit");
  EXPECT_EQ(whole["tokens_predicted"], 12);
  EXPECT_EQ(whole["timings"]["predicted_n"], 12);
  std::string joined;
  const std::vector<std::string> events = eventsOf(infill({{"stream", true}}).body);
  for (const std::string& event : events) joined += Json::parse(event)["content"].get<std::string>();
  EXPECT_EQ(joined, text);
  EXPECT_EQ(Json::parse(events.back())["stop"], true);
  const Json warm = infill({{"n_predict", 0}}).json();
  EXPECT_EQ(warm["content"], "") << "the prompt is read ahead";
  EXPECT_EQ(warm["tokens_evaluated"], whole["tokens_evaluated"]);
  EXPECT_EQ(infill({{"response_fields", {"content", "timings/predicted_n", "none"}}}).json(),
            (Json{{"content", text}, {"timings/predicted_n", 12}}));
  // What is begun already, and what other files have, is part of the prompt; as much of the latter as fits.
  const int own = whole["tokens_evaluated"].get<int>();
  EXPECT_GT(infill({{"prompt", "a + "}}).json()["tokens_evaluated"], own);
  const Json small{{"filename", "a.py"}, {"text", "x = 1"}}, large{{"filename", "b.py"}, {"text", std::string(20000, 'x')}};
  const Json beside = infill({{"input_extra", Json::array({small})}}).json();
  EXPECT_GT(beside["tokens_evaluated"], own);
  EXPECT_EQ(infill({{"input_extra", Json::array({large, small})}}).json()["tokens_evaluated"], beside["tokens_evaluated"]);
  EXPECT_EQ(infill({{"input_suffix", 5}}).status, 400);
  EXPECT_EQ(infill({{"input_extra", 5}}).status, 400);
  EXPECT_EQ(infill({{"input_suffix", ""}}).status, 200) << "at the end of a file";
  const Json plain = ask("/v1/completions", {{"prompt", "Once"}}).json();
  const Json same = post(m_running, "/completion", R"({"prompt":"Once","n_predict":12,"temperature":0})").json();
  EXPECT_EQ(same["content"], plain["choices"][0]["text"]) << same;
  EXPECT_EQ(post(m_running, "/completion", "{}").status, 400);
}

TEST_F(SuffixTest, EndsWithTheLineWhenItsTimeIsOver) {
  Json body{{"prompt", "Once"}, {"n_predict", 400}, {"temperature", 0}, {"grammar", "root ::= (\"a\"{10} \"\\n\"){40}"}};
  const Json whole = post(m_running, "/completion", body.dump()).json();
  ASSERT_GT(whole["content"].get<std::string>().size(), 100U) << whole;
  body["t_max_predict_ms"] = 1;
  const Json cut = post(m_running, "/completion", body.dump()).json();
  EXPECT_EQ(cut["stop_type"], "limit");
  EXPECT_TRUE(cut["content"].get<std::string>().ends_with('\n')) << cut;
  EXPECT_LT(cut["content"].get<std::string>().size(), whole["content"].get<std::string>().size());
}

TEST_F(SuffixTest, IsRefusedInWords) {
  const Answer ids = ask("/v1/completions", {{"prompt", {5, 6}}, {"suffix", "x"}});
  EXPECT_EQ(ids.status, 400);
  EXPECT_EQ(ids.json()["error"]["param"], "suffix") << ids.body;
  EXPECT_EQ(ask("/v1/completions", {{"prompt", "a"}, {"suffix", 3}}).status, 400);
  EXPECT_EQ(ask("/v1/completions", {{"prompt", "a"}, {"suffix", ""}}).status, 200) << "asks for nothing";
  const Running other = Running::start(1, {});
  for (const char* path : {"/v1/completions", "/api/generate"}) {
    const Answer none = post(other, path, Json{{"model", "builtin-model"}, {"prompt", "a"}, {"suffix", "b"}}.dump());
    EXPECT_EQ(none.status, 400) << none.body;
    EXPECT_NE(none.body.find("not made to write what is between two texts"), std::string::npos) << none.body;
  }
  EXPECT_EQ(post(other, "/infill", R"({"input_prefix":"a","input_suffix":"b"})").json()["error"]["param"], "input_suffix");
}

}  // namespace
}  // namespace minerva::serve
