// What is asked of a model that reasons becomes variables of its chat template, or is refused in words.
#include "core/text/reasoning_choice.h"

#include <gtest/gtest.h>

namespace minerva::text {
namespace {

using Json = nlohmann::ordered_json;

const ReasoningControls noControls;
const ReasoningControls onlySwitch{
    .canSwitch = true, .switchVariable = "thinking", .onByDefault = false, .efforts = {}, .effortVariable = "", .defaultEffort = ""};
const ReasoningControls onlyEfforts{
    .switchVariable = "", .efforts = {"low", "high"}, .effortVariable = "reasoning_effort", .defaultEffort = "low"};
const ReasoningControls both{.canSwitch = true,
                             .switchVariable = "enable_thinking",
                             .efforts = {"low", "high"},
                             .effortVariable = "thinking_effort",
                             .defaultEffort = ""};

TEST(ReasoningChoice, BecomesTheVariablesThatTheTemplateKnows) {
  EXPECT_EQ(reasoningVariables({}, both), Json::object());
  EXPECT_EQ(reasoningVariables({true, "high"}, noControls), Json::object());
  EXPECT_EQ(reasoningVariables({true, "high"}, onlySwitch), (Json{{"thinking", true}}));
  EXPECT_EQ(reasoningVariables({false, ""}, onlySwitch), (Json{{"thinking", false}}));
  EXPECT_EQ(reasoningVariables({false, "high"}, onlyEfforts), (Json{{"reasoning_effort", "high"}}));
  EXPECT_EQ(reasoningVariables({true, "high"}, both), (Json{{"enable_thinking", true}, {"thinking_effort", "high"}}));
  EXPECT_EQ(reasoningVariables({false, "high"}, both), (Json{{"enable_thinking", false}})) << "no effort of what is off";
  EXPECT_EQ(reasoningVariables({std::nullopt, "medium"}, both), Json::object()) << "another model's word";
}

TEST(ReasoningChoice, WhatTheTemplateDoesNotKnowIsSaid) {
  for (const ReasoningControls* controls : {&noControls, &onlySwitch, &onlyEfforts, &both}) EXPECT_TRUE(checkReasoning({}, *controls));
  EXPECT_TRUE(checkReasoning({false, ""}, onlySwitch));
  EXPECT_TRUE(checkReasoning({true, "low"}, both));
  const auto message = [](const ReasoningChoice& choice, const ReasoningControls& controls) {
    const Result<void> checked = checkReasoning(choice, controls);
    if (checked) return std::string("no error");
    EXPECT_EQ(checked.error().kind, ErrorKind::unsupported);
    return checked.error().message();
  };
  EXPECT_NE(message({true, ""}, noControls).find("cannot turn reasoning on or off"), std::string::npos);
  EXPECT_NE(message({false, ""}, onlyEfforts).find("only efforts: low, high"), std::string::npos);
  EXPECT_NE(message({std::nullopt, "high"}, onlySwitch).find("has no efforts of reasoning"), std::string::npos);
  const std::string unknown = message({std::nullopt, "medium"}, both);
  EXPECT_NE(unknown.find("low, high"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("medium"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace minerva::text
