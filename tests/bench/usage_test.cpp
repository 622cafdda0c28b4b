// Exit codes: 0; 1 with one line on stderr (what, where, expected, found); 2 for wrong usage.
#include "tests/bench/bench_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace minerva::tests {
namespace {

const std::vector<std::string> verbs{"devices", "probe",  "kernels",  "profile",    "inspect",    "run",   "chat", "logits",
                                     "embed",   "rerank", "tokenize", "detokenize", "render",     "speed", "cost", "compare",
                                     "convert", "serve",  "load",     "peer",       "perplexity", "synth"};

void expectOneLine(const Outcome& outcome, const std::string& contained) {
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("minerva-bench: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(contained), std::string::npos) << outcome.err;
}

TEST(Usage, EveryVerbExplainsItself) {
  const Outcome all = bench({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string& verb : verbs) {
    EXPECT_NE(all.out.find(verb), std::string::npos) << verb;
    const Outcome help = bench({verb, "--help"});
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_NE(help.out.find("--help"), std::string::npos) << verb;
  }
}

TEST(Usage, WrongUsageIsTwo) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"sing"},
                                                    {"inspect"},
                                                    {"run", "x.gguf"},
                                                    {"run", "x.gguf", "-p", "a", "--tokens", "1"},
                                                    {"run", "x.gguf", "-p", "a", "--temp", "hot"},
                                                    {"speed", "x.gguf", "--batch", "0"},
                                                    {"compare", "x.gguf"},
                                                    {"logits", "x.gguf", "--tokens", "1"},
                                                    {"inspect", "x.gguf", "--sideways"},
                                                    {"synth", "x", "--shape", "no-such-shape", "--type", "q4_0"},
                                                    {"convert", "a", "b", "--type", "q9"},
                                                    {"load"},
                                                    {"load", "ftp://host"},
                                                    {"load", "http://"},
                                                    {"load", "http://127.0.0.1:1", "-c", "0"},
                                                    {"load", "http://127.0.0.1:1", "-n", "0"},
                                                    {"load", "http://127.0.0.1:1", "--duration", "-1"},
                                                    {"load", "http://127.0.0.1:1", "--prompt-tokens", "3", "--prompt", "f"},
                                                    {"peer"},
                                                    {"peer", "x.gguf", "--batch", "2"},
                                                    {"detokenize", "x"},
                                                    {"run", "x.gguf", "-p", "a", "-n", "-1"},
                                                    {"chat", "x.gguf", "-n", "-1"},
                                                    {"perplexity", "x.gguf", "t", "--windows", "-1"},
                                                    {"speed", "x.gguf", "--depth", "-1"},
                                                    {"speed", "x.gguf", "--chunk-ms", "-1"}};
  for (const auto& arguments : wrong) {
    const Outcome outcome = bench(arguments);
    EXPECT_EQ(outcome.code, 2) << (arguments.empty() ? "nothing" : arguments.front()) << ": " << outcome.err;
    EXPECT_FALSE(outcome.err.empty());
    EXPECT_EQ(outcome.err.find("00000000000"), std::string::npos) << outcome.err;  // a limit that means "none"
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  }
  EXPECT_NE(bench({"sing"}).err.find("'sing'"), std::string::npos);
}

TEST(Usage, ItSaysItsVersion) {
  const Outcome outcome = bench({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("minerva-bench 0.")) << outcome.out;
}

TEST(Usage, WhatCannotBeWrittenIsNoSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::vector<std::vector<std::string>> calls{
      {"--help"}, {"inspect", tinyModel("q4_0")}, {"detokenize", (goldenLlama / "hf").string(), "5"}};
  for (const auto& call : calls) expectOneLine(bench(call, {}, "/dev/full"), "could not be written");
}

TEST(Usage, AMissingModelIsOneLineWithItsPath) {
  const std::string path = (temporaryFolder() / "absent.gguf").string();
  const std::vector<std::vector<std::string>> calls{
      {"inspect", path},       {"run", path, "-p", "a"},
      {"chat", path},          {"logits", path, "--tokens", "1", "--out", (temporaryFolder() / "l").string()},
      {"tokenize", path},      {"detokenize", path, "1"},
      {"render", path},        {"speed", path},
      {"compare", path, path}, {"convert", path, (temporaryFolder() / "c.gguf").string(), "--type", "q8_0"}};
  for (const auto& call : calls) expectOneLine(bench(call), path);
}

TEST(Usage, ADamagedModelIsOneLineThatSaysWhatIsWrong) {
  const std::string whole = tinyModel("q4_0");
  const auto path = temporaryFolder() / "cut.gguf";
  std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Outcome outcome = bench({"run", path.string(), "-p", "a"});
  expectOneLine(outcome, "expected");
  EXPECT_NE(outcome.err.find(path.string()), std::string::npos);
}

TEST(Usage, ADeviceThatIsNotThereIsNamed) {
  expectOneLine(bench({"run", tinyModel("q4_0"), "-p", "a", "--device", "abacus"}), "abacus");
  expectOneLine(bench({"run", tinyModel("q4_0"), "-p", "a", "--device", "vulkan:99"}), "vulkan:99");
}

TEST(Usage, ATokenOutsideTheVocabularyIsOneLine) {
  expectOneLine(bench({"run", tinyModel("q4_0"), "--tokens", "1,99999", "--device", "cpu"}), "99999");
}

}  // namespace
}  // namespace minerva::tests
