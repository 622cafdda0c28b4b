// GBNF: what each notation means, and what is refused with which words.
#include "tests/core/grammar/grammar_test.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace minerva::grammar {
namespace {

struct NotationCase {
  const char* grammar;
  std::vector<std::string> taken, refused;
};

TEST(Gbnf, EachNotationMeansWhatLlamaCppMeans) {
  const std::vector<NotationCase> cases{
      {R"(root ::= "a" "b")", {"ab"}, {"", "a", "abb", "b"}},
      {R"(root ::= "a" | "bc" | "")", {"a", "bc", ""}, {"abc", "b"}},
      {R"(root ::= [a-c]* "x"+ y?
y ::= "y" # a comment
)",
       {"x", "abcxx", "xy", "cxxy"},
       {"", "abc", "y", "xyy", "dx"}},
      {R"g(root ::= ("a" | "b" "c"){2})g", {"aa", "abc", "bca", "bcbc"}, {"a", "aaa", "ab"}},
      {R"(root ::= "a"{2,} "b"{0,2} "c"{1,3})", {"aac", "aaaabbc", "aabccc"}, {"ac", "aabbbc", "aa", "aacccc"}},
      {R"(root ::= [^"\\\n]+)",
       {"abc", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
       {"", "a\"", "\\", "a\nb", "\xC3", "\xED\xA0\x80", "\xC0\xAF"}},
      {R"(root ::= "\x41\u00e9\U0001F600\t\r\n\\\"\[\]")", {"A\xC3\xA9\xF0\x9F\x98\x80\t\r\n\\\"[]"}, {"A"}},
      {R"(root ::= [a\]\-] [x-])", {"ax", "]-", "-x"}, {"bx", "a]"}},
      {R"(root ::= .)", {"a", "\n", "\xE2\x82\xAC"}, {"", "ab", "\xE2\x82"}},
      {"root ::=\n  \"a\" |\n  \"b\"\n  | \"c\"\nother ::= \"d\"\n", {"a", "b", "c"}, {"d"}},
      {"root ::= (\n \"a\"\n \"b\" # here too\n)\n", {"ab"}, {"a"}},
      {"root ::= (\"a\"\n * \"b\"\n {2}\n)\n", {"bb", "abb"}, {"ab"}},
      // Recursion: matching brackets, and a list that calls itself at its end.
      {R"g(root ::= "(" root ")" | "")g", {"", "()", "((()))"}, {"(", "())", ")("}},
      {"root ::= item root | item\nitem ::= [0-9]+ \",\"", {"1,", "12,3,"}, {"1", ",", "1,2"}},
      {R"g(root ::= ("a"?)* "b")g", {"b", "aab"}, {"a", ""}},
      {R"(root ::= "a"{0})", {""}, {"a"}},
      {R"(root ::= "a"?? "b"*+)", {"", "a", "abb"}, {"aa"}},
      // An alternative without a finite text is none.
      {"root ::= \"a\" | \"b\" endless\nendless ::= \"c\" endless", {"a"}, {"b", "bc"}},
  };
  for (const NotationCase& one : cases) {
    const GrammarPointer grammar = gbnf(one.grammar);
    ASSERT_TRUE(grammar);
    for (const std::string& text : one.taken) EXPECT_TRUE(takes(grammar, text)) << one.grammar << "\n" << text;
    for (const std::string& text : one.refused) EXPECT_FALSE(takes(grammar, text)) << one.grammar << "\n" << text;
  }
}

// llama.cpp's own grammar of JSON (grammars/json.gbnf), in its words.
TEST(Gbnf, ReadsTheUsualGrammarOfJson) {
  const GrammarPointer json = gbnf(R"(root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws
array  ::=
  "[" ws (
            value
    ("," ws value)*
  )? "]" ws
string ::=
  "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
  )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
# Optional space: by convention, applied in this grammar after literal chars when allowed
ws ::= | " " | "\n" [ \t]{0,20}
)");
  ASSERT_TRUE(json);
  EXPECT_TRUE(takes(json, R"({"a": [1, -2.5e+1, {"b": null}], "c": "x\n\u00e9"})"));
  EXPECT_FALSE(takes(json, R"({"a": [1, 2})"));
  EXPECT_FALSE(takes(json, R"([1])"));
}

TEST(Gbnf, SaysWhatIsWrongAndWhere) {
  const std::string deep = "root ::= " + std::string(200, '(') + "\"a\"" + std::string(200, ')');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "no rule named root"},
      {"rot ::= \"a\"", "no rule named root"},
      {"root = \"a\"", "line 1, column 6"},
      {"root ::= \"a\nx", "end"},
      {"root ::= [a-", "character"},
      {"root ::= [z-a]", "range"},
      {"root ::= (\"a\"", ")"},
      {"root ::= \"a\")", "end of the rule"},
      {"root ::= \"\\q\"", "escapes"},
      {"root ::= \"\\ud800\"", "Unicode"},
      {"root ::= \"a\"{3,2}", "second number"},
      {"root ::= \"a\"{2000000000}", "number"},
      {"root ::= \"a\"{200000}", "demands too many"},
      {"root ::= (\"a\"?){0,1000}", "may be empty"},
      {"root ::= missing", "not defined"},
      {"root ::= \"a\"\nroot ::= \"b\"", "each rule once"},
      {"root ::= root \"a\" | \"b\"", "left recursion"},
      {"root ::= a\na ::= b? c\nb ::= \"b\"\nc ::= root | \"c\"", "left recursion"},
      {"root ::= (root \"x\")* \"y\"", "left recursion"},
      {"root ::= \"a\" root", "No finite text"},
      {"root ::= <[1]>", "cannot name tokens"},
      {deep, "groups in one another"},
      {"root ::= \"\xC3\"", "UTF-8"},
  };
  for (const auto& [text, words] : cases) {
    const auto made = parseGbnf(text);
    ASSERT_FALSE(made) << text;
    EXPECT_NE(made.error().message().find(words), std::string::npos) << text << "\n" << made.error().message();
  }
}

TEST(Gbnf, LargeGrammarsAreRefusedInBoundedTime) {
  const auto begun = std::chrono::steady_clock::now();
  std::string chain = "root ::= r0\n", many = "root ::= \"a\"\n", wide = "root ::= [";
  for (int i = 0; i < 1500; ++i) chain += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + " | \"a\"\n";
  chain += "r1500 ::= \"b\"\n";
  for (int i = 0; i < 30000; ++i) many += "r" + std::to_string(i) + " ::= \"a\"\n";
  for (int i = 0; i < 60000; ++i) wide += "\\u" + std::string(i % 2 == 0 ? "4e00" : "4e02");
  EXPECT_TRUE(takes(gbnf(chain), "b"));  // long, but harmless
  EXPECT_FALSE(parseGbnf(many));
  EXPECT_FALSE(parseGbnf(wide + "]"));
  EXPECT_FALSE(parseGbnf(std::string(2u << 20, ' ')));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

// Each character may have been read by any of the alternatives, and each leaves its own way back.
TEST(Gbnf, AmbiguityHasALimit) {
  const GrammarPointer grammar = gbnf("root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"a\" root \"d\" | \"x\"");
  Automaton automaton(grammar);
  Automaton::State state = automaton.start();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) state = automaton.next(state, 'a');
  EXPECT_EQ(state, Automaton::dead);
  EXPECT_TRUE(automaton.tooAmbiguous());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

}  // namespace
}  // namespace minerva::grammar
