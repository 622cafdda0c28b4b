// Efforts of reasoning that a template does not know: the nearest that it does.
#include "core/serve/effort_field.h"
#include "core/text/template/chat_template.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace minerva::serve {
namespace {

std::string chosenEffort(const char* name, std::vector<std::string> efforts, bool canSwitch = false) {
  text::ReasoningControls controls;
  controls.canSwitch = canSwitch;
  controls.efforts = std::move(efforts);
  text::ReasoningChoice choice;
  if (!chooseEffort(name, controls, choice)) return "unknown";
  return choice.on == false ? "off" : choice.effort;
}

TEST(Effort, IsTheNearestThatTheTemplateKnows) {
  const std::vector<std::string> three{"low", "medium", "high"}, two{"high", "max"};
  for (const auto& [name, effort] : {std::pair("none", "low"),
                                     {"minimal", "low"},
                                     {"low", "low"},
                                     {"medium", "medium"},
                                     {"high", "high"},
                                     {"xhigh", "high"},
                                     {"max", "high"},
                                     {"ultra", "high"},
                                     {"much", "unknown"}})
    EXPECT_EQ(chosenEffort(name, three), effort) << name;
  EXPECT_EQ(chosenEffort("low", two), "high");
  EXPECT_EQ(chosenEffort("xhigh", two), "max") << "of two as near, the stronger";
  EXPECT_EQ(chosenEffort("ultra", two), "max");
  EXPECT_EQ(chosenEffort("none", three, true), "off");
  EXPECT_EQ(chosenEffort("high", {}, true), "") << "a template without efforts";
  EXPECT_EQ(chosenEffort("deep", {"deep", "deeper"}), "deep") << "a word of its own";
  EXPECT_EQ(chosenEffort("high", {"deep", "deeper"}), "");
}

TEST(Effort, OfGptOssIsWhatItsPromptSays) {
  const auto path = tests::referenceData("tokens/chat/templates/openai-gpt-oss-120b.jinja");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the published templates are not here (../shared/tokens/chat/templates)";
  std::ifstream file(path);
  const std::string source(std::istreambuf_iterator<char>(file), {});
  const auto made = text::ChatTemplate::parse(source);
  ASSERT_TRUE(made);
  const text::ReasoningControls controls = text::reasoningControlsOf(source);
  for (const auto& [name, effort] : {std::pair("minimal", "low"), {"medium", "medium"}, {"max", "high"}, {"ultra", "high"}}) {
    text::RenderRequest request;
    request.messages = nlohmann::ordered_json::parse(R"([{"role":"user","content":"Hello"}])");
    ASSERT_TRUE(chooseEffort(name, controls, request.reasoning));
    request.variables = text::reasoningVariables(request.reasoning, controls);
    const auto prompt = made->render(request);
    ASSERT_TRUE(prompt) << prompt.error().message();
    EXPECT_NE(prompt->find(std::string("Reasoning: ") + effort), std::string::npos) << name << ": " << *prompt;
  }
}

}  // namespace
}  // namespace minerva::serve
