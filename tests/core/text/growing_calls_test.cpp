// What pieces tell of calls before they are complete.
#include "core/text/growing_calls.h"
#include "call_cases.h"

namespace minerva::text {
namespace {

const std::vector<std::string> toolsToTellOf{"f", "g"};

// "f{...", as far as it was told; calls are separated by semicolons.
std::string toldOf(const std::vector<CallPiece>& pieces) {
  std::string all;
  for (const CallPiece& piece : pieces) {
    if (piece.begins) all += (all.empty() ? "" : "; ") + piece.name;
    all += piece.arguments;
  }
  return all;
}

// Told byte by byte, before the end of the reply.
std::string toldBefore(std::string_view source, std::string_view reply, const nlohmann::ordered_json& tools = toolsNamed(toolsToTellOf)) {
  const NamedTokens tokens({});
  const ChannelFormat format = channelFormatFor(tokens, source);
  ChannelSplitter splitter(format, tokens, {}, {"f", "g"});
  splitter.tellOfCalls(tools);
  ReplyParts all;
  for (const char c : reply) all += splitter.text(std::string_view(&c, 1));
  return toldOf(all.pieces);
}

struct Early {
  const char *source, *before, *next;  // `next`: before the arguments of a second call; null: there is none within the same markers
};

TEST(GrowingCalls, AreToldOfWhileTheyAreWritten) {
  const Early formats[] = {
      {"<tool_call>", "<tool_call>\n{\"name\": \"f\", \"arguments\": ", "}\n{\"name\": \"g\", \"arguments\": "},
      {"<tool_call>", "<tool_call>```json\n[{\"type\": \"function\", \"id\": \"1\", \"name\": \"f\", \"arguments\": ",
       "}, {\"name\": \"g\", \"arguments\": "},
      {"<tool_call> <arg_key>", "<tool_call>f\n", nullptr},
      {"[TOOL_CALLS]", "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": ", "}, {\"name\": \"g\", \"arguments\": "},
      {"[TOOL_CALLS] [ARGS]", "[TOOL_CALLS]f[ARGS]", nullptr},
      {"[TOOL_CALLS] [ARGS]", "[TOOL_CALLS]f[CALL_ID]abc[ARGS]", nullptr},
      {"<|tool_call_start|>", "<|tool_call_start|>[{\"name\": \"f\", \"arguments\": ", "}, {\"name\": \"g\", \"arguments\": "},
      {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n",
       "\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```json\n"},
      {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>",
       "<｜tool▁call▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>"},
      {"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>f<｜tool▁sep｜>", nullptr},
      {"<|tool_calls_section_begin|>", "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>",
       "<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>"},
      {"<|tool_calls_section_begin|>", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", nullptr},
      {"<|tool_calls|>", "<|tool_calls|><|tool_call:begin|>call000001<|tool_call:name|>f<|tool_call:args|>",
       "<|tool_call:end|><|tool_call:begin|>call000002<|tool_call:name|>g<|tool_call:args|>"},
      {"<function=example_function_name>{", "<function=f>", nullptr},
      {">>>${recipient}", ">>>f\n", nullptr},
      {"<|START_ACTION|>", "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"f\", \"parameters\": ",
       "},\n    {\"tool_call_id\": \"1\", \"tool_name\": \"g\", \"parameters\": "},
      {"<|tools_prefix|>", "<|tools_prefix|>[{\"f\": ", "}, {\"g\": "},
      {"\"tool_name\": title of the tool",
       "Action:\n```json\n[{\"tool_name\": \"f\", \"parameters\": ", "}, {\"tool_name\": \"g\", \"parameters\": "},
      {"\"parameters\": dictionary of argument name and its value", "{\"name\": \"f\", \"parameters\": ", nullptr},
  };
  for (const Early& e : formats) {
    const std::string before = e.before;
    EXPECT_EQ(toldBefore(e.source, before), "") << before;
    EXPECT_EQ(toldBefore(e.source, before + "{"), "f{") << before;
    EXPECT_EQ(toldBefore(e.source, before + R"({ "path" : "a", "text": "line\n\u00e9 {two} and )"),
              R"(f{"path":"a","text":"line\n\u00e9 {two} and )")
        << before;
    if (e.next != nullptr) {
      EXPECT_EQ(toldBefore(e.source, before + R"({"a": [1, 2]})" + e.next + R"({"b": "tw)"), R"(f{"a":[1, 2]}; g{"b":"tw)") << e.next;
    }
  }
}

TEST(GrowingCalls, WaitForWhatIsCertain) {
  const auto told = [](const std::string& arguments) {
    return toldBefore("<tool_call>", R"(<tool_call>{"name": "f", "arguments": )" + arguments);
  };
  EXPECT_EQ(told(R"({"a)"), "f{");
  EXPECT_EQ(told(R"({"a")"), "f{");
  EXPECT_EQ(told(R"({"a": 1)"), R"(f{"a":)") << "a number may go on";
  EXPECT_EQ(told(R"({"a": 1, )"), R"(f{"a":1)") << "a comma may precede the end";
  EXPECT_EQ(told(R"({"a": [1, )"), R"(f{"a":[1)");
  EXPECT_EQ(told(R"({"a": [1 , 2 ])"), R"(f{"a":[1 , 2 ])");
  EXPECT_EQ(told(R"({"a": "x\)"), R"(f{"a":"x)");
  EXPECT_EQ(told(R"({"a": "x\u00e)"), R"(f{"a":"x)");
  EXPECT_EQ(told(R"({"a": "x\ud83d\ude0)"), R"(f{"a":"x)");
  EXPECT_EQ(told(R"({"a": "x\ud83d\ude00)"), R"(f{"a":"x\ud83d\ude00)");
  EXPECT_EQ(told(R"({"a": "x</tool)"), R"(f{"a":"x)") << "it may be the marker";
  EXPECT_EQ(told(R"({"a": "x</tools)"), R"(f{"a":"x</tools)");
  EXPECT_EQ(told(R"({"a": "x</tool_call> y)"), R"(f{"a":"x)") << "or a quote is missing";
  for (const char* slip : {"\n", "\\d", "\\u00g0", "\\ud83d x", "\\ude00"})
    EXPECT_EQ(told(std::string(R"({"a": "x)") + slip + " y"), R"(f{"a":"x)") << slip;
  EXPECT_EQ(told(R"({"a": True, "b": 1)"), R"(f{"a":)");
  EXPECT_EQ(told("{'a': 1"), "f{");
  EXPECT_EQ(told(R"("{\"a\": 1)"), "") << "a text with the arguments is known when it is whole";
  EXPECT_EQ(toldBefore("<tool_call>", R"(<tool_call>{"name": "other", "arguments": {"a": "x)"), "") << "no tool of the request";
  EXPECT_EQ(toldBefore("<tool_call>", R"(<tool_call>{"arguments": {"a": "x"}, "name": "f")"), "");
  EXPECT_EQ(toldBefore("\"parameters\": dictionary of argument name and its value", R"(So: {"name": "f", "parameters": {"a": "x)"), "")
      << "calls without markers end the reply, which is not known yet";
  EXPECT_EQ(toldBefore("<tool_call> </think>", R"(<think>Let me
<tool_call>{"name": "f", "arguments": {"a": "x)"),
            "")
      << "a draft in reasoning";
}

// Slips after what was told are read as ever.
TEST(GrowingCalls, WithSlipsAreTheSameInTheEnd) {
  const CallCase cases[] = {
      {"a line break in a string", "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\"}}</tool_call>", R"(f(a="x\ny"))"},
      {"an escape that is none", R"(<tool_call>{"name": "f", "arguments": {"a": "x\d", "b": [1, 2]}}</tool_call>)",
       R"(f(a="x\\d", b=[1, 2]))"},
      {"commas too many", R"(<tool_call>{"name": "f", "arguments": {"b": [1, 2, ], "c": {"d": 1,}, }}</tool_call>)",
       R"(f(b=[1, 2 ], c={"d": 1}))"},
      {"words of Python", R"(<tool_call>{"name": "f", "arguments": {"a": "x", "b": True}}</tool_call>)", R"(f(a="x", b=true))"},
      {"a marker in a string", R"(<tool_call>{"name": "f", "arguments": {"a": "x</tool_call>y"}}</tool_call>)", R"(f(a="x</tool_call>y"))"},
      {"a bracket that is missing", R"(<tool_call>{"name": "f", "arguments": {"a": "x"}</tool_call>)", R"(f(a="x"))"},
      {"two brackets too many", R"(<tool_call>{"name": "f", "arguments": {"a": "x"}}}}</tool_call>)", R"(f(a="x"))"},
      {"arguments told twice", R"(<tool_call>{"name": "f", "arguments": {"a": "x", "a": "y"}}</tool_call>)", R"(f(a="x", a="y"))"},
      {"text around it", R"(I look. <tool_call>{"name": "f", "arguments": { } }</tool_call>)", "f()", "I look. "},
  };
  checkCalls(NamedTokens({}), "<tool_call>", cases);
  checkCalls(NamedTokens({"<tool_call>", "</tool_call>"}), "", cases);
}

TEST(GrowingCalls, RemainCallsIfTheyAreCutOff) {
  const auto heard = [](const std::string& reply, bool byBytes) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; byBytes && i < reply.size(); ++i) cuts.push_back(i);
    return splitCalls(NamedTokens({}), "<tool_call>", "", reply, cuts, false, toolsToTellOf, toolsToTellOf).parts;
  };
  const std::string cut = R"(Look. <tool_call>{"name": "f", "arguments": {"a": "x", "b": "y)";
  EXPECT_EQ(shown(heard(cut, true).calls), R"(f(){{"a":"x","b":"y})");
  EXPECT_EQ(heard(cut, true).answer, "Look. ");
  EXPECT_EQ(shown(heard(cut, false).calls), shown(heard(cut, true).calls));
  checkPieces(heard(cut, true), "cut off");
  const std::string broken = R"(<tool_call>{"name": "f", "arguments": {"a": "x" oh}}</tool_call>More.)";
  EXPECT_EQ(shown(heard(broken, true).calls), R"(f(){{"a":"x" oh}}})");
  EXPECT_EQ(heard(broken, true).answer, "More.");
  const std::string two = R"(<tool_call>{"name": "f", "arguments": {"a": "x"}}, {"name": "g", "arguments": {"b": )";
  EXPECT_EQ(shown(heard(two, true).calls), R"(f(a="x"); g(){{"b": })");
  checkPieces(heard(two, true), "the second is cut off");
}

TEST(GrowingCalls, OfHarmonyAreMessages) {
  const NamedTokens tokens({"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>", "<|constrain|>"});
  const std::string before = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>";
  const auto parts = [&](const std::string& reply) {
    std::vector<std::size_t> cuts(before.size() + reply.size());
    for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = i;
    return splitCalls(tokens, "", "<|start|>assistant", before + reply, cuts, false, toolsToTellOf, toolsToTellOf).parts;
  };
  const ReplyParts whole = parts(R"({"a": "x", "b": [1]}<|call|>)");
  EXPECT_EQ(toldOf(whole.pieces), R"(f{"a":"x","b":[1]})");
  EXPECT_EQ(shown(whole.calls), R"(f(a="x", b=[1]))");
  checkPieces(whole, "harmony");
  const ReplyParts cut = parts(R"({"a": "x)");
  EXPECT_EQ(toldOf(cut.pieces), R"(f{"a":"x)");
  EXPECT_EQ(argumentsText(cut.calls.at(0)), R"({"a":"x)");
  EXPECT_EQ(toldOf(parts("ls -l<|call|>").pieces), "") << "no JSON";
}

}  // namespace
}  // namespace minerva::text
