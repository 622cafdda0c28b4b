// Tools, calls and results with templates that do not show them: the model hears of them as text.
#include "core/text/template/tool_style.h"

#include "core/text/template/chat_template.h"

#include <gtest/gtest.h>

namespace minerva::text {
namespace {

using Value = nlohmann::ordered_json;

// Phi-4-mini: tools in the system message. Qwen: all of it.
constexpr const char* phi4Mini =
    "{% for message in messages %}{% if message['role'] == 'system' and 'tools' in message and message['tools'] is not none %}"
    "{{ '<|' + message['role'] + '|>' + message['content'] + '<|tool|>' + message['tools'] + '<|/tool|>' + '<|end|>' }}"
    "{% else %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}";
constexpr const char* qwen =
    "{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}{{ message.role + ':' + message.content }}"
    "{% for call in message.tool_calls %}{{ call.function | tojson }}{% endfor %}{% endfor %}";

Value oneTool() { return Value::parse(R"([{"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}}])"); }

Value conversation() {
  return Value::parse(R"([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Time?"},
    {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": {"name": "get_time", "arguments": {"zone": "UTC"}}}]},
    {"role": "tool", "name": "get_time", "content": "noon"}])");
}

ToolStyle styleOf(const char* source) {
  const auto parsed = ChatTemplate::parse(source);
  EXPECT_TRUE(parsed);
  return parsed ? toolStyleOf(*parsed) : ToolStyle{};
}

TEST(ToolStyles, AreFoundByRendering) {
  EXPECT_EQ(styleOf(qwen).tools, ToolStyle::Tools::variable);
  const ToolStyle phi = styleOf(phi4Mini);
  EXPECT_EQ(phi.tools, ToolStyle::Tools::systemMember);
  EXPECT_FALSE(phi.calls);
  EXPECT_TRUE(phi.results);
  // A template that refuses every message is left alone.
  EXPECT_EQ(styleOf("{{ raise_exception('no') }}").tools, ToolStyle::Tools::variable);
  EXPECT_EQ(styleOf("{{ 'tools' }}{% for m in messages %}{{ m.content }}{% endfor %}").tools, ToolStyle::Tools::systemText);
}

TEST(ToolStyles, TextsOfTheSystemMessage) {
  const ToolStyle style{.tools = ToolStyle::Tools::systemText, .calls = false, .results = false};
  const Value told = inStyle(conversation(), oneTool(), style);
  ASSERT_EQ(told.size(), 4U);
  const auto system = told[0]["content"].get<std::string>();
  EXPECT_TRUE(system.starts_with("Be brief.\n\n")) << system;
  EXPECT_NE(system.find(R"({"name":"get_time","parameters":{"type":"object"}})"), std::string::npos) << system;
  EXPECT_EQ(told[2]["content"], R"({"name": "get_time", "parameters": {"zone":"UTC"}})");
  EXPECT_FALSE(told[2].contains("tool_calls"));
  EXPECT_EQ(told[3], Value::parse(R"({"role": "user", "content": "Result of get_time:\nnoon"})"));
  // Without a system message, one is made; without tools, none.
  const Value question = Value::parse(R"([{"role": "user", "content": "Time?"}])");
  EXPECT_EQ(inStyle(question, oneTool(), style)[0]["role"], "system");
  EXPECT_EQ(inStyle(question, nullptr, style), question);
}

TEST(ToolStyles, AMemberOfTheSystemMessage) {
  const Value told = inStyle(conversation(), oneTool(), styleOf(phi4Mini));
  EXPECT_EQ(told[0]["tools"], R"([{"name":"get_time","parameters":{"type":"object"}}])");
  EXPECT_EQ(told[0]["content"], "Be brief.");
  EXPECT_EQ(told[3]["role"], "tool");
}

}  // namespace
}  // namespace minerva::text
