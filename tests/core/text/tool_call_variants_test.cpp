// Replies as models write them where their templates do not say so: calls whose markers are partly missing, and other ways to write the
// same call.
#include "call_cases.h"

namespace minerva::text {
namespace {

// Templates write the token of DeepSeek V3.2 in either quotes, or within a text.
TEST(CallVariants, dsmlHoweverTheTemplateNamesIt) {
  constexpr CallCase cases[] = {{"V3.2",
                                 "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\" string=\"true\">1"
                                 "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
                                 "f(a=\"1\")"},
                                {"V4",
                                 "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\" string=\"false\">1"
                                 "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
                                 "f(a=1)"}};
  checkCalls(NamedTokens({}), "{%- set dsml_token = \"｜DSML｜\" -%}", cases);
  checkCalls(NamedTokens({}), "{{ '<｜DSML｜invoke name=' }}", cases);
}

TEST(CallVariants, fencesOfDeepSeekR1) {
  constexpr CallCase cases[] = {
      {"no line break before its end",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": 1}```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=1)"},
      {"one line",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json {\"a\": \"}```\"}```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=\"}```\")"},
      {"without the language",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```\n{\"a\": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=1)"},
      {"none", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n{\"a\": 1}\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=1)"},
      {"two",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": \"<｜tool▁call▁end｜>\"}```<｜tool▁call▁end｜>\n"
       "<｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=\"<｜tool▁call▁end｜>\"); g()"},
      {"no brackets",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n1```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n1```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
  };
  checkBoth({"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"},
            "<｜tool▁calls▁begin｜>", cases);
}

TEST(CallVariants, missingMarkersOfKimi) {
  constexpr CallCase cases[] = {
      {"no section", "Look.<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": \"<|tool_call_end|>\"}<|tool_call_end|>",
       "f(a=\"<|tool_call_end|>\")", "Look."},
      {"no section, two and text",
       "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>\n<|tool_call_begin|>functions.g:1"
       "<|tool_call_argument_begin|>{}<|tool_call_end|>So.",
       "f(); g()", "So."},
      {"only the end of the section",
       "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>", "f()"},
      {"no section, no end", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": 1}", "f(a=1)"},
      {"no end of the first",
       "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": {\"b\": \"}\"}}\n<|tool_call_begin|>"
       "functions.g:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
       "f(a={\"b\": \"}\"}); g()"},
      {"no end of the last",
       "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": 1}<|tool_calls_section_end|>",
       "f(a=1)"},
      {"no end of the section", "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|>", "f()"},
      {"cut off", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": ", "",
       "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": "},
      {"about the marker", "It is <|tool_call_begin|> that begins.", "", "It is <|tool_call_begin|> that begins."},
  };
  const std::vector<std::string> tokens = {"<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>",
                                           "<|tool_call_end|>", "<|tool_calls_section_end|>"};
  checkBoth(tokens, "<|tool_calls_section_begin|>", cases);
  constexpr CallCase thinks[] = {{"reasoning that is not closed",
                                  "<think>hm<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": 1}<|tool_call_end|>",
                                  "f(a=1)", "", "hm"}};
  checkCalls(NamedTokens(tokens), "</think>", thinks);
}

// Python's notation of a list or an object, where the schema wants no string.
TEST(CallVariants, pythonLiteralsThatTheSchemaDeclares) {
  const auto tools = nlohmann::ordered_json::parse(R"([{"type": "function", "function": {"name": "f", "parameters": {"type": "object",
    "properties": {"o": {"type": "object"}, "l": {"type": "array"}, "n": {"type": "integer"}, "s": {"type": "string"}, "free": {}}}}}])");
  const auto declared = [&](const std::string& name, const std::string& value) {
    std::string values[3];
    const std::string replies[] = {
        "<tool_call><function=f><parameter=" + name + ">\n" + value + "\n</parameter></function></tool_call>",
        "<tool_call>f<arg_key>" + name + "</arg_key><arg_value>" + value + "</arg_value></tool_call>",
        "<seed:tool_call><function=f><parameter=" + name + ">" + value + "</parameter></function></seed:tool_call>"};
    for (int i = 0; i < 3; ++i) {
      auto calls = splitCalls(NamedTokens({}), "<tool_call><seed:tool_call>", "", replies[i], {}).parts.calls;
      useDeclaredTypes(calls, tools);
      values[i] = calls.at(0).arguments.at(0).json;
      EXPECT_EQ(values[i], values[0]);
    }
    return values[0];
  };
  EXPECT_EQ(declared("o", "{'a': True, 'b': None, 'c': [1, 'it\\'s']}"), R"({"a":true,"b":null,"c":[1,"it's"]})");
  EXPECT_EQ(declared("l", "[{'a': False}, ('x', 2.5)]"), R"([{"a":false},["x",2.5]])");
  EXPECT_EQ(declared("l", " ['a',] "), R"(["a"])");
  EXPECT_EQ(declared("n", "1_000"), "1000");
  EXPECT_EQ(declared("o", "{'a': 1} and more"), "\"{'a': 1} and more\"");
  EXPECT_EQ(declared("o", "{'a': b}"), "\"{'a': b}\"");
  EXPECT_EQ(declared("n", "'5'"), "\"'5'\"");
  EXPECT_EQ(declared("s", "{'a': True}"), "\"{'a': True}\"");
  EXPECT_EQ(declared("free", "{'a': True}"), "\"{'a': True}\"");
}

// Seed and MiniMax write values without line breaks around them; a value that has one on each side was written as Qwen writes it.
TEST(CallVariants, lineBreaksAroundAValue) {
  constexpr CallCase seed[] = {
      {"both", "<seed:tool_call><function=f><parameter=a>\nfoo.cpp\n</parameter></function></seed:tool_call>", "f(a=\"foo.cpp\")"},
      {"more", "<seed:tool_call><function=f><parameter=a>\n\nx\n\n</parameter></function></seed:tool_call>", "f(a=\"\\nx\\n\")"},
      {"one", "<seed:tool_call><function=f><parameter=a>\nx</parameter><parameter=b>x\n</parameter></function></seed:tool_call>",
       "f(a=\"\\nx\", b=\"x\\n\")"},
      {"nothing else", "<seed:tool_call><function=f><parameter=a>\n</parameter></function></seed:tool_call>", "f(a=\"\\n\")"}};
  checkCalls(NamedTokens({}), "<seed:tool_call>", seed);
  constexpr CallCase miniMax[] = {
      {"both", "<minimax:tool_call><invoke name=\"f\"><parameter name=\"a\">\nfoo.cpp\n</parameter></invoke></minimax:tool_call>",
       "f(a=\"foo.cpp\")"}};
  checkCalls(NamedTokens({}), "<minimax:tool_call>", miniMax);
}

TEST(CallVariants, gigaChat3) {
  const std::vector<std::string> tokens = {"<|message_sep|>", "<|role_sep|>"};
  constexpr CallCase cases[] = {
      {"after text",
       "Let me look.<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"f\", \"arguments\": {\"a\": \"<|role_sep|>\"}}",
       "f(a=\"<|role_sep|>\")", "Let me look."},
      {"another role", "A function call<|role_sep|> b", "", "A function call<|role_sep|> b"},
  };
  const std::string source = "{%- set add_tokens = namespace(message_sep=\"<|message_sep|>\\n\\n\") -%}'role': 'function call',";
  checkCalls(NamedTokens({}), source, cases);
  // As a control token, what ends the message has no text.
  constexpr CallCase withTokens[] = {
      {"alone", "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)"},
      {"no call", "Hello<|message_sep|>\n\n", "", "Hello\n\n"},
  };
  checkCalls(NamedTokens(tokens), source, withTokens);
}

TEST(CallVariants, miniCpm3) {
  constexpr CallCase cases[] = {
      {"a fence",
       "<|thought_start|>\nHm.\n<|thought_end|>\n<|tool_call_start|>\n```python\nf(a=\"```\",b=true)\ng()\n```\n<|tool_call_end|>\nWell.",
       "f(a=\"```\", b=true); g()", "Well.", "Hm."},
      {"without the language", "<|tool_call_start|>```\n[f(a=1)]\n```<|tool_call_end|>", "f(a=1)"},
      {"other code", "<|tool_call_start|>```python\nx = 1\n```<|tool_call_end|>", "",
       "<|tool_call_start|>```python\nx = 1\n```<|tool_call_end|>"},
  };
  checkBoth({"<|tool_call_start|>", "<|tool_call_end|>", "<|thought_start|>", "<|thought_end|>"}, "<|thought_end|><|tool_call_start|>",
            cases);
}

TEST(CallVariants, miniCpm5) {
  constexpr CallCase cases[] = {
      {"two and text",
       "I look.\n<function name=\"f\"><param name=\"a\">上海</param><param name=\"b\">[1, 2]</param></function>\n<function name=\"g\"></function>\nSo.",
       "f(a=\"上海\", b=[1, 2]); g()", "I look.\n\n\nSo."},
      {"a value that is no markup",
       "<function name=\"f\"><param name=\"a\"><![CDATA[<a href=\"/x\">1</a> </param></function>]]></param><param name=\"b\"><![CDATA[1]]></param></function>",
       "f(a=\"<a href=\\\"/x\\\">1</a> </param></function>\", b=\"1\")"},
      {"thinks first", "<think>\nHm.\n</think>\n\n<function name=\"f\">\n<param name=\"a\">true</param>\n</function>", "f(a=true)", "",
       "Hm."},
      {"no end of the value", "<function name=\"f\"><param name=\"a\">x</function>", "f(a=\"x\")"},
      {"cut off", "<function name=\"f\"><param name=\"a\">x</param>", "", "<function name=\"f\"><param name=\"a\">x</param>"},
      {"about the tag", "It is <function name=\"f\"/> or <function name=\"f\">x</function>", "",
       "It is <function name=\"f\"/> or <function name=\"f\">x</function>"},
  };
  checkCalls(NamedTokens({"<think>", "</think>"}), "</think> <function name=\\\"f\\\"><param name=\\\"a\\\">", cases);
}

// The prompt ends with the marker that both calls and answers begin with.
TEST(CallVariants, functionary32) {
  const std::string source = "Respond in this format:\\n>>>${recipient}\\n${content}";
  const NamedTokens tokens({});
  constexpr CallCase cases[] = {
      {"one", "f\n{\"a\": \">>>g\\n{\"}", "f(a=\">>>g\\n{\")"},
      {"an answer", "all\n Hello\n", "", "Hello\n"},
      {"an answer, then two", "all\nI look.>>>f\n{\"a\": 1}>>>g\n{}", "f(a=1); g()", "I look."},
      {"a call, then an answer", "f\n{}>>>all\nSo.", "f()", "So."},
      {"Python", "all\n>>> all\n>>>f\nx\n", "", ">>> all\n>>>f\nx\n"},
      {"a marker too many", ">>>f\n{}", "f()"},
      {"code", "python\nprint({'a': \"x\"})\n", "python(){print({'a': \"x\"})\n}"},
      {"an answer, then code", "all\nI look.>>>python\nf()", "python(){f()}", "I look."},
      {"arguments of a tool of that name", "python\n{\"code\": \"f()\"}", "python(code=\"f()\")"},
      {"no recipient", "Hello", "", "Hello"},
      {"cut off", "al", "", ""},
      {"nothing", "", "", ""},
      {"cut off in the arguments", "f\n{\"a\": ", "", "f\n{\"a\": "},
  };
  for (const CallCase& c : cases) {
    const std::size_t size = std::string_view(c.reply).size();
    for (std::size_t cut = 0; cut <= size; ++cut) {
      const ReplyParts got = splitCalls(tokens, source, "assistant\n\n>>>", c.reply, {cut}).parts;
      ASSERT_EQ(shown(got.calls), c.calls) << c.name << ", cut at " << cut;
      ASSERT_EQ(got.answer, c.answer) << c.name << ", cut at " << cut;
    }
  }
  const ChannelFormat format = channelFormatFor(tokens, source);
  EXPECT_EQ(written({"", "Hel", false}, format, "assistant\n\n>>>"), "all\nHel");
  EXPECT_EQ(written({"", "", false}, format, "assistant\n\n>>>"), "");
  EXPECT_EQ(written({"", "Hel", false}, format, "assistant\n\n"), "Hel");
}

TEST(CallVariants, olderFamilies) {
  constexpr CallCase commandR[] = {
      {"as its template writes it",
       "I look.\nAction:\n```json\n[\n    {\n        \"tool_name\": \"f\",\n        \"parameters\": {\"a\": \"```\"}\n    }\n]```\n",
       "f(a=\"```\")", "I look.\n"},
      {"as it writes it",
       "Action: ```json\n[\n    {\"tool_name\": \"f\", \"parameters\": {}},\n    {\"tool_name\": \"g\", \"parameters\": {}}\n]\n```",
       "f(); g()"},
      {"prose", "Action: none. ```json\n[]```", "", "Action: none. ```json\n[]```"},
      {"no list", "Action:\n```json\n[\n", "", "Action:\n```json\n[\n"},
  };
  checkCalls(NamedTokens({}), "\"tool_name\": title of the tool in the specification", commandR);
  constexpr CallCase firefunction[] = {
      {"two", "Both. functools[{\"name\": \"f\", \"arguments\": {\"a\": \"functools[\"}}, {\"name\": \"g\", \"arguments\": {}}]",
       "f(a=\"functools[\"); g()", "Both. "},
      {"about Python", "It is functools.reduce, or functools[0].", "", "It is functools.reduce, or functools[0]."},
  };
  checkCalls(NamedTokens({}), "formatted as functools[{\"name\": [function name]}]", firefunction);
  constexpr CallCase internLm[] = {
      {"two",
       "I look.<|action_start|><|plugin|>\n{\"name\": \"f\", \"arguments\": {\"a\": \"<|action_end|>\"}}<|action_end|>"
       "<|action_start|><|plugin|>\n{\"name\": \"g\", \"parameters\": {}}<|action_end|>\n",
       "f(a=\"<|action_end|>\"); g()", "I look."}};
  constexpr std::string_view source = "{{- \"<|action_start|><|plugin|>\\n\" }}";
  checkCalls(NamedTokens({}), source, internLm);
  checkCalls(NamedTokens({"<|action_start|>", "<|action_end|>", "<|plugin|>"}), source, internLm);
  constexpr CallCase granite[] = {
      {"two",
       "<function_call> {\"name\": \"f\", \"arguments\": {\"a\": \"<function_call>\"}}<function_call> {\"name\": \"g\", \"arguments\": {}}",
       "f(a=\"<function_call>\"); g()"}};
  checkCalls(NamedTokens({}), "{{- '<function_call> ' + {'name': tc.function.name} | tojson }}", granite);
  // Words are no markers only because a vocabulary has them.
  EXPECT_TRUE(channelFormatFor(NamedTokens({">>>", "Action:", "functools"}), "").toolCalls.empty());
}

// Llama writes text before its calls, too. As an example in an answer, they are text.
TEST(CallVariants, withoutMarkersAfterText) {
  constexpr CallCase cases[] = {
      {"at the end", "I will look.\n\n{\"name\": \"f\", \"parameters\": {\"a\": 1}}\n", "f(a=1)", "I will look.\n\n"},
      {"two", "I look.\n{\"name\": \"f\", \"parameters\": {}}; {\"name\": \"g\", \"parameters\": {}}", "f(); g()", "I look.\n"},
      {"after others", "{\"name\": \"f\", \"parameters\": {}}\nAnd:\n{\"name\": \"g\", \"parameters\": {}}", "f(); g()", "And:\n"},
      {"text after it", "As in\n{\"name\": \"f\", \"parameters\": {}}\nthis.", "", "As in\n{\"name\": \"f\", \"parameters\": {}}\nthis."},
      {"an example and a call", "As\n{\"name\": \"f\", \"parameters\": {}}\nthis:\n{\"name\": \"g\", \"parameters\": {}}", "g()",
       "As\n{\"name\": \"f\", \"parameters\": {}}\nthis:\n"},
      {"code", "So:\n```json\n{\"name\": \"f\", \"parameters\": {}}\n```\n", "",
       "So:\n```json\n{\"name\": \"f\", \"parameters\": {}}\n```\n"},
      {"within a line", "Use {\"name\": \"f\", \"parameters\": {}}", "", "Use {\"name\": \"f\", \"parameters\": {}}"},
      {"cut off", "So:\n{\"name\": \"f\", \"parameters\": {", "", "So:\n{\"name\": \"f\", \"parameters\": {"},
      {"not the beginning of a line", "So:\n {\"name\": \"f\", \"parameters\": {}}", "", "So:\n {\"name\": \"f\", \"parameters\": {}}"},
      {"other JSON", "So:\n{\"a\": 1}\n", "", "So:\n{\"a\": 1}\n"},
      {"lines", "a\n\n b\n{\n[\n", "", "a\n\n b\n{\n[\n"},
  };
  checkCalls(NamedTokens({}), "{\"name\": function name, \"parameters\": dictionary of argument name and its value}", cases);
  constexpr CallCase pythonic[] = {
      {"at the end", "I look.\n[f(a=1), g()]", "f(a=1); g()", "I look.\n"},
      {"a link", "So:\n[f(a)](https://a.b)", "", "So:\n[f(a)](https://a.b)"},
      {"text after it", "So:\n[f(a=1)]\n[g(", "", "So:\n[f(a=1)]\n[g("},
  };
  checkCalls(NamedTokens({}), "[func_name1(params_name1=params_value1)]", pythonic);
  // Text is held back only while it may be such a call.
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, "\"parameters\": dictionary of argument name and its value");
  ChannelSplitter splitter(format, tokens, {});
  EXPECT_EQ(splitter.text("So:\n{\"na").answer, "So:\n");
  EXPECT_EQ(splitter.text("me\": \"Ada\", \"b").answer, "{\"name\": \"Ada\", \"b");
  EXPECT_EQ(splitter.text("\": 1}\n").answer, "\": 1}\n");
}

TEST(ToolCalls, hunyuan3) {
  constexpr CallCase cases[] = {
      {"one",
       "<tool_calls>\n<tool_call>get_weather<tool_sep>\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n"
       "<arg_value>3</arg_value>\n</tool_call>\n</tool_calls>",
       "get_weather(city=\"Paris\", days=3)"},
      {"two in one line, one without arguments",
       "<tool_calls><tool_call>now<tool_sep></tool_call><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>{\"b\": [1]}</arg_value></tool_call>"
       "</tool_calls>",
       "now(); f(a={\"b\": [1]})"},
      {"closing markers in a value",
       "<tool_calls><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>x</tool_calls>y</arg_value>.</tool_call>z</arg_value></tool_call>"
       "</tool_calls>",
       "f(a=\"x</tool_calls>y</arg_value>.</tool_call>z\")"},
  };
  checkBoth({"<tool_calls>", "</tool_calls>", "<tool_call>", "</tool_call>", "<tool_sep>", "<arg_key>", "</arg_key>", "<arg_value>",
             "</arg_value>"},
            "<tool_calls><tool_call><tool_sep>", cases);
  constexpr CallCase malformed[] = {
      {"no separator", "<tool_calls><tool_call>f</tool_call></tool_calls>", "", "<tool_calls><tool_call>f</tool_call></tool_calls>"}};
  checkCalls(NamedTokens({}), "<tool_calls><tool_call><tool_sep>", malformed);
  constexpr CallCase forgotten[] = {
      {"the tag after the last value", "<tool_calls><tool_call>f<tool_sep><arg_key>a</arg_key><arg_value>1</tool_calls>", "f(a=1)"}};
  checkCalls(NamedTokens({}), "<tool_calls><tool_call><tool_sep>", forgotten);
}

// The same with a suffix in every tag, which the template puts there: only the vocabulary has the whole tags.
TEST(ToolCalls, hunyuan3OpenSource) {
  constexpr CallCase cases[] = {
      {"after thoughts",
       "<think:opensource>Hm.</think:opensource><tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n"
       "<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>Paris</arg_value:opensource>\n"
       "<arg_key:opensource>days</arg_key:opensource>\n<arg_value:opensource>3</arg_value:opensource>\n</tool_call:opensource>\n"
       "</tool_calls:opensource>",
       "get_weather(city=\"Paris\", days=3)", "", "Hm."},
      {"two, the tags without a suffix in a value",
       "I look.<tool_calls:opensource><tool_call:opensource>now<tool_sep:opensource></tool_call:opensource><tool_call:opensource>f"
       "<tool_sep:opensource><arg_key:opensource>a</arg_key:opensource><arg_value:opensource></arg_value></tool_call></tool_calls>"
       "</arg_value:opensource></tool_call:opensource></tool_calls:opensource>",
       "now(); f(a=\"</arg_value></tool_call></tool_calls>\")", "I look."},
      {"the tag after the last value is forgotten",
       "<tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource><arg_key:opensource>a</arg_key:opensource>"
       "<arg_value:opensource>1</tool_calls:opensource>",
       "f(a=1)"},
      {"no separator", "<tool_calls:opensource><tool_call:opensource>f</tool_call:opensource></tool_calls:opensource>", "",
       "<tool_calls:opensource><tool_call:opensource>f</tool_call:opensource></tool_calls:opensource>"},
  };
  std::vector<std::string> tags;
  for (const std::string name : {"think", "tool_calls", "tool_call", "arg_key", "arg_value", "tool_sep"})
    tags.insert(tags.end(), {"<" + name + ":opensource>", "</" + name + ":opensource>"});
  constexpr std::string_view source = "{{ tools }}{{ '<tool_calls{}>'.format(HYTK) + '<arg_key{}>'.format(HYTK) }}";
  checkCalls(NamedTokens(tags), source, cases);
  const CallForm* form = channelFormatFor(NamedTokens(tags), source).callForm;
  ASSERT_NE(form, nullptr);
  EXPECT_EQ(form->before, "<tool_calls:opensource>\n<tool_call:opensource>");
}

// Its template shows the tools and never a call.
TEST(ToolCalls, nemotronMini) {
  constexpr std::string_view source = "{% for tool in tools %}{{ '\\n<tool> ' + tool|tojson + ' </tool>' }}{% endfor %}";
  constexpr CallCase cases[] = {
      {"one", "<toolcall> {\"name\": \"f\", \"arguments\": {\"a\": 1}} </toolcall>", "f(a=1)"},
      {"two",
       "Both. <toolcall> {\"name\": \"f\", \"arguments\": {}} </toolcall> <toolcall> {\"name\": \"g\", \"arguments\": {}} </toolcall>",
       "f(); g()", "Both. "},
      {"the closing tag in a string", "<toolcall> {\"name\": \"f\", \"arguments\": {\"a\": \"</toolcall>\"}} </toolcall>",
       "f(a=\"</toolcall>\")"},
      {"forgets a brace", "<toolcall> {\"name\": \"f\", \"arguments\": {\"a\": 1} </toolcall>", "f(a=1)"},
      {"not JSON", "<toolcall> f(1) </toolcall>", "", "<toolcall> f(1) </toolcall>"},
  };
  checkBoth({"<toolcall>", "</toolcall>"}, source, cases);
}

// MiMo-V2 writes Qwen's tags without line breaks around the values, Step-3.5 with them.
TEST(ToolCalls, mimo) {
  constexpr CallCase cases[] = {
      {"one",
       "<tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n<parameter=days>3</parameter>\n</function>\n</tool_call>",
       "get_weather(city=\"Paris\", days=3)"},
      {"a value of two lines, Step", "<tool_call>\n<function=f>\n<parameter=a>\nx\ny\n</parameter>\n</function>\n</tool_call>",
       "f(a=\"x\\ny\")"},
  };
  checkBoth({"<tool_call>", "</tool_call>"}, "<tool_call>\n<function=", cases);
}

}  // namespace
}  // namespace minerva::text
