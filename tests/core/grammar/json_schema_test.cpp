// JSON schemas as grammars. The truth about schemas.json is python-jsonschema's (tests/data/grammar/make.py), about ajv.json ajv's
// (tests/data/grammar/make_ajv.mjs).
#include "core/grammar/json_schema.h"

#include "core/grammar/tool_call.h"

#include "tests/core/grammar/grammar_test.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace minerva::grammar {
namespace {

Json schemaCases(const char* file = "schemas.json") {
  std::ifstream in(std::filesystem::path(MINERVA_TEST_DATA) / "grammar" / file);
  return Json::parse(in);
}

TEST(JsonSchema, TakesAndRefusesTheTextsOfTheData) {
  int texts = 0;
  for (const char* file : {"schemas.json", "ajv.json"}) {
    const Json cases = schemaCases(file);
    for (const Json& one : cases["schemas"]) {
      const auto grammar = jsonSchemaGrammar(one["schema"], "schema");
      EXPECT_TRUE(grammar) << one["schema"] << "\n" << grammar.error().message();
      for (const char* list : {"valid", "invalid", "narrower"}) {
        for (const Json& text : grammar ? one.value(list, Json::array()) : Json::array()) {
          EXPECT_EQ(takes(*grammar, text.get<std::string>()), std::string(list) == "valid") << one["schema"] << "\n" << text;
          ++texts;
        }
      }
    }
  }
  EXPECT_GT(texts, 900);
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

Result<GrammarPointer> argumentsOf(const Json& schema, Inexpressible inexpressible) {
  return toolCallGrammar({.before = "", .between = " ", .after = ""}, {{"f", schema, "schema", inexpressible}});
}

TEST(JsonSchema, WhatCannotBeExpressedIsLeftOutWhereThatIsWanted) {
  struct Given {
    const char *schema, *name;  // of the property, and the keyword that is refused otherwise
    std::vector<const char*> taken, refused;
  };
  for (const auto& [schema, name, taken, refused] : {
           Given{R"({"type":"array","items":{"type":"integer"},"uniqueItems":true})", "uniqueItems", {"[1,1]"}, {"[true]", "{}"}},
           Given{R"({"type":"string","format":"regex"})", "format", {R"("a b")"}, {"1"}},
           Given{R"({"type":"number","exclusiveMinimum":0.1234567890123456,"maximum":2})",
                 "exclusiveMinimum",
                 {"0.05", "2"},
                 {"2.5", "true"}},
           Given{R"({"type":"integer","minimum":0.1,"multipleOf":100003})", "multipleOf", {"1", "5"}, {"0", "0.5"}},
           Given{R"j({"type":"string","pattern":"^(?<=a)"})j", "pattern", {R"("b")"}, {"1"}},
           Given{R"({"type":"string","pattern":"^\\ba"})", "pattern", {R"("b")"}, {"1"}},
           Given{R"({"type":"string","pattern":"["})", "pattern", {R"("b")"}, {"1"}},
           Given{R"({"enum":["a","b"],"format":"date"})", "format", {R"("a")", R"("b")"}, {R"("c")"}},
           Given{R"j({"type":"object","propertyNames":{"pattern":"^(?<=a)"}})j", "propertyNames.pattern", {R"({"b":1})"}, {"1"}},
           Given{
               R"j({"type":"object","properties":{"a":{"type":"null"}},"patternProperties":{"^(?<=b)":{}},"additionalProperties":false})j",
               "patternProperties",
               {R"({"a":null,"b":1})"},
               {R"({"a":1})"}},
           Given{R"({"type":"object","patternProperties":{"(":{}}})", "patternProperties", {R"({"b":1})"}, {"1"}},
           Given{R"({"type":"integer","ui:widget":"slider"})", "ui:widget", {"1"}, {"1.5"}},
           Given{R"({"oneOf":[{"type":"integer"},{"type":"number"},{"const":"x"}]})", "oneOf", {"1", "1.5", R"("x")"}, {R"("y")"}},
           Given{R"j({"allOf":[{"type":"string","pattern":"^a"},{"pattern":"(?<=b)"},{"not":{"const":"ab"}}]})j",
                 "allOf[1].pattern",
                 {R"("ab")", R"("ac")"},
                 {R"("b")", "1"}},
           Given{R"({"$ref":"https://example.com/x.json"})", "$ref", {"1", R"("x")"}, {"x"}},
       }) {
    const Json whole{{"type", "object"}, {"properties", {{"p", Json::parse(schema)}}}, {"required", {"p"}}};
    const auto lenient = argumentsOf(whole, Inexpressible::leftOut), strict = argumentsOf(whole, Inexpressible::refused);
    ASSERT_TRUE(lenient) << schema << "\n" << lenient.error().message();
    for (const char* value : taken) EXPECT_TRUE(takes(*lenient, "f {\"p\":" + std::string(value) + "}")) << schema << value;
    for (const char* value : refused) EXPECT_FALSE(takes(*lenient, "f {\"p\":" + std::string(value) + "}")) << schema << value;
    ASSERT_FALSE(strict) << schema;
    EXPECT_EQ(strict.error().where, std::string("schema.properties.p.") + name) << schema;
  }
}

// As they come from programs in Go, from Gemini's interface and from servers of tools: exactly, they are errors.
TEST(JsonSchema, WhatIsMalformedIsLeftOutWhereThatIsWanted) {
  struct Given {
    const char* schema;
    std::vector<const char*> taken, refused;
  };
  for (const auto& [schema, taken, refused] : {
           Given{R"({"type":"object","properties":{"a":{"type":"integer"}},"required":null})", {R"({"a":1})", "{}"}, {"1"}},
           Given{R"({"type":"string","enum":null})", {R"("x")"}, {"1"}},
           Given{R"({"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["a"]})", {R"({"a":"x"})"}, {"{}", R"({"a":1})"}},
           Given{R"({"type":"any"})", {"1", R"("x")", "{}"}, {"x"}},
           Given{R"({"type":"string","enum":[]})", {R"("x")"}, {"1"}},
           Given{R"({"$ref":"#/components/schemas/X"})", {"1", "{}"}, {"x"}},
           Given{R"({"type":"object","properties":{"a":{"type":"null"}},"required":["a","b"],"additionalProperties":false})",
                 {R"({"a":null})"},
                 {"{}", R"({"a":null,"b":1})"}},
           Given{R"({"type":"array","minItems":3,"maxItems":2})", {"[]", "[1,2]"}, {"[1,2,3]", "1"}},
           Given{R"({"type":"integer","minimum":5,"maximum":4})", {"1", R"("x")"}, {"x"}},
           Given{R"({"type":"string","const":null})", {"null", "1"}, {"x"}},
           Given{R"({"minLength":-1,"type":"string"})", {R"("")"}, {"1"}},
           Given{R"({"items":3,"type":"array"})", {"[1]"}, {"1"}},
       }) {
    const Json whole{{"type", "object"}, {"properties", {{"p", Json::parse(schema)}}}, {"required", {"p"}}};
    const auto lenient = jsonSchemaGrammar(whole, "schema", Inexpressible::leftOut);
    ASSERT_TRUE(lenient) << schema << "\n" << lenient.error().message();
    for (const char* value : taken) EXPECT_TRUE(takes(*lenient, "{\"p\":" + std::string(value) + "}")) << schema << value;
    for (const char* value : refused) EXPECT_FALSE(takes(*lenient, "{\"p\":" + std::string(value) + "}")) << schema << value;
    EXPECT_FALSE(jsonSchemaGrammar(whole, "schema")) << schema;
  }
  // One tool of no use keeps no other from being called.
  const auto tools = toolCallGrammar({.before = "", .between = " ", .after = ""},
                                     {{"f", Json("no schema"), "f", Inexpressible::leftOut}, {"g", Json(), "g", Inexpressible::leftOut}});
  ASSERT_TRUE(tools) << tools.error().message();
  EXPECT_TRUE(takes(*tools, R"(f {"a":1})"));
}

TEST(JsonSchema, APropertyThatNothingFulfilsIsNamed) {
  for (const char* schema : {R"({"type":"string","const":null})", R"({"type":"integer","minimum":5,"maximum":4})", "false"}) {
    const Json whole{{"type", "object"}, {"properties", {{"a", {{"type", "null"}}}, {"k", Json::parse(schema)}}}, {"required", {"a", "k"}}};
    const auto made = jsonSchemaGrammar(whole, "s");
    ASSERT_FALSE(made) << schema;
    EXPECT_EQ(made.error().where, "s.properties.k") << made.error().message();
    const Json outer{{"type", "object"}, {"properties", {{"o", whole}}}, {"required", {"o"}}};
    const auto nested = jsonSchemaGrammar(outer, "s");
    ASSERT_FALSE(nested) << schema;
    EXPECT_EQ(nested.error().where, "s.properties.o.properties.k");
    // Another alternative is one.
    EXPECT_TRUE(jsonSchemaGrammar(Json{{"anyOf", Json::array({whole, Json{{"type", "null"}}})}}, "s")) << schema;
  }
}

TEST(JsonSchema, PatternsOfPythonAndOfUnicode) {
  for (const auto& [pattern, taken, refused] : {
           std::tuple("^\\p{L}+$", std::vector{"K\u00F6ln", "\u6771\u4EAC"}, std::vector{"a1", " ", ""}),
           std::tuple("^[\\p{Lu}\\d]{2}$", std::vector{"A1", "\u00C4\u0416"}, std::vector{"a1", "A"}),
           std::tuple("^\\P{L}$", std::vector{"1", "-"}, std::vector{"a", "\u00F6"}),
           std::tuple("^\\p{Letter}\\p{gc=Nd}$", std::vector{"a1"}, std::vector{"1a"}),
           std::tuple("(?i)^abc[x-z]$", std::vector{"AbCX", "abcz"}, std::vector{"abca", "ab"}),
           std::tuple("(?i)^[^a]$", std::vector{"b", "B"}, std::vector{"a", "A"}),
           std::tuple("^a(?i:b)c$", std::vector{"abc", "aBc"}, std::vector{"Abc", "abC"}),
           std::tuple("(?i)^\u00E4$", std::vector{"\u00C4", "\u00E4"}, std::vector{"a"}),
           std::tuple("^(?P<year>\\d{4})$", std::vector{"2024"}, std::vector{"24"}),
       }) {
    const auto made = jsonSchemaGrammar(Json{{"type", "string"}, {"pattern", pattern}}, "s");
    ASSERT_TRUE(made) << pattern << "\n" << made.error().message();
    for (const char* text : taken) EXPECT_TRUE(takes(*made, Json(text).dump())) << pattern << " " << text;
    for (const char* text : refused) EXPECT_FALSE(takes(*made, Json(text).dump())) << pattern << " " << text;
  }
  EXPECT_FALSE(jsonSchemaGrammar(Json{{"type", "string"}, {"pattern", "\\p{Script=Han}"}}, "s"));
}

// JSON schema has formats as annotations: one of somebody's own asks for nothing.
TEST(JsonSchema, UnknownFormatsAreNames) {
  for (const char* format : {"phone", "json-string", "ipv4network", "cuid"}) {
    const auto made = jsonSchemaGrammar(Json{{"type", "string"}, {"format", format}, {"maxLength", 3}}, "s");
    ASSERT_TRUE(made) << format;
    EXPECT_TRUE(takes(*made, R"("a b")"));
    EXPECT_FALSE(takes(*made, R"("abcd")"));
  }
}

// What can be expressed is the same grammar for both.
TEST(JsonSchema, LeavingOutChangesNothingElse) {
  const Json cases = schemaCases();
  for (const Json& one : cases["schemas"]) {
    const Json whole{{"type", "object"}, {"properties", {{"p", one["schema"]}}}, {"required", {"p"}}};
    const auto lenient = argumentsOf(whole, Inexpressible::leftOut), strict = argumentsOf(whole, Inexpressible::refused);
    ASSERT_TRUE(lenient) << one["schema"];
    if (!strict) continue;  // a reference to what the schema had as a whole
    for (const char* list : {"valid", "invalid", "narrower"})
      for (const Json& text : lenient ? one.value(list, Json::array()) : Json::array()) {
        const std::string call = "f {\"p\":" + text.get<std::string>() + "}";
        EXPECT_EQ(takes(*lenient, call), takes(*strict, call)) << one["schema"] << "\n" << text;
      }
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

TEST(JsonSchema, NumbersWithOneBoundAreNotBoundedOnTheOtherSide) {
  const auto fromZero = jsonSchemaGrammar(Json::parse(R"({"type":"number","minimum":0})"), "schema");
  const auto below = jsonSchemaGrammar(Json::parse(R"({"type":"number","exclusiveMaximum":-3})"), "schema");
  ASSERT_TRUE(fromZero && below);
  for (const char* text : {"0", "5000000000", "5000000000.25", "123456789012345"}) EXPECT_TRUE(takes(*fromZero, text)) << text;
  for (const char* text : {"-1", "-5000000000", "05"}) EXPECT_FALSE(takes(*fromZero, text)) << text;
  for (const char* text : {"-3.00001", "-5000000000"}) EXPECT_TRUE(takes(*below, text)) << text;
  for (const char* text : {"-3", "-3.0", "0", "5000000000"}) EXPECT_FALSE(takes(*below, text)) << text;
}

TEST(JsonSchema, IntegersWithABoundGoAsFarAs64Bits) {
  const auto fromZero = jsonSchemaGrammar(Json::parse(R"({"type":"integer","minimum":0})"), "schema");
  const auto most = jsonSchemaGrammar(Json::parse(R"({"type":"integer","maximum":9007199254740990})"), "schema");
  ASSERT_TRUE(fromZero && most);
  for (const char* text : {"0", "1234567890123456", "9007199254740992", "9223372036854775807"}) EXPECT_TRUE(takes(*fromZero, text)) << text;
  for (const char* text : {"-1", "9223372036854775808"}) EXPECT_FALSE(takes(*fromZero, text)) << text;
  for (const char* text : {"9007199254740990", "-9223372036854775807"}) EXPECT_TRUE(takes(*most, text)) << text;
  for (const char* text : {"9007199254740991", "-9223372036854775809"}) EXPECT_FALSE(takes(*most, text)) << text;
}

TEST(JsonSchema, FormatsOfPydanticAndOpenApiAreKnown) {
  const auto fulfils = [](const char* schema, const char* text) {
    const auto grammar = jsonSchemaGrammar(Json::parse(schema), "schema");
    EXPECT_TRUE(grammar) << schema;
    return grammar && takes(*grammar, text);
  };
  const char* uuid = R"({"type":"string","format":"uuid4"})";
  EXPECT_TRUE(fulfils(uuid, R"("123e4567-e89b-42d3-a456-426614174000")"));
  EXPECT_FALSE(fulfils(uuid, R"("123e4567-e89b-12d3-a456-426614174000")"));
  EXPECT_FALSE(fulfils(uuid, R"("123e4567-e89b-42d3-c456-426614174000")"));
  EXPECT_TRUE(fulfils(R"({"type":"string","format":"ipvanyaddress"})", R"("127.0.0.1")"));
  EXPECT_FALSE(fulfils(R"({"type":"string","format":"ipvanyaddress"})", R"("127.0.0")"));
  for (const char* schema :
       {R"({"type":"string","format":"binary","maxLength":3})", R"({"type":"string","format":"password","maxLength":3})",
        R"({"type":"string","format":"path","maxLength":3})", R"({"type":"string","contentSchema":{},"maxLength":3})"}) {
    EXPECT_TRUE(fulfils(schema, R"("a b")"));
    EXPECT_FALSE(fulfils(schema, R"("a bc")"));
  }
}

TEST(JsonSchema, SpacesOfPatternsAreThoseOfUnicode) {
  const auto space = jsonSchemaGrammar(Json::parse(R"({"type":"string","pattern":"^\\s$"})"), "schema");
  const auto other = jsonSchemaGrammar(Json::parse(R"({"type":"string","pattern":"^\\S$"})"), "schema");
  ASSERT_TRUE(space && other);
  for (const char* text : {"\"\u1680\"", "\"\u2000\"", "\"\u200A\"", "\"\u202F\"", "\"\u205F\"", "\"\u3000\""}) {
    EXPECT_TRUE(takes(*space, text)) << text;
    EXPECT_FALSE(takes(*other, text)) << text;
  }
  EXPECT_TRUE(takes(*other, "\"\u200B\""));  // of no width, and no space
}

TEST(JsonSchema, ReferencesArePercentDecoded) {
  const auto grammar = jsonSchemaGrammar(
      Json::parse(R"({"$ref":"#/definitions/Wrap%3Cstring%3e","definitions":{"Wrap<string>":{"type":"integer"}}})"), "schema");
  ASSERT_TRUE(grammar) << grammar.error().message();
  EXPECT_TRUE(takes(*grammar, "1"));
  EXPECT_FALSE(takes(*grammar, "\"a\""));
}

TEST(JsonSchema, ArraysInArraysGrowOnlyWithTheirDepth) {
  Json schema{{"type", "integer"}};
  for (int i = 0; i < 60; ++i) schema = {{"type", "array"}, {"items", schema}};
  const auto grammar = jsonSchemaGrammar(schema, "schema");
  ASSERT_TRUE(grammar) << grammar.error().message();
  EXPECT_TRUE(takes(*grammar, std::string(60, '[') + "1,2" + std::string(60, ']')));
  EXPECT_FALSE(takes(*grammar, std::string(59, '[') + "1,2" + std::string(59, ']')));
}

TEST(JsonSchema, ManyOptionalPropertiesCanBeFollowed) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  for (int i = 0; i < 1000; ++i) schema["properties"]["property" + std::to_string(i)] = {{"type", "integer"}};
  const auto grammar = jsonSchemaGrammar(schema, "schema");
  ASSERT_TRUE(grammar);
  EXPECT_TRUE(takes(*grammar, R"({"property0": 1, "property7": 2, "property999": 3})"));
  EXPECT_FALSE(takes(*grammar, R"({"property7": 1, "property0": 2})"));
  EXPECT_FALSE(takes(*grammar, R"({"property7": 1, })"));
  for (int i = 1000; i < 2100; ++i) schema["properties"]["property" + std::to_string(i)] = {{"type", "integer"}};
  const auto tooMany = jsonSchemaGrammar(schema, "schema");
  ASSERT_FALSE(tooMany);
  EXPECT_EQ(tooMany.error().kind, ErrorKind::limit);
  EXPECT_EQ(tooMany.error().where, "schema.properties");
  schema["required"] = {"property500", "property1500"};
  EXPECT_TRUE(jsonSchemaGrammar(schema, "schema"));
}

TEST(JsonSchema, ReferencesWithinDocumentsInTheSchemaAreRefused) {
  const char* text = R"({"properties":{"p":{"$id":"http://b/i.json","properties":{"q":{"$ref":"#/definitions/x"}},
    "definitions":{"x":{"type":"integer"}}}},"definitions":{"x":{"type":"string"}}})";
  const auto made = jsonSchemaGrammar(Json::parse(text), "schema");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::unsupported);
  EXPECT_NE(made.error().message().find("$id"), std::string::npos) << made.error().message();
  // In draft 4 it is an id; in later ones that is no keyword.
  Json older = Json::parse(R"({"properties":{"p":{"id":"http://b/i.json","$ref":"#/$defs/x"}},"$defs":{"x":{"type":"integer"}}})");
  EXPECT_TRUE(jsonSchemaGrammar(older, "schema"));
  older["$schema"] = "http://json-schema.org/draft-04/schema#";
  EXPECT_FALSE(jsonSchemaGrammar(older, "schema"));
  // A whole schema with an $id, and a property of that name, are no such documents.
  EXPECT_TRUE(
      jsonSchemaGrammar(Json::parse(R"({"$id":"http://a/r.json","properties":{"$id":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}})"), "schema"));
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

// Alternatives with a tag are compared by it, all at once.
TEST(JsonSchema, ManyTaggedAlternativesOfOneOf) {
  Json schema{{"oneOf", Json::array()}};
  for (int i = 0; i < 1000; ++i) {
    schema["oneOf"].push_back(
        {{"type", "object"}, {"properties", {{"kind", {{"const", "k" + std::to_string(i)}}}, {"v", {{"const", i}}}}}});
  }
  const auto grammar = jsonSchemaGrammar(schema, "schema");
  ASSERT_TRUE(grammar) << grammar.error().message();
  EXPECT_TRUE(takes(*grammar, R"({"kind":"k999","v":999})"));
  EXPECT_TRUE(takes(*grammar, R"({"kind":"k0"})"));
  for (const char* text : {R"({"kind":"k1","v":2})", R"({"v":7})", "{}"}) EXPECT_FALSE(takes(*grammar, text)) << text;
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
  Json one{{"type", "object"}, {"oneOf", Json::array()}};  // each is compared with each
  for (int i = 0; i < 2000; ++i) {
    const Json tagged{{"type", "object"}, {"properties", {{"t", {{"const", i}}}}}, {"required", Json::array({"t"})}};
    one["oneOf"].push_back({{"properties", {{"k", tagged}}}, {"required", Json::array({"k"})}});
  }
  Json ahead{{"type", "object"}, {"properties", Json::object()}};  // an automaton knows where each a and b was
  for (int i = 0; i < 500; ++i)
    ahead["properties"]["p" + std::to_string(i)] = {{"type", "string"},
                                                    {"pattern", "^(?=.*a.{" + std::to_string(20 + i) + "}$)(?=.*b.{20}$)c"}};
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(jsonSchemaGrammar(doubling, "schema"));  // each reference is one rule
  Json abyss = Json::parse(std::string(100'000, '[') + std::string(100'000, ']'));
  for (const Json* schema : {&all, &deep, &wide, &one, &ahead, &abyss}) {
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
