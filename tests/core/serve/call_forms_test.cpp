// Grammars of calls in forms other than JSON. The texts are what the models' chat templates write for calls of these tools.
#include "core/serve/gemma_call.h"
#include "core/serve/tagged_call.h"

#include "tests/core/grammar/grammar_test.h"

#include <gtest/gtest.h>

namespace minerva::serve {
namespace {

using grammar::Json;
using grammar::takes;

const TaggedSyntax qwenSyntax{{"<tool_call>\n<function=", ">\n", "</function>"}, "<parameter=", ">\n", "\n</parameter>\n", "</parameter>"};
const TaggedSyntax glmSyntax{
    {"\x01<tool_call>", "", "\x01</tool_call>"}, "\x01<arg_key>", "\x01</arg_key>\x01<arg_value>", "\x01</arg_value>", "</arg_value>"};

grammar::CallableTool toolOf(const char* name, const char* schema, bool strict = false) {
  return {name, Json::parse(schema), "tool", strict ? grammar::Inexpressible::refused : grammar::Inexpressible::leftOut};
}

grammar::GrammarPointer grammarFor(const TaggedSyntax& syntax, const std::vector<grammar::CallableTool>& tools) {
  const auto made = taggedCallGrammar(syntax, tools);
  EXPECT_TRUE(made) << made.error().message();
  return made ? *made : nullptr;
}

const char* const editSchema = R"({"type":"object","properties":{"path":{"type":"string"},"text":{"type":["string","null"]},
    "line":{"type":"integer","minimum":1},"tags":{"type":"array","items":{"$ref":"#/$defs/Tag"}},"mode":{"enum":["add","all at once"]}},
    "required":["path","line"],"$defs":{"Tag":{"enum":["a","b"]}}})";

// Kimi numbers its calls after their names, Solar Open gives each an id before it.
TEST(NumberedCalls, HaveNumbersOfTheirOwn) {
  const std::vector<grammar::CallableTool> tools{toolOf("f", R"({"type":"object","properties":{},"additionalProperties":false})")};
  const auto made = grammar::toolCallGrammar({.before = "begin f:", .between = ":\x02(", .after = ")", .next = ") call\x02|"}, tools);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(takes(*made, "begin f:f:0({})"));
  EXPECT_TRUE(takes(*made, "begin f:f:3({}) call000002|f:14({}) call7|f:15({})"));
  EXPECT_FALSE(takes(*made, "begin f:f:({})"));
  EXPECT_FALSE(takes(*made, "begin f:f:x({})"));
  EXPECT_FALSE(takes(*made, "begin f:f:0({}) call|f:1({})"));
}

TEST(TaggedCalls, AreThoseOfTheTemplates) {
  const auto qwen = grammarFor(qwenSyntax, {toolOf("edit", editSchema), toolOf("now", R"({"type":"object","properties":{}})")});
  EXPECT_TRUE(takes(qwen, "<tool_call>\n<function=now>\n</function>"));
  EXPECT_TRUE(
      takes(qwen, "<tool_call>\n<function=edit>\n<parameter=path>\na.c\n</parameter>\n<parameter=line>\n7\n</parameter>\n</function>"));
  EXPECT_TRUE(takes(
      qwen,
      "<tool_call>\n<function=edit>\n<parameter=path>\n\n</parameter>\n<parameter=text>\nif (a < b)\n  </p> <</parameter\n\n</parameter>\n"
      "<parameter=line>\n12\n</parameter>\n<parameter=tags>\n[\"a\", \"b\"]\n</parameter>\n<parameter=mode>\nall at once\n</parameter>\n"
      "</function>"));
  const auto glm = grammarFor(glmSyntax, {toolOf("edit", editSchema)});
  EXPECT_TRUE(takes(glm,
                    "\x01<tool_call>edit\x01<arg_key>path\x01</arg_key>\x01<arg_value>a/é.c\x01</arg_value>\x01<arg_key>line\x01</arg_key>"
                    "\x01<arg_value>1\x01</arg_value>\x01</tool_call>"));
}

// With messages that have a header, after reasoning in one of its own.
TEST(TaggedCalls, OfMessagesNameTheToolTwice) {
  TaggedSyntax syntax{
      {" to=", "\">\n", "</atem:invoke>\n</atem:function_calls>", " to=self\x01<|message|>", "\x01<|eom|>\x01<|start|>assistant"},
      "<atem:parameter name=\"",
      "\">",
      "</atem:parameter>\n",
      "</atem:parameter>",
      "\x01<|message|><atem:function_calls>\n<atem:invoke name=\""};
  const auto muse =
      grammarFor(syntax, {toolOf("get.now", R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})"),
                          toolOf("get", R"({"type":"object","properties":{}})")});
  const auto call = [](const std::string& to, const std::string& name, const std::string& arguments) {
    return " to=" + to + "\x01<|message|><atem:function_calls>\n<atem:invoke name=\"" + name + "\">\n" + arguments +
           "</atem:invoke>\n</atem:function_calls>";
  };
  const std::string oslo = "<atem:parameter name=\"city\">Oslo</atem:parameter>\n";
  EXPECT_TRUE(takes(muse, call("get", "get", "")));
  EXPECT_TRUE(takes(muse, call("get.now", "get.now", oslo)));
  EXPECT_TRUE(takes(muse, " to=self\x01<|message|>Hm.\x01<|eom|>\x01<|start|>assistant" + call("get.now", "get.now", oslo)));
  EXPECT_FALSE(takes(muse, call("get", "get.now", oslo)));
  EXPECT_FALSE(takes(muse, call("get.now", "get.now", "")));
}

TEST(TaggedCalls, AreNoOthers) {
  const auto qwen = grammarFor(qwenSyntax, {toolOf("edit", editSchema)});
  const auto refused = [&](const char* arguments) {
    return !takes(qwen, std::string("<tool_call>\n<function=edit>\n") + arguments + "</function>");
  };
  const std::string path = "<parameter=path>\na\n</parameter>\n";
  EXPECT_FALSE(refused((path + "<parameter=line>\n7\n</parameter>\n").c_str()));
  EXPECT_TRUE(refused(path.c_str())) << "a required one is missing";
  EXPECT_TRUE(refused("<parameter=line>\n7\n</parameter>\n"));
  EXPECT_TRUE(refused((path + "<parameter=line>\n0\n</parameter>\n").c_str()));
  EXPECT_TRUE(refused((path + "<parameter=line>\nseven\n</parameter>\n").c_str()));
  EXPECT_TRUE(refused((path + "<parameter=line>\n7\n</parameter>\n<parameter=mode>\nall\n</parameter>\n").c_str()));
  EXPECT_TRUE(refused((path + "<parameter=line>\n7\n</parameter>\n<parameter=tags>\n[\"c\"]\n</parameter>\n").c_str()));
  EXPECT_TRUE(refused((path + "<parameter=other>\n7\n</parameter>\n<parameter=line>\n7\n</parameter>\n").c_str()));
  EXPECT_TRUE(refused("<parameter=path>\na</parameter>\nb\n</parameter>\n<parameter=line>\n7\n</parameter>\n")) << "the tag in a text";
  EXPECT_TRUE(refused("<parameter=path>\n<</parameter>\n</parameter>\n<parameter=line>\n7\n</parameter>\n"));
  EXPECT_TRUE(refused("<parameter=path>\n\x01<tool_call>\n</parameter>\n<parameter=line>\n7\n</parameter>\n")) << "a marker in a text";
}

TEST(TaggedCalls, OfAToolThatDeclaresNothingHaveAnyArguments) {
  const auto qwen = grammarFor(qwenSyntax, {{"f", Json(), "tool", grammar::Inexpressible::leftOut}});
  EXPECT_TRUE(takes(qwen, "<tool_call>\n<function=f>\n</function>"));
  EXPECT_TRUE(takes(qwen, "<tool_call>\n<function=f>\n<parameter=a_1>\nx\n</parameter>\n<parameter=b>\n[1]\n</parameter>\n</function>"));
}

TEST(TaggedCalls, WhatTagsCannotExpress) {
  const auto fits = [](const char* schema, bool strict = false) { return fitsTags(toolOf("f", schema, strict)); };
  EXPECT_TRUE(fits(editSchema));
  EXPECT_TRUE(fits(R"({"type":"object","properties":{"a":{"type":"string","pattern":"x"}}})"));
  EXPECT_FALSE(fits(R"({"type":"object","properties":{"a":{"type":"string","pattern":"x"}}})", true));
  EXPECT_TRUE(fits(R"({"type":"object","properties":{"a":{"type":"integer","minimum":1}}})", true));
  EXPECT_FALSE(fits(R"({"anyOf":[{"type":"object"}]})"));
  EXPECT_FALSE(fits(R"({"type":"object","properties":{"a>b":{}}})"));
  EXPECT_FALSE(fits(R"({"type":"object","properties":{"a":{}},"required":["b"]})"));
  EXPECT_FALSE(fits(R"({"type":"object","properties":{"a":{"items":{"$ref":"#/properties/b"}},"b":{}}})"));
}

const GemmaSyntax gemmaSyntax{{"\x01<|tool_call>call:", "{", "}"}, "\x01<|\"|>", "<|\"|>"};

grammar::GrammarPointer gemmaFor(const grammar::CallableTool& tool) {
  const auto made = gemmaCallGrammar(gemmaSyntax, {tool});
  EXPECT_TRUE(made) << made.error().message();
  return made ? *made : nullptr;
}

// With Q for the marker around strings.
bool takesGemma(const grammar::GrammarPointer& grammar, std::string call) {
  for (std::size_t at = call.find('Q'); at != std::string::npos; at = call.find('Q', at + 1)) call.replace(at, 1, gemmaSyntax.quote);
  return takes(grammar, "\x01<|tool_call>call:" + call);
}

TEST(GemmaCalls, AreThoseOfTheTemplate) {
  const auto edit = gemmaFor(toolOf("edit", editSchema));
  EXPECT_TRUE(takesGemma(edit, "edit{line:7,path:Qa.c, {x}Q}"));
  EXPECT_TRUE(takesGemma(edit, "edit{line:7,mode:Qall at onceQ,path:QQ,tags:[QaQ,QbQ],text:null}"));
  EXPECT_TRUE(takesGemma(edit, "edit{line:7,path:Q<|\"x\n<Q,tags:[],text:QxQ}"));
  EXPECT_FALSE(takesGemma(edit, "edit{path:QaQ,line:7}")) << "the template sorts names";
  EXPECT_FALSE(takesGemma(edit, "edit{line:7}")) << "a required one is missing";
  EXPECT_FALSE(takesGemma(edit, "edit{line:0,path:QaQ}"));
  EXPECT_FALSE(takesGemma(edit, "edit{line:7,mode:QallQ,path:QaQ}"));
  EXPECT_FALSE(takesGemma(edit, "edit{line:7,path:a}"));
  EXPECT_FALSE(takesGemma(edit, "edit{line:7,,path:QaQ}"));
  EXPECT_FALSE(takesGemma(edit, "edit{line:7,path:Q<|\"|>Q}")) << "the marker spelled in a text";
}

TEST(GemmaCalls, OptionalArgumentsAndNestedOnes) {
  const auto all = gemmaFor(toolOf("f", R"({"type":"object","properties":{"a":{"type":"integer"},"B":{"type":"boolean"},
      "c":{"type":"object","properties":{"y":{"type":"string"},"x":{"type":"number"}},"required":["x"]}}})"));
  for (const char* arguments :
       {"", "a:1", "B:true", "c:{x:1.5}", "a:1,B:false", "a:1,c:{x:1,y:QhiQ}", "B:true,c:{x:-2}", "a:1,B:true,c:{x:0}"})
    EXPECT_TRUE(takesGemma(all, std::string("f{") + arguments + "}")) << arguments;
  for (const char* arguments : {",", "a:1,", ",a:1", "B:true,a:1", "c:{}", "c:{y:QhiQ}", "d:1"})
    EXPECT_FALSE(takesGemma(all, std::string("f{") + arguments + "}")) << arguments;
  const auto free = gemmaFor({"f", Json(), "tool", grammar::Inexpressible::leftOut});
  for (const char* arguments : {"", "a:QxQ", "a:[1,{b:null,c:[QxQ]}],d:{}"})
    EXPECT_TRUE(takesGemma(free, std::string("f{") + arguments + "}")) << arguments;
}

TEST(GemmaCalls, WhatTheNotationCannotExpress) {
  const auto fits = [](const std::string& property, const char* more = "") {
    return fitsGemma(toolOf("f", (R"({"type":"object","properties":{"a":)" + property + "}" + more + "}").c_str(), true));
  };
  for (const char* property :
       {"{}", R"({"type":"string","description":"A text."})", R"({"type":"integer","minimum":1})", R"({"enum":["a",1,null]})",
        R"({"type":"string","enum":["a","b"]})", R"({"type":["string","null"]})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})",
        R"({"type":"array","items":{"type":"object","properties":{"b":{"const":1}},"required":["b"],"additionalProperties":false}})"})
    EXPECT_TRUE(fits(property)) << property;
  for (const char* property :
       {"false", R"({"type":"string","maxLength":3})", R"({"type":"string","format":"date"})", R"({"type":"integer","enum":[1]})",
        R"({"$ref":"#/$defs/A"})", R"({"oneOf":[{"type":"string"}]})", R"({"minimum":1})", R"({"type":"array","minItems":1})",
        R"({"type":"object","additionalProperties":false})", R"({"type":"object","properties":{"b c":{}}})"})
    EXPECT_FALSE(fits(property)) << property;
  EXPECT_TRUE(fits("{}", R"(,"required":["a"],"additionalProperties":false)"));
  EXPECT_FALSE(fits("{}", R"(,"required":["b"])"));
  EXPECT_FALSE(fits("{}", R"(,"minProperties":1)"));
  EXPECT_TRUE(fitsGemma({"f", Json(), "tool", grammar::Inexpressible::refused}));
}

}  // namespace
}  // namespace minerva::serve
