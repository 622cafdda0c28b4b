// Values in calls that are written as Python's, and what is none of them.
#include "call_cases.h"

namespace minerva::text {
namespace {

struct PythonValue {
  const char *written, *json;
};

std::string callWith(std::string_view value) { return "<|tool_call_start|>[f(a=" + std::string(value) + ")]<|tool_call_end|>"; }

std::vector<ToolCall> callsOf(std::string_view value, bool cutEverywhere) {
  const std::string reply = callWith(value);
  std::vector<std::size_t> cuts(cutEverywhere ? reply.size() : 0);
  for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = i;
  return splitCalls(NamedTokens({}), "<|tool_call_start|>", "", reply, cuts).parts.calls;
}

// json.dumps(ast.literal_eval(written)) of Python 3.11; bytes are decoded, sets are lists.
// clang-format off
constexpr PythonValue literals[] = {
    {R"~("""a"b""")~", R"~("a\"b")~"},
    {R"~('''it's''')~", R"~("it's")~"},
    {R"~(""""a""")~", R"~("\"a")~"},
    {R"~("""a
b""")~", R"~("a\nb")~"},
    {R"~("""\"""\\""")~", R"~("\"\"\"\\")~"},
    {R"~("a" "b")~", R"~("ab")~"},
    {R"~('a' "b" """c""")~", R"~("abc")~"},
    {R"~(("a"
 "b"))~", R"~("ab")~"},
    {R"~(r"\n\d")~", R"~("\\n\\d")~"},
    {R"~(R'a\'b')~", R"~("a\\'b")~"},
    {R"~(u"é")~", R"~("é")~"},
    {R"~(b"ab\x41\101")~", R"~("abAA")~"},
    {R"~(rb"\n")~", R"~("\\n")~"},
    {R"~("\101\60\0")~", R"~("A0\u0000")~"},
    {R"~("\x41\u00e9\U0001F600")~", R"~("Aé😀")~"},
    {R"~("\ud83d\ude00")~", R"~("😀")~"},
    {R"~("\q\d")~", R"~("\\q\\d")~"},
    {R"~("a\
b")~", R"~("ab")~"},
    {R"~("\\\"\'\a\b\f\v\t\r\n")~", R"~("\\\"'\u0007\b\f\u000b\t\r\n")~"},
    {R"~("[(,)]=#")~", R"~("[(,)]=#")~"},
    {R"~(+1)~", R"~(1)~"},
    {R"~(-1)~", R"~(-1)~"},
    {R"~(- 5)~", R"~(-5)~"},
    {R"~(+.5)~", R"~(0.5)~"},
    {R"~(.5)~", R"~(0.5)~"},
    {R"~(5.)~", R"~(5.0)~"},
    {R"~(-5.e3)~", R"~(-5000.0)~"},
    {R"~(0x10)~", R"~(16)~"},
    {R"~(-0XfF)~", R"~(-255)~"},
    {R"~(0o17)~", R"~(15)~"},
    {R"~(0b101)~", R"~(5)~"},
    {R"~(1_000)~", R"~(1000)~"},
    {R"~(1_0.2_5)~", R"~(10.25)~"},
    {R"~(0_0)~", R"~(0)~"},
    {R"~(00)~", R"~(0)~"},
    {R"~(-0)~", R"~(0)~"},
    {R"~(-0.0)~", R"~(-0.0)~"},
    {R"~(1E5)~", R"~(100000.0)~"},
    {R"~(())~", R"~([])~"},
    {R"~((1))~", R"~(1)~"},
    {R"~(((1)))~", R"~(1)~"},
    {R"~((1,))~", R"~([1])~"},
    {R"~((1, "a",))~", R"~([1, "a"])~"},
    {R"~([])~", R"~([])~"},
    {R"~([1, 2,])~", R"~([1, 2])~"},
    {R"~({})~", R"~({})~"},
    {R"~({'a': 1,})~", R"~({"a": 1})~"},
    {R"~({1: 'a', -2: 'b'})~", R"~({"1": "a", "-2": "b"})~"},
    {R"~({1.5: 0, 1e5: 1, 1e16: 2})~", R"~({"1.5": 0, "100000.0": 1, "1e+16": 2})~"},
    {R"~({True: 1, None: 2})~", R"~({"true": 1, "null": 2})~"},
    {R"~({'a': {'b': (None, True, False)}})~", R"~({"a": {"b": [null, true, false]}})~"},
    {R"~([None, True, [False, {}]])~", R"~([null, true, [false, {}]])~"},
    {R"~(set())~", R"~([])~"},
};
// What Python refuses, but models mean: zeros before other digits, JSON's words, a line break in a string, and quotes of the same kind
// within quotes.
constexpr PythonValue meant[] = {
    {"07", "7"},
    {"[true, null]", "[true, null]"},
    {"'a\nb'", R"("a\nb")"},
    {"'sed -n '1,5p' a.c'", R"("sed -n '1,5p' a.c")"},
    {"\"say \"no\" now\"", R"("say \"no\" now")"},
    {R"(["it's", 'it's'])", R"(["it's", "it's"])"},
};
// Not even with what may be meant.
constexpr std::string_view none[] = {"1e999", "1j", ".", "1__0", "1_", "0x", "+-1", "--1", "b", "nan", "1 + 1", "f(1)", "{(1,): 2}", "{'a' 1}", "'a", "\"\"\"a\"", "[1", "(1", "'\\x4'", "f'{a}'"};
// clang-format on

TEST(PythonCalls, valuesAreThoseOfPython) {
  for (const auto& table : {std::span<const PythonValue>(literals), std::span<const PythonValue>(meant)}) {
    for (const auto& [written, json] : table) {
      for (const bool cut : {false, true}) {
        const std::vector<ToolCall> calls = callsOf(written, cut);
        ASSERT_EQ(calls.size(), 1u) << written;
        ASSERT_EQ(calls[0].arguments.size(), 1u) << written;
        const std::string& got = calls[0].arguments[0].json;
        EXPECT_EQ(nlohmann::json::parse(got, nullptr, false), nlohmann::json::parse(json)) << written << " became " << got;
      }
    }
  }
  EXPECT_EQ(callsOf("123456789012345678901234567890", false).at(0).arguments.at(0).json, "123456789012345678901234567890");
  EXPECT_EQ(callsOf("{1, 'a'}", false).at(0).arguments.at(0).json, "[1,\"a\"]");
  EXPECT_EQ(callsOf("'\\ud83d'", false).at(0).arguments.at(0).json, "\"\xEF\xBF\xBD\"");
}

TEST(PythonCalls, whatIsNoLiteralIsText) {
  for (const std::string_view written : none) {
    const Heard got = splitCalls(NamedTokens({}), "<|tool_call_start|>", "", callWith(written), {});
    EXPECT_EQ(shown(got.parts.calls), "") << written;
    EXPECT_EQ(got.parts.answer, callWith(written));
  }
}

// Neither brackets nor the closing marker in strings of three quotes end a call.
TEST(PythonCalls, stringsOfThreeQuotes) {
  constexpr CallCase marked[] = {{"marked",
                                  "<|tool_call_start|>[f(a=\"\"\"it's \"x\" <|tool_call_end|>)]\"\"\", b='''\"\n''')]<|tool_call_end|>So.",
                                  R"(f(a="it's \"x\" <|tool_call_end|>)]", b="\"\n"))", "So."}};
  checkCalls(NamedTokens({}), "<|tool_call_start|>", marked);
  constexpr CallCase bare[] = {{"bare", "[f(a=\"\"\"it's \"x\")]\"\"\", b=1), g()]", R"(f(a="it's \"x\")]", b=1); g())"}};
  checkCalls(NamedTokens({}), "[func_name1(params_name1=params_value1)]", bare);
}

}  // namespace
}  // namespace minerva::text
