// Slips that models make when they write calls: what is meant is called, and never something else.
#include "call_cases.h"

namespace minerva::text {
namespace {

constexpr std::string_view qwenCoder =
    "{{ tools }}<tool_call>\\n<function=f>\\n<parameter=a>\\nx\\n</parameter>\\n</function>\\n</tool_call>";

TEST(CallSlips, tagsOfQwenCoder) {
  constexpr CallCase cases[] = {
      {"another tag at the end of the function",
       "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function_invocation>\n</tool_call>", "f(a=\"x\")"},
      {"the same after two",
       "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n<parameter=b>\n</p>\n</parameter>\n</func>\n</tool_call>",
       "f(a=\"x\", b=\"</p>\")"},
      {"a name that is not closed", "<tool_call>\n<function=f>\n<parameter=a\nx > 3\n</parameter>\n</function>\n</tool_call>",
       "f(a=\"x > 3\")"},
      {"a tag as a name", "<tool_call>\n<function=f>\n<parameter=a</parameter>\n</function>\n</tool_call>", "",
       "<tool_call>\n<function=f>\n<parameter=a</parameter>\n</function>\n</tool_call>"},
      {"the function closed twice", "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</function>\n</tool_call>",
       "f(a=\"x\")"},
      {"and in other words", "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</function_invocation>\n</tool_call>",
       "f(a=\"x\")"},
      {"the function's name not closed", "<tool_call>\n<function=f\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
       "f(a=\"x\")"},
      {"the same without <tool_call>", "<function=f\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>", "f(a=\"x\")"},
      {"names in quotes", "<tool_call>\n<function name=\"f\">\n<parameter name=\"a\">\nx\n</parameter>\n</function>\n</tool_call>",
       "f(a=\"x\")"},
      {"cut off", "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function_invo", "",
       "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function_invo"},
  };
  checkCalls(NamedTokens({}), qwenCoder, cases);
  checkCalls(NamedTokens({"<tool_call>", "</tool_call>"}), qwenCoder, cases);
}

TEST(CallSlips, aFunctionWithinALine) {
  constexpr CallCase cases[] = {
      {"after text", "I run it. <function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>", "f(a=\"x\")", "I run it. "},
      {"two names that begin alike", "Now <function=f_2>\n</function>", "f_2()", "Now "},
      {"no such tool", "I run it. <function=g>\n</function>\n</tool_call>", "", "I run it. <function=g>\n</function>\n</tool_call>"},
      {"about the tag", "Write `<function=f></function>` for it", "", "Write `<function=f></function>` for it"},
      {"no function", "That is <function=f> and more", "", "That is <function=f> and more"},
      {"cut off", "That is <function=f", "", "That is <function=f"},
  };
  checkCalls(NamedTokens({}), qwenCoder, cases, false, {"f", "f_2"});
}

TEST(CallSlips, graniteWithoutBars) {
  constexpr CallCase cases[] = {{"a list", "<tool_call>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]", "f(a=1)"}};
  checkCalls(NamedTokens({}), "{{ tools }}<|tool_call|>", cases);
}

// Qwen2.5-Coder, whose template says <tool_call>, Hammer and xLAM.
TEST(CallSlips, callsByName) {
  constexpr CallCase cases[] = {
      {"a code block", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```", "f(a=1)"},
      {"after text", "I look.\n\n```json\n{\n  \"name\": \"f\",\n  \"arguments\": {\"a\": \"```\"}\n}\n```\n", "f(a=\"```\")",
       "I look.\n\n"},
      {"a list in a code block", "```\n[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"name\": \"g\", \"arguments\": {}}]\n```",
       "f(a=1); g()"},
      {"two in a block", "```json\n{\"name\": \"f\", \"arguments\": {}}\n{\"name\": \"g\", \"arguments\": {}}\n```", "f(); g()"},
      {"two blocks", "```json\n{\"name\": \"f\", \"arguments\": {}}\n```\n```json\n{\"name\": \"g\", \"arguments\": {}}\n```", "f(); g()"},
      {"bare", "{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)"},
      {"bare after text", "I look.\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)", "I look.\n"},
      {"<tools>", "<tools>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tools>", "f(a=1)"},
      {"<function_call>", "I look.\n<function_call>{\"name\": \"f\", \"parameters\": {\"a\": 1}}</function_call>", "f(a=1)", "I look.\n"},
      {"its block is not closed", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)"},
      {"a line break in a string", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\"}}\n```", "f(a=\"x\\ny\")"},
      {"no such tool", "```json\n{\"name\": \"h\", \"arguments\": {\"a\": 1}}\n```", "",
       "```json\n{\"name\": \"h\", \"arguments\": {\"a\": 1}}\n```"},
      {"one of two is no tool", "```\n[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"h\", \"arguments\": {}}]\n```", "",
       "```\n[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"h\", \"arguments\": {}}]\n```"},
      {"an example", "As in\n```json\n{\"name\": \"f\", \"arguments\": {}}\n```\nit is called.", "",
       "As in\n```json\n{\"name\": \"f\", \"arguments\": {}}\n```\nit is called."},
      {"cut off", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": ", "", "```json\n{\"name\": \"f\", \"arguments\": {\"a\": "},
      {"other code", "```js\nf()\n```\n<b>\n`x`\n```", "", "```js\nf()\n```\n<b>\n`x`\n```"},
  };
  for (const char* source : {"{{ tools }}<tool_call>", "{{ tools }}", "\"parameters\": dictionary of argument name and its value"})
    checkCalls(NamedTokens({}), source, cases, true, {"f", "g"});
  constexpr CallCase none[] = {
      {"no tools", "```json\n{\"name\": \"f\", \"arguments\": {}}\n```", "", "```json\n{\"name\": \"f\", \"arguments\": {}}\n```"}};
  checkCalls(NamedTokens({}), "<tool_call>", none, true);
  // Text is held back only while it may be such a call.
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, "<tool_call>");
  ChannelSplitter splitter(format, tokens, {}, {"f"});
  EXPECT_EQ(splitter.text("So:\n```js").answer, "So:\n");
  EXPECT_EQ(splitter.text("on\n{\"a").answer, "```json\n{\"a");
  EXPECT_EQ(splitter.text("\": 1}\n").answer, "\": 1}\n");
}

TEST(CallSlips, json) {
  constexpr CallCase cases[] = {
      {"a brace too many", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}}\n</tool_call>", "f(a=1)"},
      {"a brace too many in a list", "<tool_call>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}}]</tool_call>", "f(a=1)"},
      {"a line break in a string", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\n\ty\"}}\n</tool_call>", "f(a=\"x\\n\\ty\")"},
      {"escapes that JSON does not know", R"(<tool_call>{"name": "f", "arguments": {"a": "\d+\$ it\'s \n \u00e9 \ux"}}</tool_call>)",
       R"(f(a="\\d+\\$ it's \n \u00e9 \\ux"))"},
      {"commas", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": [1, 2,], },}</tool_call>", "f(a=[1, 2])"},
      {"Python", "<tool_call>{'name': 'f', 'arguments': {'a': True, 'b': \"it's\"}}</tool_call>", "f(a=true, b=\"it's\")"},
      {"a comma between two", "<tool_call>{\"name\": \"f\", \"arguments\": {}},\n{\"name\": \"g\", \"arguments\": {}}</tool_call>",
       "f(); g()"},
      {"a code block", "<tool_call>\n```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```\n</tool_call>", "f(a=1)"},
      {"an empty string of arguments", "<tool_call>{\"name\": \"f\", \"arguments\": \"\"}</tool_call>", "f()"},
      {"an empty list of arguments", "<tool_call>{\"name\": \"f\", \"arguments\": []}</tool_call>", "f()"},
      {"a function of an object", "<tool_call>\nf({\"a\": 1})\n</tool_call>", "f(a=1)"},
      {"a line break and a missing brace", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\"}</tool_call>", "f(a=\"x\\ny\")"},
      {"a string that is not closed", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\n}}</tool_call>", "",
       "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\n}}</tool_call>"},
      {"cut off", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\"", "",
       "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\""},
  };
  checkBoth({"<tool_call>", "</tool_call>"}, "<tool_call>", cases);
  constexpr CallCase mistral[] = {
      {"a line break in a string", "[TOOL_CALLS]f[ARGS]{\"a\": \"x\ny\"}", "f(a=\"x\\ny\")"},
      {"an object without a list", "[TOOL_CALLS]{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)"},
  };
  checkBoth({"[TOOL_CALLS]", "[ARGS]"}, "[TOOL_CALLS][ARGS]", mistral);
}

TEST(CallSlips, glmWithJson) {
  constexpr CallCase cases[] = {
      {"one", "<tool_call>f\n{\"a\": \"</tool_call>\"}\n</tool_call>", "f(a=\"</tool_call>\")"},
      {"no JSON", "<tool_call>f\n{a}</tool_call>", "", "<tool_call>f\n{a}</tool_call>"},
  };
  checkBoth({"<tool_call>", "</tool_call>"}, "<tool_call>", cases);
}

TEST(CallSlips, withoutArguments) {
  constexpr CallCase mistral[] = {
      {"one", "[TOOL_CALLS]f[ARGS]", "f()"},
      {"two", "[TOOL_CALLS]f[ARGS][TOOL_CALLS]g[ARGS]", "f(); g()"},
  };
  checkCalls(NamedTokens({}), "[TOOL_CALLS][ARGS]", mistral, true);
  constexpr CallCase cutOff[] = {{"one", "[TOOL_CALLS]f[ARGS]", "", "[TOOL_CALLS]f[ARGS]"}};
  checkCalls(NamedTokens({}), "[TOOL_CALLS][ARGS]", cutOff);
  constexpr CallCase kimi[] = {
      {"in a section",
       "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|> <|tool_call_end|><|tool_calls_section_end|>",
       "f()"},
      {"without a section", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|> <|tool_call_end|>", "f()"},
      {"cut off", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "",
       "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"},
  };
  checkCalls(NamedTokens({}), "<|tool_calls_section_begin|>", kimi);
}

TEST(CallSlips, pythonTagOfLlama3) {
  constexpr CallCase cases[] = {
      {"a tool of the template", "<|python_tag|>brave_search.call(query=\"x\")", "brave_search(query=\"x\")"},
      {"another", "I look.<|python_tag|>get_weather.call(city=\"Paris\", days=2)", "get_weather(city=\"Paris\", days=2)", "I look."},
      {"JSON", "<|python_tag|>{\"name\": \"f\", \"parameters\": {\"a\": 1}}; {\"name\": \"g\", \"parameters\": {}}", "f(a=1); g()"},
      {"code", "<|python_tag|>import a\nprint(a.call(x=1))\n", "python(){import a\nprint(a.call(x=1))}"},
      {"nothing", "<|python_tag|>", "", "<|python_tag|>"},
  };
  for (const char* source : {"Environment: ipython", "\"parameters\": dictionary of argument name and its value. Environment: ipython"}) {
    checkCalls(NamedTokens({}), source, cases, true, {"f", "python"});
    checkCalls(NamedTokens({"<|python_tag|>"}), source, cases, true, {"f", "python"});
  }
  constexpr CallCase nobodyRunsIt[] = {{"code", "<|python_tag|>print(1)", "", "<|python_tag|>print(1)"}};
  checkCalls(NamedTokens({}), "Environment: ipython", nobodyRunsIt, true, {"f"});
}

TEST(CallSlips, markersOfDeepSeek) {
  constexpr CallCase cases[] = {
      {"underscores",
       "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>f\n```json\n{\"a\": 1}\n```<｜tool_call_end｜><｜tool_calls_end｜>",
       "f(a=1)"},
      {"the outer markers alone",
       "<｜tool calls begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=1)"},
      {"escaped", "<｜tool\\_calls\\_begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜><｜tool\\_calls\\_end｜>",
       "f(a=1)"},
      {"no section", "I look.<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=1)", "I look."},
      {"no section, two",
       "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
       "f(a=1); g()"},
      {"about the markers", "It is <｜tool_calls_begin｜> or\n<｜tool▁call▁begin｜>\nthat begins.", "",
       "It is <｜tool_calls_begin｜> or\n<｜tool▁call▁begin｜>\nthat begins."},
  };
  checkCalls(NamedTokens({}), "<｜tool▁calls▁begin｜>", cases);
}

}  // namespace
}  // namespace minerva::text
