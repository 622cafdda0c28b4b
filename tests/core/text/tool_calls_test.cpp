// Calls of tools in replies: every format as its family's chat template writes it, cut at every byte, and malformed ones.
#include "core/text/channels.h"
#include "named_tokens.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace minerva::text {
namespace {

// "f(a=1, b="x")" for comparison; text that is not arguments follows in braces.
std::string shown(const std::vector<ToolCall>& calls) {
  std::string all;
  for (const ToolCall& call : calls) {
    all += (all.empty() ? "" : "; ") + call.name + '(';
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      all += (i > 0 ? ", " : "") + call.arguments[i].name + '=' + call.arguments[i].json;
    all += ')';
    if (!call.text.empty()) all += '{' + call.text + '}';
  }
  return all;
}

struct Heard {
  ReplyParts parts;
  std::string ordered;  // the answer with the calls at their places
};

void add(Heard& heard, const ReplyParts& more) {
  std::size_t done = 0;
  for (const ToolCall& call : more.calls) {
    heard.ordered += more.answer.substr(done, call.place - done) + '[' + shown({call}) + ']';
    done = call.place;
  }
  heard.ordered += more.answer.substr(done);
  heard.parts += more;
}

// Splits the reply; text without tokens is cut at these places, in bytes of the reply.
Heard splitCalls(const NamedTokens& tokenizer, std::string_view source, std::string_view prompt, std::string_view reply,
                 const std::vector<std::size_t>& cuts) {
  const ChannelFormat format = channelFormatFor(tokenizer, source);
  ChannelSplitter splitter(format, tokenizer, tokenizer.encode(prompt, {}));
  Heard heard;
  std::string text;
  std::size_t place = 0;
  for (const TokenId id : tokenizer.encode(reply, {})) {
    if (std::find(cuts.begin(), cuts.end(), place) != cuts.end()) add(heard, splitter.text(std::exchange(text, {})));
    place += tokenizer.piece(id).size();
    if (format.isMarker(id)) {
      add(heard, splitter.text(std::exchange(text, {})));
      add(heard, splitter.marker(id));
    } else if (!tokenizer.isControl(id)) {
      text += tokenizer.piece(id);
    }
  }
  add(heard, splitter.text(text));
  add(heard, splitter.flush());
  return heard;
}

struct CallCase {
  const char *name, *reply, *calls, *answer = "";
  const char* reasoning = "";
};

// Uncut, cut in two at every byte, and byte by byte.
void checkCalls(const NamedTokens& tokenizer, std::string_view source, std::span<const CallCase> cases) {
  for (const CallCase& c : cases) {
    const std::size_t size = std::string_view(c.reply).size();
    std::vector<std::size_t> everywhere(size);
    for (std::size_t i = 0; i < size; ++i) everywhere[i] = i;
    for (std::size_t cut = 0; cut <= size; ++cut) {
      const Heard got = splitCalls(tokenizer, source, "", c.reply, cut == size ? everywhere : std::vector<std::size_t>{cut});
      ASSERT_EQ(shown(got.parts.calls), c.calls) << c.name << ", cut at " << cut;
      ASSERT_EQ(got.parts.answer, c.answer) << c.name << ", cut at " << cut;
      ASSERT_EQ(got.parts.reasoning, c.reasoning) << c.name << ", cut at " << cut;
      for (const ToolCall& call : got.parts.calls)
        for (const ToolArgument& argument : call.arguments)
          ASSERT_TRUE(nlohmann::json::accept(argument.json)) << c.name << ": " << argument.json;
    }
  }
}

// The same with the markers as tokens of the vocabulary and as plain text.
void checkBoth(std::vector<std::string> markers, std::string_view source, std::span<const CallCase> cases) {
  checkCalls(NamedTokens(std::move(markers)), "", cases);
  checkCalls(NamedTokens({}), source, cases);
}

TEST(ToolCalls, hermes) {
  constexpr CallCase cases[] = {
      {"one", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 3}}\n</tool_call>",
       "get_weather(city=\"Paris\", days=3)"},
      {"after text", "Let me look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>", "f()", "Let me look.\n"},
      {"two", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":[1,{\"b\":null}]}}</tool_call>\n<tool_call>{\"name\":\"g\"}</tool_call>",
       "f(a=[1,{\"b\":null}]); g()"},
      {"thinks first", "<think>\nHm.\n</think>\n\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>", "f()", "", "Hm."},
      {"text after", "a<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n b", "f()", "a\n\nb"},
      {"the closing marker in a string",
       "<tool_call>{\"name\":\"f\",\"arguments\":{\"s\":\"</tool_call> \\\" </tool_call>\"}}</tool_call>x",
       "f(s=\"</tool_call> \\\" </tool_call>\")", "x"},
      {"arguments in a string", "<tool_call>{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":true}\"}</tool_call>", "f(a=true)"},
      {"arguments first", "<tool_call>{\"arguments\":{\"a\":1},\"name\":\"f\"}</tool_call>", "f(a=1)"},
      {"no end", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}", "f(a=1)"},
      {"escapes", "<tool_call>{\"name\":\"\\u0066\",\"arguments\":{\"\\u00e9\":\"\\n\"}}</tool_call>", "f(é=\"\\n\")"},
  };
  checkBoth({"<tool_call>", "</tool_call>", "<think>", "</think>"}, "<tool_call>", cases);
  constexpr CallCase malformed[] = {
      {"not JSON", "<tool_call>{\"name\": f}</tool_call> b", "", "<tool_call>{\"name\": f}</tool_call> b"},
      {"no name", "<tool_call>{\"arguments\": {}}</tool_call>", "", "<tool_call>{\"arguments\": {}}</tool_call>"},
      {"arguments are a list", "<tool_call>{\"name\":\"f\",\"arguments\":[1]}</tool_call>", "",
       "<tool_call>{\"name\":\"f\",\"arguments\":[1]}</tool_call>"},
      {"cut off", "a <tool_call>{\"name\": \"f\", \"argu", "", "a <tool_call>{\"name\": \"f\", \"argu"},
      {"cut off in a string", "<tool_call>{\"name\": \"f</tool_call>", "", "<tool_call>{\"name\": \"f</tool_call>"},
      {"prose about the marker", "The tag <tool_call> begins, </tool_call> ends.", "", "The tag <tool_call> begins, </tool_call> ends."},
      {"half a marker", "a <tool_cal", "", "a <tool_cal"},
      {"only half a marker", "<", "", "<"},
      {"a good one after a bad one", "<tool_call>{bad}</tool_call><tool_call>{\"name\":\"f\"}</tool_call>", "f()",
       "<tool_call>{bad}</tool_call>"},
      {"empty", "<tool_call></tool_call>", "", "<tool_call></tool_call>"},
  };
  checkCalls(NamedTokens({}), "<tool_call>", malformed);
}

TEST(ToolCalls, qwen) {
  constexpr CallCase cases[] = {
      {"one",
       "<tool_call>\n<function=get_weather>\n<parameter=city>\nNew York\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
       "get_weather(city=\"New York\", days=3)"},
      {"lines and tags in a value",
       "Well.\n\n<tool_call>\n<function=write>\n<parameter=text>\n\nint a;\n</tool_call>\n\n</parameter>\n<parameter=list>\n[\"a\", {\"b\": 1}]\n</parameter>\n"
       "</function>\n</tool_call>",
       "write(text=\"\\nint a;\\n</tool_call>\\n\", list=[\"a\", {\"b\": 1}])", "Well.\n\n"},
      {"nothing", "<tool_call>\n<function=now>\n</function>\n</tool_call>", "now()"},
      {"quotes are text", "<tool_call><function=f><parameter=a>\"x\"</parameter></function></tool_call>", "f(a=\"\\\"x\\\"\")"},
      {"two", "<tool_call>\n<function=f>\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n</function>\n</tool_call>", "f(); g()"},
  };
  checkBoth({"<tool_call>", "</tool_call>"}, "<tool_call>", cases);
  constexpr CallCase malformed[] = {
      {"no name", "<tool_call><function=></function></tool_call>", "", "<tool_call><function=></function></tool_call>"},
      {"parameter without end", "<tool_call><function=f><parameter=a>1</function></tool_call>", "",
       "<tool_call><function=f><parameter=a>1</function></tool_call>"},
      {"no function", "<tool_call><func=f></tool_call>", "", "<tool_call><func=f></tool_call>"},
  };
  checkCalls(NamedTokens({}), "<tool_call>", malformed);
  constexpr CallCase seed[] = {
      {"one", "<seed:tool_call>\n<function=f>\n<parameter=a>x\n</parameter>\n<parameter=b>2</parameter>\n</function>\n</seed:tool_call>",
       "f(a=\"x\\n\", b=2)"}};
  checkBoth({"<seed:tool_call>", "</seed:tool_call>"}, "'<seed:tool_call>'", seed);
  constexpr CallCase miniMax[] = {
      {"two",
       "Both.\n<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x > y</parameter>\n</invoke>\n<invoke name=\"g\">\n</invoke>\n</minimax:tool_call>",
       "f(a=\"x > y\"); g()", "Both.\n"}};
  checkBoth({"<minimax:tool_call>", "</minimax:tool_call>"}, "'<minimax:tool_call>'", miniMax);
}

TEST(ToolCalls, glm) {
  constexpr CallCase cases[] = {
      {"one, GLM 4.7",
       "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key><arg_value>3</arg_value></tool_call>",
       "get_weather(city=\"Paris\", days=3)"},
      {"one, GLM 4.5", "\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>{\"b\": [1]}</arg_value>\n</tool_call>", "f(a={\"b\": [1]})",
       "\n"},
      {"none, two calls", "<tool_call>f</tool_call><tool_call>g\n</tool_call>", "f(); g()"},
      {"the closing marker in a value", "<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call>y</arg_value></tool_call>",
       "f(a=\"x</tool_call>y\")"},
  };
  checkBoth({"<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"}, "<tool_call>", cases);
  constexpr CallCase malformed[] = {
      {"key without value", "<tool_call>f<arg_key>a</arg_key></tool_call>", "", "<tool_call>f<arg_key>a</arg_key></tool_call>"},
      {"two words", "<tool_call>two words</tool_call>", "", "<tool_call>two words</tool_call>"},
  };
  checkCalls(NamedTokens({}), "<tool_call>", malformed);
}

TEST(ToolCalls, mistral) {
  constexpr CallCase cases[] = {
      {"one", "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Paris\"}", "get_weather(city=\"Paris\")"},
      {"two", "Let me see.[TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS]g[ARGS]{}", "f(a=1); g()", "Let me see."},
      {"with an id", "[TOOL_CALLS]f[CALL_ID]abc123XYZ[ARGS]{\"a\": 1}", "f(a=1)"},
      {"older", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\": 1}, \"id\": \"abcdefghi\"}, {\"name\": \"g\", \"arguments\": {}}]",
       "f(a=1); g()"},
      {"the marker in a string", "[TOOL_CALLS]f[ARGS]{\"a\": \"[TOOL_CALLS]\"}", "f(a=\"[TOOL_CALLS]\")"},
      {"thinks first", "[THINK]Hm.[/THINK][TOOL_CALLS]f[ARGS]{}", "f()", "", "Hm."},
  };
  checkBoth({"[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"}, "[TOOL_CALLS][/THINK]", cases);
  constexpr CallCase malformed[] = {
      {"cut off", "[TOOL_CALLS]f[ARGS]{\"a\": ", "", "[TOOL_CALLS]f[ARGS]{\"a\": "},
      {"prose", "[TOOL_CALLS] begins it.", "", "[TOOL_CALLS] begins it."},
      {"one bad, one good", "[TOOL_CALLS]f[ARGS]{a}[TOOL_CALLS]g[ARGS]{}", "g()", "[TOOL_CALLS]f[ARGS]{a}"},
  };
  checkBoth({"[TOOL_CALLS]", "[ARGS]"}, "[TOOL_CALLS]", malformed);
}

TEST(ToolCalls, gemma) {
  constexpr CallCase cases[] = {
      {"one", "<|tool_call>call:get_weather{city:<|\"|>New York<|\"|>,days:3}<tool_call|>", "get_weather(city=\"New York\", days=3)"},
      {"nested", "<|tool_call>call:f{a:[1,-2.5,<|\"|>x,}<|\"|>],b:{c:true,<|\"|>d e<|\"|>:null},e:<|\"|><|\"|>}<tool_call|>",
       "f(a=[1,-2.5,\"x,}\"], b={\"c\":true,\"d e\":null}, e=\"\")"},
      {"two, thinks first", "<|channel>thought\nHm.\n<channel|><|tool_call>call:f{}<tool_call|><|tool_call>call:g{a:false}<tool_call|>",
       "f(); g(a=false)", "", "Hm."},
      {"the closing marker in a string", "<|tool_call>call:f{a:<|\"|><tool_call|><|\"|>}<tool_call|>", "f(a=\"<tool_call|>\")"},
  };
  checkBoth({"<|tool_call>", "<tool_call|>", "<|\"|>", "<|channel>", "<channel|>"}, "<|tool_call><channel|>", cases);
  constexpr CallCase malformed[] = {
      {"no value", "<|tool_call>call:f{a:}<tool_call|>b", "", "<|tool_call>call:f{a:}<tool_call|>b"},
      {"a bare word", "<|tool_call>call:f{a:b}<tool_call|>", "", "<|tool_call>call:f{a:b}<tool_call|>"},
      {"another verb", "<|tool_call>run:f{}<tool_call|>", "", "<|tool_call>run:f{}<tool_call|>"},
  };
  checkBoth({"<|tool_call>", "<tool_call|>", "<|\"|>"}, "<|tool_call>", malformed);
}

TEST(ToolCalls, pythonic) {
  constexpr CallCase cases[] = {
      {"one", "<|tool_call_start|>[get_weather(city=\"Paris\", days=3)]<|tool_call_end|>Checking.", "get_weather(city=\"Paris\", days=3)",
       "Checking."},
      {"literals",
       "<|tool_call_start|>[f(a=[1, 2.5, -3e2], b={'k': None, \"l\": (True, False)}, c='it\\'s \\u00e9\\n', d=\"\")]<|tool_call_end|>",
       "f(a=[1,2.5,-3e2], b={\"k\":null,\"l\":[true,false]}, c=\"it's é\\n\", d=\"\")"},
      {"two", "<|tool_call_start|>[f(), g(x=1,)]<|tool_call_end|>", "f(); g(x=1)"},
      {"JSON was asked for", "<|tool_call_start|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]<|tool_call_end|>", "f(a=1)"},
      {"the closing marker in a string", "<|tool_call_start|>[f(a='<|tool_call_end|>')]<|tool_call_end|>", "f(a=\"<|tool_call_end|>\")"},
  };
  checkBoth({"<|tool_call_start|>", "<|tool_call_end|>"}, "<|tool_call_start|>", cases);
  constexpr CallCase malformed[] = {
      {"no name", "<|tool_call_start|>[f(1)]<|tool_call_end|>", "", "<|tool_call_start|>[f(1)]<|tool_call_end|>"},
      {"an expression", "<|tool_call_start|>[f(a=1+1)]<|tool_call_end|>", "", "<|tool_call_start|>[f(a=1+1)]<|tool_call_end|>"},
      {"no end of a list", "<|tool_call_start|>[f(a=[1)]<|tool_call_end|>", "", "<|tool_call_start|>[f(a=[1)]<|tool_call_end|>"},
  };
  checkBoth({"<|tool_call_start|>", "<|tool_call_end|>"}, "<|tool_call_start|>", malformed);
  constexpr CallCase olmo[] = {{"a line each", "<function_calls>\nf(a=1)\ng(b=\"x\")\n</function_calls>", "f(a=1); g(b=\"x\")"}};
  checkCalls(NamedTokens({}), "<function_calls>", olmo);
}

// Llama writes nothing but the calls, without markers; every other answer is an answer.
TEST(ToolCalls, withoutMarkers) {
  constexpr CallCase pythonic[] = {
      {"two", "[f(a=1), g()]", "f(a=1); g()"},
      {"white space", "\n\n[f(a=1)]\n", "f(a=1)"},
      {"a list", "[1, 2]", "", "[1, 2]"},
      {"a link", "[text](https://a.b)", "", "[text](https://a.b)"},
      {"malformed", "[f(a=1), and so on", "", "[f(a=1), and so on"},
      {"later in the answer", "Use [f(a=1)]", "", "Use [f(a=1)]"},
      {"empty", "", "", ""},
  };
  checkCalls(NamedTokens({}), "[func_name1(params_name1=params_value1)]", pythonic);
  constexpr CallCase json[] = {
      {"one", "{\"name\": \"f\", \"parameters\": {\"a\": \"1\"}}", "f(a=\"1\")"},
      {"a person", "{\"name\": \"Ada\", \"born\": 1815}", "", "{\"name\": \"Ada\", \"born\": 1815}"},
      {"a name", "{\"name\": \"Ada\"}", "", "{\"name\": \"Ada\"}"},
      {"code", "{ return 1; }", "", "{ return 1; }"},
  };
  checkCalls(NamedTokens({}), "{\"name\": function name, \"parameters\": dictionary of argument name and its value}", json);
}

TEST(ToolCalls, sections) {
  constexpr CallCase deepSeek[] = {
      {"V3.1, two",
       "a<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\": 1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=1); g()", "a"},
      {"V3 and R1",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": \"b\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
       "f(a=\"b\")"},
      {"malformed", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
  };
  checkBoth({"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"},
            "<｜tool▁calls▁begin｜>", deepSeek);
  constexpr CallCase kimi[] = {
      {"two",
       "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\": \"<|tool_call_end|>\"}<|tool_call_end|>"
       "<|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
       "f(a=\"<|tool_call_end|>\"); g()"}};
  checkBoth({"<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>",
             "<|tool_calls_section_end|>"},
            "<|tool_calls_section_begin|>", kimi);
  constexpr CallCase cohere[] = {
      {"one",
       "<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"f\", \"parameters\": {\"a\": 1}}\n]<|END_ACTION|>",
       "f(a=1)", "", "Hm."}};
  checkBoth({"<|START_THINKING|>", "<|END_THINKING|>", "<|START_ACTION|>", "<|END_ACTION|>"}, "<|END_THINKING|><|START_ACTION|>", cohere);
}

TEST(ToolCalls, harmony) {
  const NamedTokens tokens({"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>", "<|constrain|>"});
  constexpr CallCase cases[] = {
      {"commentary",
       "<|channel|>analysis<|message|>Need it<|end|><|start|>assistant to=functions.get<|channel|>commentary <|constrain|>json<|message|>{\"a\":1}<|call|>",
       "get(a=1)", "", "Need it"},
      {"recipient after the channel", "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\": [1], \"b\": \"x\"}<|call|>",
       "f(a=[1], b=\"x\")"},
      {"a built-in tool takes code", "<|channel|>analysis to=python code<|message|>print(1)<|call|>", "python(){print(1)}"},
      {"cut off", "<|channel|>commentary to=functions.f<|message|>{\"a\": ", "f(){{\"a\": }"},
      {"no space before the type", "<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}<|call|>", "f()"},
      {"two and an answer",
       "<|channel|>commentary to=functions.f<|message|>{}<|call|><|start|>assistant<|channel|>commentary to=functions.g<|message|>{}<|call|><|start|>assistant<|channel|>final<|message|>a<|return|>",
       "f(); g()", "a"},
  };
  for (const CallCase& c : cases) {
    const std::size_t size = std::string_view(c.reply).size();
    for (std::size_t cut = 0; cut < size; ++cut) {
      const Heard got = splitCalls(tokens, "", "<|start|>assistant", c.reply, {cut});
      ASSERT_EQ(shown(got.parts.calls), c.calls) << c.name << ", cut at " << cut;
      ASSERT_EQ(got.parts.answer, c.answer) << c.name;
      ASSERT_EQ(got.parts.reasoning, c.reasoning) << c.name;
    }
  }
}

// A call's place in the answer, wherever the text is cut.
TEST(ToolCalls, keepTheirPlace) {
  constexpr std::string_view reply = "a<tool_call>{\"name\":\"f\"}</tool_call>b<tool_call>{\"name\":\"g\"}</tool_call>c";
  for (std::size_t cut = 0; cut < reply.size(); ++cut)
    ASSERT_EQ(splitCalls(NamedTokens({}), "<tool_call>", "", reply, {cut}).ordered, "a[f()]\n\nb[g()]\n\nc") << cut;
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

// A model without these markers in its template or vocabulary has none.
TEST(ToolCalls, areNotLookedForWithoutReason) {
  const std::string reply = "<tool_call>{\"name\":\"f\"}</tool_call>";
  EXPECT_EQ(splitCalls(NamedTokens({}), "", "", reply, {}).parts.answer, reply);
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

TEST(ToolCalls, formatsWithTheSameOpeningHaveTheSameClosing) {
  for (const ToolCallFormat& a : toolCallFormats())
    for (const ToolCallFormat& b : toolCallFormats()) EXPECT_TRUE(a.open != b.open || a.close == b.close) << a.name << ", " << b.name;
}

TEST(ToolCalls, plainTextHasALineAnArgument) {
  EXPECT_EQ(plainText({"f", {{"a", "1"}, {"b", "\"x\""}}, "", 0}), "f\na: 1\nb: \"x\"");
  EXPECT_EQ(plainText({"python", {}, "print(1)", 0}), "python\nprint(1)");
}

}  // namespace
}  // namespace minerva::text
