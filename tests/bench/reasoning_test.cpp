// --think and --reasoning-effort of run and chat.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::tests {
namespace {

constexpr const char* knowsBoth =
    "{% if reasoning_effort is not defined %}{% set reasoning_effort = 'medium' %}{% endif %}Reasoning: {{ reasoning_effort }}\n"
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}[assistant]"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}";

std::string withTemplate(const TemporaryFolder& folder, const char* chatTemplate) {
  for (const auto& entry : std::filesystem::directory_iterator(goldenLlama / "hf"))
    std::filesystem::copy(entry.path(), folder.path() / entry.path().filename());
  std::filesystem::remove(folder.path() / "chat_template.jinja");
  folder.write("chat_template.jinja", chatTemplate);
  return folder.path().string();
}

Outcome runWith(const std::string& model, std::vector<std::string> asked) {
  std::vector<std::string> arguments{"run", model, "--chat", "-p", "Hi", "-n", "1", "--device", "cpu", "--json"};
  arguments.insert(arguments.end(), asked.begin(), asked.end());
  return bench(arguments);
}

// The prompt of the run is as long as the one that `render` writes with the variable.
TEST(ReasoningOptions, ReachTheTemplate) {
  const TemporaryFolder folder;
  const std::string model = withTemplate(folder, knowsBoth);
  const auto expected = [&](const nlohmann::json& variables) {
    const nlohmann::json request = {
        {"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"add_generation_prompt", true}, {"variables", variables}};
    const Outcome rendered = bench({"render", model}, request.dump());
    return bench({"tokenize", model, "--no-bos", "--parse-special"}, rendered.out).json().size();
  };
  const auto none = nlohmann::json::object();
  const std::vector<std::pair<std::vector<std::string>, nlohmann::json>> calls{
      {{}, none},
      {{"--think", "on"}, {{"enable_thinking", true}}},
      {{"--think", "off"}, {{"enable_thinking", false}}},
      {{"--reasoning-effort", "high"}, {{"reasoning_effort", "high"}}},
      {{"--think", "on", "--reasoning-effort", "low"}, {{"enable_thinking", true}, {"reasoning_effort", "low"}}}};
  for (const auto& [asked, variables] : calls) {
    const Outcome outcome = runWith(model, asked);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["prompt_tokens"], expected(variables)) << variables;
  }
  EXPECT_NE(expected(none), expected({{"enable_thinking", false}})) << "otherwise nothing was tested";
  EXPECT_NE(expected(none), expected({{"reasoning_effort", "high"}}));
}

TEST(ReasoningOptions, WhatTheTemplateDoesNotKnowIsOneLine) {
  const TemporaryFolder folder;
  const std::string plain = (goldenLlama / "hf").string(), both = withTemplate(folder, knowsBoth);
  const auto expectLine = [](const Outcome& outcome, const char* contained) {
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(contained), std::string::npos) << outcome.err;
  };
  expectLine(runWith(plain, {"--think", "off"}), "cannot turn reasoning on or off");
  expectLine(runWith(plain, {"--reasoning-effort", "low"}), "has no efforts");
  expectLine(runWith(both, {"--reasoning-effort", "boundless"}), "low, medium, high");
  expectLine(bench({"chat", plain, "--think", "on", "--device", "cpu"}, "Hi\n"), "cannot turn reasoning on or off");
}

TEST(ReasoningOptions, ChatTakesThem) {
  const TemporaryFolder folder;
  const std::string model = withTemplate(folder, knowsBoth);
  const Outcome outcome = bench({"chat", model, "-n", "1", "--think", "off", "--reasoning-effort", "low", "--device", "cpu"}, "Hi\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(ReasoningOptions, WrongUsageIsTwo) {
  const std::string model = (goldenLlama / "hf").string();
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", model, "--chat", "-p", "Hi", "--think", "maybe"},
                                                    {"run", model, "-p", "Hi", "--think", "on"},
                                                    {"run", model, "-p", "Hi", "--reasoning-effort", "low"},
                                                    {"chat", model, "--think"}}) {
    const Outcome outcome = bench(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  }
}

}  // namespace
}  // namespace minerva::tests
