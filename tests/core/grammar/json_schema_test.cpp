// JSON schemas as grammars. The truth about schemas.json is python-jsonschema's (tests/data/grammar/check.py).
#include "core/grammar/json_schema.h"

#include "tests/core/grammar/grammar_test.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace minerva::grammar {
namespace {

Json schemaCases() {
  std::ifstream in(std::filesystem::path(MINERVA_TEST_DATA) / "grammar" / "schemas.json");
  return Json::parse(in);
}

TEST(JsonSchema, TakesAndRefusesTheTextsOfTheData) {
  int texts = 0;
  const Json cases = schemaCases();
  for (const Json& one : cases["schemas"]) {
    const auto grammar = jsonSchemaGrammar(one["schema"], "schema");
    ASSERT_TRUE(grammar) << one["schema"] << "\n" << grammar.error().message();
    for (const char* list : {"valid", "invalid", "narrower"}) {
      for (const Json& text : one.value(list, Json::array())) {
        EXPECT_EQ(takes(*grammar, text.get<std::string>()), std::string(list) == "valid") << one["schema"] << "\n" << text;
        ++texts;
      }
    }
  }
  EXPECT_GT(texts, 300);
}

TEST(JsonSchema, WhatCannotBeExpressedIsRefusedByItsPath) {
  const Json cases = schemaCases();
  ASSERT_GT(cases["refused"].size(), 50U);
  for (const Json& one : cases["refused"]) {
    const auto grammar = jsonSchemaGrammar(one["schema"], "schema");
    ASSERT_FALSE(grammar) << one["schema"];
    EXPECT_NE(grammar.error().message().find(one["names"].get<std::string>()), std::string::npos) << one["schema"] << "\n"
                                                                                                  << grammar.error().message();
  }
}

TEST(JsonSchema, MembersComeInTheOrderOfTheSchema) {
  const Json schema = Json::parse(R"({"type":"object","properties":{"z":{"type":"null"},"a":{"type":"null"}},"required":["a","z"]})");
  const auto grammar = jsonSchemaGrammar(schema, "schema");
  ASSERT_TRUE(grammar);
  EXPECT_TRUE(takes(*grammar, R"({"z":null,"a":null})"));
  EXPECT_TRUE(takes(*grammar, "{\n  \"z\": null,\n  \"a\": null\n}"));
  EXPECT_FALSE(takes(*grammar, R"({"a":null,"z":null})"));
}

TEST(JsonSchema, WhiteSpaceIsBounded) {
  const auto grammar = jsonSchemaGrammar(true, "schema");
  ASSERT_TRUE(grammar);
  EXPECT_TRUE(takes(*grammar, "[\n" + std::string(20, ' ') + "1, {\"a\": 2}\n]"));
  for (const char* space : {"[\n\n1]", "[  1]", "[1 ,2]", " [1]", "[1]\n"}) EXPECT_FALSE(takes(*grammar, space)) << space;
  EXPECT_FALSE(takes(*grammar, "[\n" + std::string(21, ' ') + "1]"));
}

// Names beside declared ones can be none of these, however they are written: the last of equal names counts.
TEST(JsonSchema, AdditionalMembersAreNoneOfTheDeclared) {
  const auto grammar = jsonSchemaGrammar(
      Json::parse(
          R"({"type":"object","properties":{"ab":{"type":"integer"},"a":{"type":"integer"}},"additionalProperties":{"type":"string"}})"),
      "schema");
  ASSERT_TRUE(grammar);
  for (const char* text : {R"({"ab":1,"a":2,"b":"x"})", R"({"abc":"x"})", R"({"":"x"})", R"({"b":"x","c":"y"})", R"({"ab":1})", R"({})"})
    EXPECT_TRUE(takes(*grammar, text)) << text;
  for (const char* text : {R"({"ab":1,"a":"x"})", R"({"ab":1,"ab":"x"})", R"({"b":"x","a":1})", R"({"\u0061":"x"})", R"({"b":1})"})
    EXPECT_FALSE(takes(*grammar, text)) << text;
}

// In older drafts items is a list.
TEST(JsonSchema, ItemsOfOnePartBindThoseThatAnotherLists) {
  const Json schema = Json::parse(R"({"allOf":[{"type":"array","items":[{"type":"integer"}],"additionalItems":{"type":"boolean"}},
                                               {"items":[{"minimum":3},{}]},{"items":true}]})");
  const auto grammar = jsonSchemaGrammar(schema, "schema");
  ASSERT_TRUE(grammar) << grammar.error().message();
  EXPECT_TRUE(takes(*grammar, "[3, true]"));
  EXPECT_TRUE(takes(*grammar, "[3, true, false]"));
  for (const char* text : {"[2]", "[true]", "[3, 3]", "[3, true, 3]"}) EXPECT_FALSE(takes(*grammar, text)) << text;
}

TEST(JsonSchema, SchemasThatExplodeAreRefusedInBoundedTime) {
  Json doubling{{"$defs", Json::object()}}, all{{"$defs", Json::object()}};
  for (int i = 0; i < 40; ++i) {
    const Json next{{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
    doubling["$defs"]["d" + std::to_string(i)] = {{"type", "array"}, {"prefixItems", Json::array({next, next})}};
    Json left = next, right = next;
    left["minItems"] = 1;
    right["minItems"] = 2;
    all["$defs"]["d" + std::to_string(i)] = {{"allOf", Json::array({left, right})}};
  }
  doubling["$defs"]["d40"] = {{"type", "null"}};
  all["$defs"]["d40"] = {{"type", "array"}};
  doubling["$ref"] = "#/$defs/d0";
  all["$ref"] = "#/$defs/d0";
  Json deep{{"type", "string"}};
  for (int i = 0; i < 300; ++i) deep = {{"type", "array"}, {"items", deep}};
  Json wide{{"enum", Json::array()}};
  for (int i = 0; i < 120'000; ++i) wide["enum"].push_back(i);
  Json one{{"type", "object"}, {"oneOf", Json::array()}};
  for (int i = 0; i < 2000; ++i) one["oneOf"].push_back({{"properties", {{"k", {{"const", i}}}}}, {"required", Json::array({"k"})}});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(jsonSchemaGrammar(doubling, "schema"));  // each reference is one rule
  Json abyss = Json::parse(std::string(100'000, '[') + std::string(100'000, ']'));
  for (const Json* schema : {&all, &deep, &wide, &one, &abyss}) {
    const auto made = jsonSchemaGrammar(*schema, "schema");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::limit) << made.error().message();
  }
  for (const char* text : {R"({"type":"array","items":{},"minItems":1000000000})", R"({"type":"string","minLength":1e300})",
                           R"({"type":"string","pattern":"^((a{99999}){99999}){99999}$","maxLength":9})"})
    EXPECT_FALSE(jsonSchemaGrammar(Json::parse(text), "schema")) << text;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

}  // namespace
}  // namespace minerva::grammar
