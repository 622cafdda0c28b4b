// Calls of tools in replies, whatever their format: types, places, what is held back, and damaged text.
#include "call_cases.h"

#include <array>

namespace minerva::text {
namespace {

// Only the schema can tell a text from a number, where the syntax has no quotes.
TEST(ToolCalls, typesThatTheSchemaDeclares) {
  const auto tools = nlohmann::ordered_json::parse(R"([{"type": "function", "function": {"name": "write", "parameters": {
    "type": "object", "$defs": {"Zip": {"type": "string", "enum": ["12345"]}},
    "properties": {
      "text": {"type": "string"}, "maybe": {"type": ["string", "null"]}, "any": {"anyOf": [{"type": "string"}, {"type": "array"}]},
      "zip": {"$ref": "#/$defs/Zip"}, "choice": {"enum": ["1", "2"]}, "either": {"type": ["string", "integer"]}, "count": {"type": "integer"},
      "free": {}, "flag": {"type": "boolean"}, "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "circle": {"anyOf": [{"$ref": "#/properties/circle"}, {"$ref": "#/properties/circle"}]}}}}}])");
  const auto declared = [&](const std::string& name, const std::string& value) {
    std::string values[2];
    for (const bool glm : {false, true}) {
      const std::string reply = glm ? "write<arg_key>" + name + "</arg_key><arg_value>" + value + "</arg_value>"
                                    : "<function=write><parameter=" + name + ">\n" + value + "\n</parameter></function>";
      auto calls = splitCalls(NamedTokens({}), "<tool_call>", "", "<tool_call>" + reply + "</tool_call>", {}).parts.calls;
      useDeclaredTypes(calls, tools);
      values[glm ? 1 : 0] = calls.at(0).arguments.at(0).json;
    }
    EXPECT_EQ(values[0], values[1]);
    return values[0];
  };
  EXPECT_EQ(declared("text", "{\"a\": 1}"), R"("{\"a\": 1}")");
  EXPECT_EQ(declared("text", "12345"), "\"12345\"");
  EXPECT_EQ(declared("text", " true\n "), "\" true\\n \"");
  EXPECT_EQ(declared("text", "\"x\""), R"("\"x\"")");
  EXPECT_EQ(declared("maybe", "1"), "\"1\"");
  EXPECT_EQ(declared("maybe", "null"), "null");
  EXPECT_EQ(declared("any", "{}"), "\"{}\"");
  EXPECT_EQ(declared("any", "[1]"), "[1]");
  EXPECT_EQ(declared("zip", "12345"), "\"12345\"");
  EXPECT_EQ(declared("choice", "2"), "\"2\"");
  EXPECT_EQ(declared("either", "2"), "2");
  EXPECT_EQ(declared("count", "2"), "2");
  EXPECT_EQ(declared("free", "2"), "2");
  EXPECT_EQ(declared("circle", "2"), "2");
  EXPECT_EQ(declared("unknown", "2"), "2");
  EXPECT_EQ(declared("flag", "True"), "true");
  EXPECT_EQ(declared("flag", " False "), "false");
  EXPECT_EQ(declared("flag", "Yes"), "\"Yes\"");
  EXPECT_EQ(declared("limit", "None"), "null");
  EXPECT_EQ(declared("text", "True"), "\"True\"");
  EXPECT_EQ(declared("maybe", "None"), "\"None\"");
  EXPECT_EQ(declared("free", "None"), "\"None\"");
  EXPECT_EQ(declared("unknown", "True"), "\"True\"");
  // Syntaxes with quotes have said it themselves.
  std::vector<ToolCall> json(1);
  json[0].name = "write";
  json[0].arguments = {{"text", "1"}};
  useDeclaredTypes(json, tools);
  EXPECT_EQ(json[0].arguments[0].json, "1");
}

// Code that stands in place of arguments, as Functionary and gpt-oss write it.
TEST(ToolCalls, textIsTheOnlyPropertyOfATool) {
  const auto named = [](const char* properties, const std::string& text) {
    std::vector<ToolCall> calls(1);
    calls[0].name = "python";
    calls[0].text = text;
    useDeclaredTypes(
        calls, nlohmann::ordered_json::parse(
                   std::string(R"([{"type": "function", "function": {"name": "python", "parameters": {"type": "object", "properties": )") +
                   properties + "}}}]"));
    return shown(calls);
  };
  EXPECT_EQ(named(R"({"code": {"type": "string"}})", "print(\"a\")\n"), R"(python(code="print(\"a\")\n"))");
  EXPECT_EQ(named(R"({"code": {"type": "string"}, "time": {}})", "f()"), "python(){f()}");
  EXPECT_EQ(named(R"({"lines": {"type": "array"}})", "f()"), "python(){f()}");
  EXPECT_EQ(named(R"({"code": {"type": "string"}})", "{\"code\": \"f("), "python(){{\"code\": \"f(}");  // cut off
}

// A call's place in the answer, wherever the text is cut.
TEST(ToolCalls, keepTheirPlace) {
  constexpr std::string_view reply = "a<tool_call>{\"name\":\"f\"}</tool_call>b<tool_call>{\"name\":\"g\"}</tool_call>c";
  for (std::size_t cut = 0; cut < reply.size(); ++cut)
    ASSERT_EQ(splitCalls(NamedTokens({}), "<tool_call>", "", reply, {cut}).ordered, "a[f()]\n\nb[g()]\n\nc") << cut;
}

// White space is no answer where there are calls; before text and alone, it is.
TEST(ToolCalls, whiteSpaceBeforeThemIsNoAnswer) {
  constexpr CallCase cases[] = {
      {"before", "\n<tool_call>{\"name\":\"f\"}</tool_call>\n<tool_call>{\"name\":\"g\"}</tool_call>\n", "f(); g()"},
      {"text between", "\n<tool_call>{\"name\":\"f\"}</tool_call>\nSo.\n<tool_call>{\"name\":\"g\"}</tool_call>", "f(); g()", "So.\n"},
      {"before text", "\n So: <tool_call>{\"name\":\"f\"}</tool_call>", "f()", "\n So: "},
      {"before what is no call", " \n<tool_call> begins it. ", "", " \n<tool_call> begins it. "},
      {"cut off", "\n<tool_call>{\"name\":", "", "\n<tool_call>{\"name\":"},
      {"alone", " \n", "", " \n"},
      {"reasoning first", "<think>Hm.</think>\n\n<tool_call>{\"name\":\"f\"}</tool_call>", "f()", "", "Hm."},
  };
  checkCalls(NamedTokens({}), "</think><tool_call>", cases);
}

// What follows a call whose quote is missing is not held back.
TEST(ToolCalls, aMissingQuoteHoldsNothingBack) {
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, "<tool_call>");
  ChannelSplitter splitter(format, tokens, {});
  EXPECT_EQ(splitter.text("<tool_call>{\"name\":\"f}</tool_call>").answer, "");
  EXPECT_EQ(splitter.text("\nThe rest").answer, "<tool_call>{\"name\":\"f}</tool_call>\nThe rest");
  EXPECT_EQ(splitter.text(" goes on.").answer, " goes on.");
}

// Text is given out as soon as it cannot be part of a call, and never the beginning of a marker.
TEST(ToolCalls, textIsNotHeldBack) {
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, "<tool_call>");
  ChannelSplitter splitter(format, tokens, {});
  EXPECT_EQ(splitter.text("It is <b>").answer, "It is <b>");
  EXPECT_EQ(splitter.text("x <tool_").answer, "x ");
  EXPECT_EQ(splitter.text("box").answer, "<tool_box");
  EXPECT_EQ(splitter.text(" <tool_call>").answer, " ");
  EXPECT_EQ(splitter.text(" is a").answer, "<tool_call> is a");
}

// The answer that is JSON is given out as soon as it differs from a call.
TEST(ToolCalls, jsonIsHeldBackOnlyWhileItMayBeACall) {
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, "\"parameters\": dictionary of argument name and its value");
  ChannelSplitter splitter(format, tokens, {});
  EXPECT_EQ(splitter.text("{\"type\": \"fun").answer, "");
  EXPECT_EQ(splitter.text("ction\", \"name\": \"f\", ").answer, "");
  EXPECT_EQ(splitter.text("\"x").answer, "{\"type\": \"function\", \"name\": \"f\", \"x");
  EXPECT_EQ(splitter.text("\": 1}").answer, "\": 1}");
}

// A model without these markers in its template or vocabulary has none.
TEST(ToolCalls, areNotLookedForWithoutReason) {
  const std::string reply = "<tool_call>{\"name\":\"f\"}</tool_call>";
  EXPECT_EQ(splitCalls(NamedTokens({}), "", "", reply, {}).parts.answer, reply);
}

// Models forget to close their reasoning before a call; but they draft calls in it, too.
TEST(ToolCalls, ofReasoningThatIsNotClosed) {
  constexpr CallCase cases[] = {
      {"qwen", "<think>\nI should look.\n<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\n", "f(a=1)",
       "", "I should look."},
      {"hermes, two", "<think>Hm.\n\n<tool_call>{\"name\":\"f\"}</tool_call>\n<tool_call>{\"name\":\"g\"}</tool_call>", "f(); g()", "",
       "Hm."},
      {"at its beginning", "<think>\n<tool_call>{\"name\":\"f\"}</tool_call>", "f()"},
      {"without an end", "<think>Hm.\n<tool_call>{\"name\":\"f\"}", "f()", "", "Hm."},
      {"without <tool_call>", "<think>Hm.\n<function=f>\n</function>\n</tool_call>", "f()", "", "Hm."},
      {"closed", "<think>So:\n<tool_call>{\"name\":\"f\"}</tool_call>\n</think>\nNo.", "", "No.",
       "So:\n<tool_call>{\"name\":\"f\"}</tool_call>"},
      {"closed before the call", "<think>So:\n<tool_call>{\"name\":\"f\"}</tool_call></think><tool_call>{\"name\":\"g\"}</tool_call>",
       "g()", "", "So:\n<tool_call>{\"name\":\"f\"}</tool_call>"},
      {"it goes on", "<think>So:\n<tool_call>{\"name\":\"f\"}</tool_call>\nBut no. ", "", "",
       "So:\n<tool_call>{\"name\":\"f\"}</tool_call>\nBut no."},
      {"another at the end", "<think>So:\n<tool_call>{\"name\":\"f\"}</tool_call>\nBut no.\n<tool_call>{\"name\":\"g\"}</tool_call>", "g()",
       "", "So:\n<tool_call>{\"name\":\"f\"}</tool_call>\nBut no."},
      {"about the marker", "<think>A line with\n<tool_call> begins\n<tool_call", "", "", "A line with\n<tool_call> begins\n<tool_call"},
      {"in a line", "<think>I write <tool_call>{\"name\":\"f\"}</tool_call>", "", "", "I write <tool_call>{\"name\":\"f\"}</tool_call>"},
      {"cut off", "<think>Hm.\n<tool_call>{\"name\":\"f\",", "", "", "Hm.\n<tool_call>{\"name\":\"f\","},
  };
  const std::string source = "</think><tool_call>\\n<function=f>\\n</function>\\n</tool_call>";
  checkCalls(NamedTokens({}), source, cases);
  // A control token says that it is a call.
  constexpr CallCase kimi[] = {
      {"in a line",
       "<think>I look. <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
       "<|tool_calls_section_end|>",
       "f()", "", "I look."},
      {"at its beginning, and text after it",
       "<think>\n<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
       "<|tool_calls_section_end|>So.",
       "f()", "So."},
  };
  checkCalls(NamedTokens({"<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>",
                          "<|tool_calls_section_end|>"}),
             "</think>", kimi);
}

TEST(ToolCalls, reasoningIsHeldBackOnlyWhileItMayEndInACall) {
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, "</think><tool_call>");
  ChannelSplitter splitter(format, tokens, tokens.encode("<think>\n", {}));
  EXPECT_EQ(splitter.text("So:\n<tool").reasoning, "So:");
  EXPECT_EQ(splitter.text("s>").reasoning, "\n<tools>");
  EXPECT_EQ(splitter.text("\n<tool_call>{\"name\":\"f\"}").reasoning, "");
  EXPECT_EQ(splitter.text("</tool_call>\n").reasoning, "");
  EXPECT_EQ(splitter.text("No").reasoning, "\n<tool_call>{\"name\":\"f\"}</tool_call>\nNo");
  EXPECT_EQ(splitter.channel(), Channel::reasoning);
  EXPECT_EQ(splitter.text("\n<tool_call>{\"name\":\"g\"}</tool_call>").reasoning, "");
  const ReplyParts rest = splitter.flush();
  EXPECT_EQ(rest.reasoning, "");
  EXPECT_EQ(rest.toolCall, "<tool_call>{\"name\":\"g\"}</tool_call>");
  EXPECT_EQ(shown(rest.calls), "g()");
}

TEST(ToolCalls, damagedTextIsNeverLost) {
  // Deep nesting, many closing markers, bytes that are not UTF-8.
  const std::string deep = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":" + std::string(100'000, '[') + "</tool_call>";
  EXPECT_EQ(splitCalls(NamedTokens({}), "<tool_call>", "", deep, {50'000}).parts.answer, deep);
  const std::string nested =
      "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":" + std::string(50'000, '[') + std::string(50'000, ']') + "}}</tool_call>";
  const ReplyParts parsed = splitCalls(NamedTokens({}), "<tool_call>", "", nested, {}).parts;
  ASSERT_EQ(parsed.calls.size(), 1u);
  EXPECT_EQ(parsed.calls[0].arguments.at(0).json.size(), 100'000u);
  std::string closes = "<tool_call>{\"name\":\"";
  for (int i = 0; i < 5000; ++i) closes += "</tool_call>";
  EXPECT_EQ(splitCalls(NamedTokens({}), "<tool_call>", "", closes, {}).parts.answer, closes);
  const std::string python = "<|tool_call_start|>[f(a=" + std::string(100'000, '[');
  EXPECT_EQ(splitCalls(NamedTokens({}), "<|tool_call_start|>", "", python, {}).parts.answer, python);
  const std::string bytes = "<tool_call><function=f><parameter=a>\xff\xc3</parameter></function></tool_call>";
  EXPECT_EQ(shown(splitCalls(NamedTokens({}), "<tool_call>", "", bytes, {}).parts.calls), "f(a=\"\xEF\xBF\xBD\xEF\xBF\xBD\")");
}

// Models forget the last bracket, too.
TEST(ToolCalls, theLastBracketMayBeMissing) {
  constexpr CallCase cases[] = {
      {"of one", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"b\"}\n</tool_call>So.", "f(a=\"b\")", "So."},
      {"of the first", "<tool_call>{\"name\": \"f\", \"arguments\": {}</tool_call>\n<tool_call>{\"name\": \"g\"}</tool_call>", "f(); g()"},
      {"of a list", "<tool_calls>[{\"name\": \"f\", \"arguments\": {}}</tool_calls>", "f()"},
      {"of both", "<tool_calls>[{\"name\": \"f\", \"arguments\": {}</tool_calls>", "f()"},
      {"within a string", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"b</tool_call>", "",
       "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"b</tool_call>"},
      {"within the arguments", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1</tool_call>", "",
       "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1</tool_call>"},
  };
  checkCalls(NamedTokens({}), "<tool_call><tool_calls>", cases);
}

// Models forget the tag after a value; what closes the call shows that it was not cut off.
TEST(ToolCalls, theTagAfterAValueMayBeMissing) {
  constexpr CallCase seed[] = {
      {"one", "<seed:tool_call>\n<function=f>\n<parameter=a>x</parameter>\n<parameter=b>2\n</function>\n</seed:tool_call>",
       "f(a=\"x\", b=2)"}};
  checkBoth({"<seed:tool_call>", "</seed:tool_call>"}, "'<seed:tool_call>'", seed);
  constexpr CallCase miniMax[] = {
      {"one of two",
       "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x</invoke>\n<invoke name=\"g\">\n</invoke>\n</minimax:tool_call>",
       "f(a=\"x\"); g()"}};
  checkBoth({"<minimax:tool_call>", "</minimax:tool_call>"}, "'<minimax:tool_call>'", miniMax);
  constexpr CallCase deepSeek[] = {
      {"one",
       "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜invoke></｜DSML｜tool_calls>",
       "f(a=\"1\")"}};
  checkCalls(NamedTokens({}), "{% set dsml_token = '｜DSML｜' %}", deepSeek);
  constexpr CallCase sections[] = {
      {"one", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁calls▁end｜>", "f(a=1)"}};
  checkCalls(NamedTokens({}), "<｜tool▁calls▁begin｜>", sections);
  constexpr CallCase glm[] = {
      {"one", "<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value><arg_key>b</arg_key><arg_value>2</tool_call>", "f(a=\"x\", b=2)"},
      {"a good one after it",
       "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</tool_call>\n<tool_call>g\n<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
       "f(a=\"x\"); g(b=2)"},
      {"of the first value",
       "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x y\n<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
       "f(a=\"x y\", b=2)"},
      {"of both", "<tool_call>f<arg_key>a</arg_key><arg_value>x<arg_key>b</arg_key><arg_value>2\n</tool_call>So.", "f(a=\"x\", b=2)",
       "So."},
      {"of a name", "<tool_call>f\n<arg_key>a\n<arg_value>x</arg_value>\n<arg_key>b</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
       "f(a=\"x\", b=2)"},
      {"a value that names the tags",
       "<tool_call>f<arg_key>a</arg_key><arg_value>An <arg_key>b</arg_key> has a name</arg_value></tool_call>",
       "f(a=\"An <arg_key>b</arg_key> has a name\")"},
      {"cut off", "<tool_call>f<arg_key>a</arg_key><arg_value>x", "", "<tool_call>f<arg_key>a</arg_key><arg_value>x"},
  };
  checkCalls(NamedTokens({}), "<tool_call>", glm);
}

// Nothing but the end of its JSON tells where a call without a closing marker ends.
TEST(ToolCalls, textAfterCallsWithoutAClosingMarker) {
  constexpr CallCase mistral[] = {
      {"a list", "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {\"a\": \"}]\"}}]\nSo {x}.", "f(a=\"}]\")", "So {x}."},
      {"one, text, another", "[TOOL_CALLS]f[CALL_ID]ab1[ARGS]{\"a\": [1]} So.[TOOL_CALLS]g[ARGS]{}", "f(a=[1]); g()", "So."},
      {"white space", "[TOOL_CALLS] f [ARGS] {}\n", "f()"},
      {"malformed", "[TOOL_CALLS]f[ARGS]{a} So.", "", "[TOOL_CALLS]f[ARGS]{a} So."},
  };
  checkBoth({"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"}, "[TOOL_CALLS]", mistral);
  constexpr CallCase commandR[] = {
      {"a code block", "Action:\n```json\n[{\"tool_name\": \"f\", \"parameters\": {}}]\n```\nSo ```x```.", "f()", "So ```x```."}};
  checkCalls(NamedTokens({}), "\"tool_name\": title of the tool in the specification", commandR);
}

// With what the model ended itself; without it the same text was cut off, and is no call.
TEST(ToolCalls, theEndOfAReplyClosesItsCalls) {
  struct Ended {
    const char *source, *reply, *calls;
  };
  constexpr Ended cases[] = {
      {"<tool_call>", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n", "f(a=1)"},
      {"<tool_call>", "<tool_call>\n<function=f>\n<parameter=a>\nx y\n", "f(a=\"x y\")"},
      {"<tool_call>", "<tool_call>\n<function=f>\n", "f()"},
      {"<tool_call>", "<tool_call>f<arg_key>a</arg_key><arg_value>x", "f(a=\"x\")"},
      {"<tool_call>", "<tool_call>f<arg_key>a</arg_key><arg_value>x\n<arg_key>b</arg_key><arg_value>2", "f(a=\"x\", b=2)"},
      {"<tool_call>", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": {\"b\": 1}}", "f(a={\"b\": 1})"},
      {"<tool_calls>", "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)"},
      {"'<seed:tool_call>'", "<seed:tool_call><function=f><parameter=a>x</parameter>", "f(a=\"x\")"},
      {"'<seed:tool_call>'", "<seed:tool_call><function=f><parameter=a>x", "f(a=\"x\")"},
      {"'<minimax:tool_call>'", "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x</parameter>\n", "f(a=\"x\")"},
      {"'<minimax:tool_call>'", "<minimax:tool_call><invoke name=\"f\"></invoke><invoke name=\"g\"><parameter name=\"a\">x",
       "f(); g(a=\"x\")"},
      {"'｜DSML｜'", "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" string=\"true\">1", "f(a=\"1\")"},
  };
  for (const auto& [source, reply, calls] : cases) {
    const CallCase whole[] = {{reply, reply, calls}}, cutOff[] = {{reply, reply, "", reply}};
    checkCalls(NamedTokens({}), source, whole, true);
    checkCalls(NamedTokens({}), source, cutOff, false);
  }
  // Arguments in JSON say themselves that they are whole, also in a reply that was cut off.
  constexpr Ended whole[] = {
      {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}", "f(a=1)"},
      {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": 1}", "f(a=1)"},
      {"<|tool_calls_section_begin|>", "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": 1}",
       "f(a=1)"},
  };
  for (const auto& [source, reply, calls] : whole)
    for (const bool ended : {true, false}) checkCalls(NamedTokens({}), source, std::array{CallCase{reply, reply, calls}}, ended);
  // Also what has an end except for its outermost marker.
  constexpr CallCase ended[] = {{"no outermost end", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</function>\n", "f(a=1)"}};
  checkCalls(NamedTokens({}), "<tool_call>", ended, true);
}

TEST(ToolCalls, formatsWithTheSameOpeningHaveTheSameClosing) {
  for (const ToolCallFormat& a : toolCallFormats())
    for (const ToolCallFormat& b : toolCallFormats()) EXPECT_TRUE(a.open != b.open || a.close == b.close) << a.name << ", " << b.name;
}

TEST(ToolCalls, everyFormOfACallIsReadByItsFormat) {
  for (const CallForm& form : callForms()) {
    ASSERT_NE(form.format, nullptr);
    const text::CallTags* const tags = form.tags;
    const auto joined = [](std::initializer_list<std::string_view> parts) {
      std::string all;
      for (const std::string_view part : parts) all += part;
      for (std::size_t at = all.find('\x02'), number = 0; at != std::string::npos; at = all.find('\x02'))
        all.replace(at, 1, std::to_string(number++));
      return all;
    };
    std::string arguments = "{\"a\": \"x\"}";
    if (tags != nullptr) arguments = joined({tags->beforeName, "a", tags->afterName, "x", tags->afterValue});
    if (!form.quote.empty()) arguments = joined({"a:", form.quote, "x", form.quote});
    const std::string reply = joined({form.before, "f", form.between, arguments, form.after});
    const std::string_view known = form.format->inTemplate.empty() ? form.format->open : form.format->inTemplate;
    const std::string source = std::string(known) + std::string(form.inTemplate);
    EXPECT_EQ(channelFormatFor(NamedTokens({}), source).callForm, &form) << reply;
    EXPECT_EQ(shown(splitCalls(NamedTokens({}), source, "", reply, {}).parts.calls), "f(a=\"x\")") << reply;
    if (form.next.empty()) continue;
    const std::string_view close = form.format->close;
    const std::string several =
        joined({form.before, "f", form.between, arguments, form.next, "g", form.between, arguments, form.after, close, "."});
    const auto parts = splitCalls(NamedTokens({}), source, "", several, {}).parts;
    EXPECT_EQ(shown(parts.calls), "f(a=\"x\"); g(a=\"x\")") << several;
    EXPECT_EQ(parts.answer, ".") << several;
  }
}

TEST(ToolCalls, theFormOfACallIsTheModelsOwn) {
  const auto formOf = [](std::vector<std::string> tokens, std::string_view source) {
    const CallForm* const form = channelFormatFor(NamedTokens(std::move(tokens)), source).callForm;
    return form == nullptr ? std::string() : std::string(form->before);
  };
  const std::string bare = "{\"name\": \"";
  EXPECT_EQ(formOf({}, "{{ messages }}"), "");
  EXPECT_EQ(formOf({}, "{{ tools }}"), bare);
  EXPECT_EQ(formOf({"<tool_call>"}, "{{ messages }}"), "");
  EXPECT_EQ(formOf({"<tool_call>"}, "{{ tools }}"), "<tool_call>\n" + bare);
  EXPECT_EQ(formOf({"<tool_call>"}, "{{ tools }}[TOOL_CALLS]"), "[TOOL_CALLS][" + bare);
  EXPECT_EQ(formOf({}, "{{ tools }}<tool_call><function="), "<tool_call>\n<function=");
  EXPECT_EQ(formOf({}, "{{ tools }}<tool_call><arg_key>"), "<tool_call>");
  EXPECT_EQ(formOf({"<tool_call>", "<arg_key>"}, "{{ tools }}"), "<tool_call>\n" + bare);
  EXPECT_EQ(formOf({}, "{{ tools }}<|tool_call>"), "<|tool_call>call:");
  // Apriel 1.5 and MiniCPM 5 name the marks of other models, too.
  EXPECT_EQ(formOf({}, "{{ tools }}within <tool_call></tool_call> tags: <tool_calls>[]</tool_calls>"), "<tool_calls>[" + bare);
  EXPECT_EQ(formOf({}, "{{ tools }}<function name=\"\"><param name=\"\">{{ content.split('<tool_sep>') }}"), "<function name=\"");
  EXPECT_EQ(formOf({}, "{{ tools }}<function_calls>"), bare);  // Olmo's calls have no form of their own
  EXPECT_EQ(formOf({"<|tools_prefix|>"}, "{{ tools }}"), "<|tools_prefix|>[{\"");
  EXPECT_EQ(formOf({"<|start|>", "<|channel|>", "<|message|>", "<|end|>"}, ""), "<|channel|>commentary to=functions.");
}

TEST(ToolCalls, plainTextHasALineAnArgument) {
  EXPECT_EQ(plainText({"f", {{"a", "1"}, {"b", "\"x\""}}, "", 0}), "f\na: 1\nb: \"x\"");
  EXPECT_EQ(plainText({"python", {}, "print(1)", 0}), "python\nprint(1)");
}

}  // namespace
}  // namespace minerva::text
