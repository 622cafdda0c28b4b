// Calls of tools in replies: every format as its family's chat template writes it, cut at every byte, and malformed ones.
#include "call_cases.h"

namespace minerva::text {
namespace {

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
      {"the first end is forgotten", "<tool_call>\n{\"name\":\"f\"}\n<tool_call>\n{\"name\":\"g\"}\n</tool_call>x", "f(); g()", "x"},
      {"two in one", "<tool_call>\n{\"name\":\"f\"}\n{\"name\":\"g\"}\n</tool_call>", "f(); g()"},
      {"the opening marker in a string", "<tool_call>{\"name\":\"f\",\"arguments\":{\"s\":\"<tool_call>\"}}</tool_call>",
       "f(s=\"<tool_call>\")"},
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
      {"a good one after a missing quote", "<tool_call>\n{\"name\":\"f}\n</tool_call>\n<tool_call>\n{\"name\":\"g\"}\n</tool_call>", "g()",
       "<tool_call>\n{\"name\":\"f}\n</tool_call>\n"},
      {"a good one after a missing quote, in one line", "<tool_call>{\"name\":\"f}</tool_call> and <tool_call>{\"name\":\"g\"}</tool_call>",
       "g()", "<tool_call>{\"name\":\"f}</tool_call> and "},
  };
  checkCalls(NamedTokens({}), "<tool_call>", malformed);
  constexpr CallCase relatives[] = {
      {"Nemotron Nano 2", "Well.\n<TOOLCALL>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]</TOOLCALL>", "f(a=1)", "Well.\n"},
      {"Phi 4 mini", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]<|/tool_call|>", "f(a=1)"},
      {"Granite 3", "<|tool_call|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"name\": \"g\", \"arguments\": {}}]", "f(a=1); g()"},
      {"GigaChat 3", "<|function_call|>{\"name\": \"f\", \"arguments\": {\"a\": 1}}", "f(a=1)"},
      {"Functionary 3.1", "Both. <function=f>{\"a\": \"</function>\"}</function><function=g>{}</function>", "f(a=\"</function>\"); g()",
       "Both. "},
      {"Functionary's syntax without arguments", "<function=f>x</function>", "", "<function=f>x</function>"},
  };
  checkCalls(NamedTokens({"<|tool_call|>", "<|/tool_call|>", "<|function_call|>"}), "<TOOLCALL>[] <function=example_function_name>{}",
             relatives);
  checkCalls(NamedTokens({}), "<TOOLCALL>[] <|tool_call|> <|function_call|> <function=example_function_name>{}", relatives);
}

TEST(ToolCalls, jamba) {
  constexpr CallCase cases[] = {
      {"Jamba, two", "<tool_calls>[\n{\"name\": \"f\", \"arguments\": {\"a\": 1}},\n{\"name\": \"g\", \"arguments\": {}}\n]</tool_calls>",
       "f(a=1); g()"},
      {"Hunyuan",
       "<think>\nHm.\n</think>\n<answer>\nI look.\n<tool_calls>\n[{\"name\":\"f\",\"arguments\":{\"a\":\"</tool_calls>\"}}]\n</tool_calls>\n</answer>",
       "f(a=\"</tool_calls>\")", "I look.\n", "Hm."},
      {"Apriel", "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\": 1}, \"id\": \"0\"}]</tool_calls>", "f(a=1)"},
      {"malformed", "<tool_calls>[{\"name\": f}]</tool_calls>", "", "<tool_calls>[{\"name\": f}]</tool_calls>"},
  };
  constexpr std::string_view source = "</think><answer></answer><tool_calls>";
  checkCalls(NamedTokens({"<think>", "</think>", "<tool_calls>", "</tool_calls>"}), source, cases);
  checkCalls(NamedTokens({}), source, cases);
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
      {"all tags in a value",
       "<tool_call><function=f><parameter=a>\n<p></parameter>.<tool_call></parameter>.\n</tool_call>\n</parameter>\n</function></tool_call>",
       "f(a=\"<p></parameter>.<tool_call></parameter>.\\n</tool_call>\")"},
  };
  checkBoth({"<tool_call>", "</tool_call>"}, "<tool_call>", cases);
  constexpr CallCase malformed[] = {
      {"no name", "<tool_call><function=></function></tool_call>", "", "<tool_call><function=></function></tool_call>"},
      {"cut off in a value", "<tool_call>\n<function=f>\n<parameter=a>\n1", "", "<tool_call>\n<function=f>\n<parameter=a>\n1"},
      {"cut off after a value", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n", "",
       "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n"},
      {"no function", "<tool_call><func=f></tool_call>", "", "<tool_call><func=f></tool_call>"},
  };
  checkCalls(NamedTokens({}), "<tool_call>", malformed);
  constexpr CallCase unclosed[] = {
      {"before the end of the function", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</function>\n</tool_call>", "f(a=1)"},
      {"in one line", "<tool_call><function=f><parameter=a>1</function></tool_call>", "f(a=1)"},
      {"before the next", "<tool_call>\n<function=f>\n<parameter=a>\n1\n<parameter=b>\nx\n</parameter>\n</function>\n</tool_call>",
       "f(a=1, b=\"x\")"},
      {"both", "<tool_call>\n<function=f>\n<parameter=a>\n1\n<parameter=b>\nx\n\n</function>\n</tool_call>\nSo.", "f(a=1, b=\"x\\n\")",
       "So."},
      {"a good one after it",
       "<tool_call>\n<function=f>\n<parameter=a>\n1\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n<parameter=b>\n2\n</parameter>\n</function>\n"
       "</tool_call>",
       "f(a=1); g(b=2)"},
      {"another after it",
       "<tool_call><function=f><parameter=a>1</function></tool_call><tool_call><function=g><parameter=b>2</function></tool_call>",
       "f(a=1); g(b=2)"},
      {"no end of the call", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</function>", "f(a=1)"},
      {"no end of the function, two",
       "<tool_call><function=f><parameter=a>1</parameter></tool_call><tool_call><function=g><parameter=b>2</tool_call>So.",
       "f(a=1); g(b=2)", "So."},
      {"a value with tags has its end",
       "<tool_call>\n<function=f>\n<parameter=a>\n<function=g>\n<parameter=b>\n2\n</parameter>.\n</function>\n</tool_call>\n</parameter>\n</function>\n</tool_call>",
       "f(a=\"<function=g>\\n<parameter=b>\\n2\\n</parameter>.\\n</function>\\n</tool_call>\")"},
      {"a value that names a tag", "<tool_call><function=f><parameter=a>\nA <parameter=b> begins\n</parameter></function></tool_call>",
       "f(a=\"A <parameter=b> begins\")"},
  };
  checkBoth({"<tool_call>", "</tool_call>"}, "<tool_call>", unclosed);
  constexpr CallCase inner[] = {
      {"after text", "I look.\n\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>", "f(a=\"x\")", "I look.\n\n"},
      {"alone", "<function=now>\n</function>", "now()"},
      {"two and text", "<function=f>\n</function>\n<function=g>\n<parameter=a>\n1\n</function>\n</tool_call>\n\nSo </tool_call>",
       "f(); g(a=1)", "So </tool_call>"},
      {"a good one after it", "<function=f>\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n</function>\n</tool_call>", "f(); g()"},
      {"thinks first", "<think>\nHm.\n</think>\n\n<function=f>\n</function>\n</tool_call>", "f()", "", "Hm."},
      {"its end in a value", "<function=f>\n<parameter=a>\n</function>\n</parameter>\n</function>", "f(a=\"</function>\")"},
      {"in a line", "Write <function=f>\n</function>\n</tool_call>", "", "Write <function=f>\n</function>\n</tool_call>"},
      {"cut off", "<function=f>\n<parameter=a>\n1\n</parameter>\n", "", "<function=f>\n<parameter=a>\n1\n</parameter>\n"},
      {"cut off in the marker", "<function=f>\n</function>\n</tool_c", "f()", "</tool_c"},
      {"code", "<function=f>return</function>", "", "<function=f>return</function>"},
  };
  const std::string source = "<tool_call>\\n<function=f>\\n</function>\\n</tool_call>";
  checkCalls(NamedTokens({"<tool_call>", "</tool_call>", "<think>", "</think>"}), source, inner);
  checkCalls(NamedTokens({}), source, inner);
  constexpr CallCase seed[] = {
      {"one", "<seed:tool_call>\n<function=f>\n<parameter=a>x\n</parameter>\n<parameter=b>2</parameter>\n</function>\n</seed:tool_call>",
       "f(a=\"x\\n\", b=2)"}};
  checkBoth({"<seed:tool_call>", "</seed:tool_call>"}, "'<seed:tool_call>'", seed);
  constexpr CallCase miniMax[] = {
      {"two",
       "Both.\n<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">x > y</parameter>\n</invoke>\n<invoke name=\"g\">\n</invoke>\n</minimax:tool_call>",
       "f(a=\"x > y\"); g()", "Both.\n"},
      {"the closing marker in a value",
       "<minimax:tool_call><invoke name=\"f\"><parameter name=\"a\"></minimax:tool_call></parameter></invoke></minimax:tool_call>",
       "f(a=\"</minimax:tool_call>\")"}};
  checkBoth({"<minimax:tool_call>", "</minimax:tool_call>"}, "'<minimax:tool_call>'", miniMax);
  constexpr CallCase deepSeek[] = {
      {"V3.2, two",
       "Both.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜parameter>\n"
       "<｜DSML｜parameter name=\"b\" string=\"false\">[1]</｜DSML｜parameter>\n</｜DSML｜invoke>\n<｜DSML｜invoke name=\"g\">\n</｜DSML｜invoke>\n"
       "</｜DSML｜function_calls>",
       "f(a=\"1\", b=[1]); g()", "Both.\n\n"},
      {"V4",
       "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" string=\"true\"></｜DSML｜tool_calls></｜DSML｜parameter>"
       "</｜DSML｜invoke></｜DSML｜tool_calls>",
       "f(a=\"</｜DSML｜tool_calls>\")"}};
  for (const std::vector<std::string>& tokens : {std::vector<std::string>{"｜DSML｜"}, {}})
    checkCalls(NamedTokens(tokens), "{% set dsml_token = '｜DSML｜' %}", deepSeek);
}

TEST(ToolCalls, glm) {
  constexpr CallCase cases[] = {
      {"one, GLM 4.7",
       "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key><arg_value>3</arg_value></tool_call>",
       "get_weather(city=\"Paris\", days=3)"},
      {"one, GLM 4.5", "\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>{\"b\": [1]}</arg_value>\n</tool_call>", "f(a={\"b\": [1]})"},
      {"none, two calls", "<tool_call>f</tool_call><tool_call>g\n</tool_call>", "f(); g()"},
      {"the closing marker in a value", "<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call>y</arg_value></tool_call>",
       "f(a=\"x</tool_call>y\")"},
      {"all tags in a value", "<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value>.</tool_call>y</arg_value></tool_call>",
       "f(a=\"x</arg_value>.</tool_call>y\")"},
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
      {"as JSON", "<|tool_call>call:f{{\"a\": \"x }} \\\"y\\\"\", \"b\":[1,{\"c\":<|\"|>z<|\"|>}]}}<tool_call|>",
       "f(a=\"x }} \\\"y\\\"\", b=[1,{\"c\":\"z\"}])"},
      {"a colon after the marker", "<|tool_call>:call:f{a:1}<tool_call|>", "f(a=1)"},
      {"twice in brackets", "<|tool_call>call:f{{\"a\":<|\"|>x<|\"|>,b:true}}<tool_call|>", "f(a=\"x\", b=true)"},
      {"keys of no letters", "<|tool_call>call:f{:1,a:{:<|\"|>x<|\"|>,<|\"|><|\"|>:[]}}<tool_call|>", "f(=1, a={\"\":\"x\",\"\":[]})"},
      {"numbers of Python", "<|tool_call>call:f{a:108.,b:.5,c:True}<tool_call|>", "f(a=108.0, b=0.5, c=true)"},
  };
  checkBoth({"<|tool_call>", "<tool_call|>", "<|\"|>", "<|channel>", "<channel|>"}, "<|tool_call><channel|>", cases);
  constexpr CallCase malformed[] = {
      {"no value", "<|tool_call>call:f{a:}<tool_call|>b", "", "<|tool_call>call:f{a:}<tool_call|>b"},
      {"a bare word", "<|tool_call>call:f{a:b}<tool_call|>", "", "<|tool_call>call:f{a:b}<tool_call|>"},
      {"one bracket of two", "<|tool_call>call:f{{a:1}<tool_call|>", "", "<|tool_call>call:f{{a:1}<tool_call|>"},
      {"a string without its end", "<|tool_call>call:f{a:\"b}<tool_call|>", "", "<|tool_call>call:f{a:\"b}<tool_call|>"},
      {"another verb", "<|tool_call>run:f{}<tool_call|>", "", "<|tool_call>run:f{}<tool_call|>"},
  };
  checkBoth({"<|tool_call>", "<tool_call|>", "<|\"|>"}, "<|tool_call>", malformed);
}

TEST(ToolCalls, functionGemma) {
  constexpr CallCase cases[] = {
      {"one", "<start_function_call>call:get_weather{city:<escape>New York<escape>,days:3}<end_function_call>",
       "get_weather(city=\"New York\", days=3)"},
      {"nested, two",
       "<start_function_call>call:f{a:[1,<escape>x,}<escape>],b:{c:true}}<end_function_call><start_function_call>call:g{}<end_function_call>",
       "f(a=[1,\"x,}\"], b={\"c\":true}); g()"},
      {"the closing marker in a string", "<start_function_call>call:f{a:<escape><end_function_call><escape>}<end_function_call>",
       "f(a=\"<end_function_call>\")"},
      {"at the end", "<start_function_call>call:f{a:<escape><|\"|><escape>}", "f(a=\"<|\\\"|>\")"},
      {"a key of no letters", "<start_function_call>call:f{:<escape>x<escape>}<end_function_call>", "f(=\"x\")"},
  };
  checkBoth({"<start_function_call>", "<end_function_call>", "<escape>"}, "<start_function_call>", cases);
  constexpr CallCase malformed[] = {{"cut off", "<start_function_call>call:f{a:<escape>x", "", "<start_function_call>call:f{a:<escape>x"}};
  checkCalls(NamedTokens({}), "<start_function_call>", malformed, true);
}

TEST(ToolCalls, apertus) {
  constexpr CallCase cases[] = {
      {"one", "Let me see.<|tools_prefix|>[{\"get_weather\": {\"city\": \"Paris\", \"days\": 3}}]<|tools_suffix|>",
       "get_weather(city=\"Paris\", days=3)", "Let me see."},
      {"two, thinks first", "<|inner_prefix|>Hm.<|inner_suffix|><|tools_prefix|>[{\"f\": {\"a\": [1]}}, {\"g\": {}}]<|tools_suffix|>",
       "f(a=[1]); g()", "", "Hm."},
      {"the closing marker in a string", "<|tools_prefix|>[{\"f\": {\"a\": \"<|tools_suffix|>\"}}]<|tools_suffix|>",
       "f(a=\"<|tools_suffix|>\")"},
      {"at the end", "<|tools_prefix|> [{\"f\": {}}]", "f()"},
  };
  checkBoth({"<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>", "<|inner_suffix|>"}, "<|tools_prefix|><|inner_suffix|>", cases);
  constexpr CallCase malformed[] = {
      {"two names in one", "<|tools_prefix|>[{\"f\": {}, \"g\": {}}]<|tools_suffix|>", "",
       "<|tools_prefix|>[{\"f\": {}, \"g\": {}}]<|tools_suffix|>"},
      {"no object", "<|tools_prefix|>[{\"f\": 1}]<|tools_suffix|>", "", "<|tools_prefix|>[{\"f\": 1}]<|tools_suffix|>"},
      {"nothing", "<|tools_prefix|>[]<|tools_suffix|>", "", "<|tools_prefix|>[]<|tools_suffix|>"},
  };
  checkCalls(NamedTokens({}), "<|tools_prefix|>", malformed);
}

TEST(ToolCalls, pythonic) {
  constexpr CallCase cases[] = {
      {"one", "<|tool_call_start|>[get_weather(city=\"Paris\", days=3)]<|tool_call_end|>Checking.", "get_weather(city=\"Paris\", days=3)",
       "Checking."},
      {"literals",
       "<|tool_call_start|>[f(a=[1, 2.5, -3e2], b={'k': None, \"l\": (True, False)}, c='it\\'s \\u00e9\\n', d=\"\")]<|tool_call_end|>",
       "f(a=[1,2.5,-3e2], b={\"k\":null,\"l\":[true,false]}, c=\"it's é\\n\", d=\"\")"},
      {"digits in groups", "<|tool_call_start|>[f(a=1_000_000)]<|tool_call_end|>", "f(a=1000000)"},
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
      {"two", "{\"name\": \"f\", \"parameters\": {\"a\": \"}\"}}; {\"name\": \"g\", \"parameters\": {}}", "f(a=\"}\"); g()"},
      {"two lines", "{\"name\": \"f\", \"parameters\": {}}\n{\"name\": \"g\", \"parameters\": {}}\n", "f(); g()"},
      {"text after", "{\"name\": \"f\", \"parameters\": {}}\n\nThis looks; it's f.", "f()", "This looks; it's f."},
      {"the type first", "{\"type\": \"function\", \"name\": \"f\", \"parameters\": {\"a\": 1}}", "f(a=1)"},
      {"as the API has them", "{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"a\":1}}}", "f(a=1)"},
      {"the type and a list", "[{\"type\" : \"function\" ,\n\"function\" : {\"name\":\"f\",\"arguments\":{}}}, {\"name\":\"g\"}]",
       "f(); g()"},
      {"the name as the function", "{\"function\": \"f\", \"parameters\": {\"a\": 1}}", "f(a=1)"},
      {"another type", "{\"type\": \"object\", \"name\": \"f\", \"parameters\": {}}", "",
       "{\"type\": \"object\", \"name\": \"f\", \"parameters\": {}}"},
      {"the description of a tool", "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"description\": \"\", \"parameters\": {}}}",
       "", "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"description\": \"\", \"parameters\": {}}}"},
      {"a formula", "{\"function\": \"sin\", \"x\": 1}", "", "{\"function\": \"sin\", \"x\": 1}"},
      {"cut off in the type", "{\"type\": \"func", "", "{\"type\": \"func"},
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
  constexpr CallCase solar[] = {
      {"thinks first",
       "<|think|>Hm.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>a1b2<|tool_call:name|>f<|tool_call:args|>{\"a\": 1}<|tool_call:end|>"
       "<|tool_call:begin|>c3<|tool_call:name|>g<|tool_call:args|>{}<|tool_call:end|><|calls|>",
       "f(a=1); g()", "", "Hm."}};
  checkCalls(NamedTokens({"<|think|>", "<|begin|>", "<|end|>", "<|content|>", "<|tool_calls|>", "<|tool_call:begin|>", "<|tool_call:name|>",
                          "<|tool_call:args|>", "<|tool_call:end|>", "<|calls|>"}),
             "", solar);
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
      {"an answer of white space",
       "<|channel|>final<|message|>\n<|end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>", "f()"},
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

}  // namespace
}  // namespace minerva::text
