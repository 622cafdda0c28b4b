// Formats of replies, probabilities of tokens and biases, asked of a running server with the built-in model.
#include "core/serve/logprobs_json.h"
#include "tests/core/serve/caller.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace minerva::serve {
namespace {

class StructuredTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(2, {})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static Answer ask(const char* path, const Json& body) { return post(*m_running, path, body.dump()); }
  static Json chat(Json more, int tokens = 150) {
    Json body = chatOf("Tell me about a red house.");
    body["max_tokens"] = tokens;
    body.update(more);
    return body;
  }
  static std::string contentOf(const Answer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    const Json json = answer.json();
    return json.contains("choices") ? json["choices"][0]["message"]["content"].get<std::string>() : std::string();
  }
  // JSON Schema counts characters, which of UTF-8 are the bytes that do not continue one.
  static long characters(const std::string& text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  }
  static void isPerson(const std::string& text) {
    const Json value = Json::parse(text, nullptr, false);
    ASSERT_TRUE(value.is_object()) << text;
    ASSERT_EQ(value.size(), 2U) << text;
    EXPECT_TRUE(value["name"].is_string() && characters(value["name"]) <= 12) << text;
    EXPECT_TRUE(value["age"].is_number_integer() && value["age"] >= 0 && value["age"] <= 120) << text;
  }

  static std::unique_ptr<Running> m_running;
  static const Json schema;
};
std::unique_ptr<Running> StructuredTest::m_running;
const Json StructuredTest::schema = Json::parse(R"({"type":"object","properties":{"name":{"type":"string","maxLength":12},
  "age":{"type":"integer","minimum":0,"maximum":120}},"required":["name","age"],"additionalProperties":false})");

TEST_F(StructuredTest, SchemasInEveryFormThatClientsSend) {
  const Json openAi{{"type", "json_schema"}, {"json_schema", {{"name", "person"}, {"strict", true}, {"schema", schema}}}};
  for (const Json& more : {Json{{"response_format", openAi}}, Json{{"response_format", {{"type", "json_schema"}, {"schema", schema}}}},
                           Json{{"response_format", {{"type", "json_object"}, {"schema", schema}}}}, Json{{"json_schema", schema}},
                           Json{{"guided_json", schema.dump()}}}) {
    for (const double temperature : {0.0, 1.0}) {
      Json body = chat(more);
      body["temperature"] = temperature;
      const Answer answer = ask("/v1/chat/completions", body);
      isPerson(contentOf(answer));
      EXPECT_EQ(answer.json()["choices"][0]["finish_reason"], "stop");
    }
  }
}

TEST_F(StructuredTest, OnlyStrictSchemasAreFollowedExactlyOrRefused) {
  Json person = schema;
  person["properties"]["age"]["not"] = {{"const", 7}};
  const auto format = [&](const Json& strict) {
    Json named{{"name", "person"}, {"schema", person}};
    if (!strict.is_null()) named["strict"] = strict;
    return chat({{"response_format", {{"type", "json_schema"}, {"json_schema", named}}}});
  };
  for (const Json& strict : {Json(), Json(false)}) isPerson(contentOf(ask("/v1/chat/completions", format(strict))));
  for (const auto& [strict, where] : {std::pair(Json(true), "response_format.json_schema.schema.properties.age.not"),
                                      std::pair(Json("yes"), "response_format.json_schema.strict")}) {
    const Answer answer = ask("/v1/chat/completions", format(strict));
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_NE(answer.body.find(where), std::string::npos) << answer.body;
  }
}

// They have no switch by which a client could ask for all or nothing.
TEST_F(StructuredTest, OfSchemasInOtherFieldsWhatCannotBeExpressedIsLeftOut) {
  Json person = schema;
  person["properties"]["age"]["not"] = {{"const", 7}};
  for (const Json& more : {Json{{"json_schema", person}}, Json{{"guided_json", person}}, Json{{"guided_json", person.dump()}},
                           Json{{"response_format", {{"type", "json_object"}, {"schema", person}}}}})
    isPerson(contentOf(ask("/v1/chat/completions", chat(more))));
  const Json body{{"prompt", "Hi"}, {"stream", false}, {"format", person}, {"options", {{"num_predict", 150}}}};
  const Answer answer = ask("/api/generate", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  isPerson(answer.json()["response"].get<std::string>());
}

TEST_F(StructuredTest, AnyObjectAndAnyGrammar) {
  const std::string text = contentOf(ask("/v1/chat/completions", chat({{"response_format", {{"type", "json_object"}}}}, 20)));
  EXPECT_EQ(text.substr(0, 1), "{") << text;
  EXPECT_EQ(contentOf(ask("/v1/chat/completions", chat({{"grammar", R"(root ::= "yes" | "no")"}}))).substr(0, 1).find_first_of("yn"), 0U);
  const Answer completion =
      ask("/v1/completions", {{"prompt", "Once"}, {"max_tokens", 9}, {"temperature", 0}, {"grammar", "root ::= [0-9]{4}"}});
  ASSERT_EQ(completion.status, 200) << completion.body;
  const auto digits = completion.json()["choices"][0]["text"].get<std::string>();
  EXPECT_EQ(digits.size(), 4U);
  EXPECT_EQ(digits.find_first_not_of("0123456789"), std::string::npos) << digits;
  // Text is no format.
  EXPECT_EQ(contentOf(ask("/v1/chat/completions", chat({{"response_format", {{"type", "text"}}}}, 10))),
            contentOf(ask("/v1/chat/completions", chat(Json::object(), 10))));
}

TEST_F(StructuredTest, AStreamIsTheSameText) {
  const Json more{{"json_schema", schema}, {"logprobs", true}};
  Json streamed = chat(more);
  streamed["stream"] = true;
  std::string text;
  std::size_t tokens = 0;
  const Answer answer = ask("/v1/chat/completions", streamed);
  for (const std::string& event : eventsOf(answer.body)) {
    const Json json = Json::parse(event, nullptr, false);
    if (!json.is_object() || json["choices"].empty()) continue;
    text += json["choices"][0]["delta"].value("content", "");
    if (json["choices"][0]["logprobs"].is_object()) tokens += json["choices"][0]["logprobs"]["content"].size();
  }
  const Answer whole = ask("/v1/chat/completions", chat(more));
  EXPECT_EQ(text, contentOf(whole));
  EXPECT_EQ(tokens, whole.json()["choices"][0]["logprobs"]["content"].size());
}

TEST_F(StructuredTest, OllamasFormat) {
  Json body{{"messages", Json::array({{{"role", "user"}, {"content", "Hi"}}})},
            {"stream", false},
            {"format", schema},
            {"options", {{"num_predict", 150}}}};
  const Answer answer = ask("/api/chat", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  isPerson(answer.json()["message"]["content"].get<std::string>());
  const Answer generated =
      ask("/api/generate", {{"prompt", "Hi"}, {"stream", false}, {"format", "json"}, {"options", {{"num_predict", 12}}}});
  ASSERT_EQ(generated.status, 200) << generated.body;
  EXPECT_EQ(generated.json()["response"].get<std::string>().substr(0, 1), "{");
}

TEST_F(StructuredTest, LogprobsOfChats) {
  const Answer answer = ask("/v1/chat/completions", chat({{"logprobs", true}, {"top_logprobs", 3}}, 8));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json choice = answer.json()["choices"][0];
  std::string joined;
  for (const Json& token : choice["logprobs"]["content"]) {
    for (const Json& byte : token["bytes"]) joined += static_cast<char>(byte.get<int>());
    ASSERT_EQ(token["top_logprobs"].size(), 3U);
    EXPECT_LE(token["logprob"], 0);
    // At temperature 0 the likeliest is chosen.
    EXPECT_EQ(token["top_logprobs"][0]["token"], token["token"]);
    EXPECT_EQ(token["top_logprobs"][0]["logprob"], token["logprob"]);
    EXPECT_GE(token["top_logprobs"][0]["logprob"], token["top_logprobs"][1]["logprob"]);
    double sum = 0;
    for (const Json& top : token["top_logprobs"]) sum += std::exp(top["logprob"].get<double>());
    EXPECT_LE(sum, 1.0001);
  }
  EXPECT_NE(joined.find(choice["message"]["content"].get<std::string>()), std::string::npos) << joined;
  EXPECT_TRUE(ask("/v1/chat/completions", chat(Json::object(), 2)).json()["choices"][0]["logprobs"].is_null());
}

TEST_F(StructuredTest, LogprobsOfCompletions) {
  const Answer answer = ask("/v1/completions", {{"prompt", "Once upon"}, {"max_tokens", 6}, {"temperature", 0}, {"logprobs", 2}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json logprobs = answer.json()["choices"][0]["logprobs"];
  ASSERT_EQ(logprobs["tokens"].size(), 6U);
  EXPECT_EQ(logprobs["token_logprobs"].size(), 6U);
  EXPECT_EQ(logprobs["top_logprobs"][0].size(), 2U);
  EXPECT_EQ(logprobs["text_offset"][1], logprobs["tokens"][0].get<std::string>().size());
}

// Parts of characters, which all would be U+FFFD.
TEST_F(StructuredTest, BytesOfCompletionsAreToldApart) {
  const text::Tokenizer& tokenizer = *m_running->engine->tokenizer();
  const auto idOf = [&](const std::string& bytes) {
    engine::TokenId id = 0;
    while (tokenizer.piece(id) != bytes) ++id;
    return id;
  };
  const engine::TokenId first = idOf("\xe2"), second = idOf("\x80"), word = idOf("Hello");
  const Json made = textLogprobs({{first, {-1, {{first, -1}, {second, -2}, {word, -3}}}, 0}}, tokenizer);
  EXPECT_EQ(made["tokens"], Json::array({"bytes:\\xe2"}));
  EXPECT_EQ(made["top_logprobs"][0], (Json{{"bytes:\\xe2", -1.0}, {"bytes:\\x80", -2.0}, {"Hello", -3.0}}));
}

TEST_F(StructuredTest, LogprobsEndWithTheTextBeforeAStopString) {
  const Json whole = ask("/v1/chat/completions", chat({{"logprobs", true}}, 30)).json()["choices"][0];
  const auto text = whole["message"]["content"].get<std::string>();
  const Json& all = whole["logprobs"]["content"];
  ASSERT_GT(all.size(), 12U);
  const std::string stop = all[10]["token"].get<std::string>() + all[11]["token"].get<std::string>();
  const Json cut = ask("/v1/chat/completions", chat({{"logprobs", true}, {"stop", stop}}, 30)).json()["choices"][0];
  const std::string before = text.substr(0, text.find(stop));
  EXPECT_EQ(cut["message"]["content"], before);
  std::string joined;
  for (const Json& token : cut["logprobs"]["content"]) {
    EXPECT_LT(joined.size(), before.size()) << "a token behind the text: " << token;
    joined += token["token"].get<std::string>();
  }
  EXPECT_EQ(joined.substr(0, before.size()), before);
}

// Text that may become a stop string comes later than its token.
TEST_F(StructuredTest, LogprobsOfAStreamHaveTheOffsetsOfTheWhole) {
  Json body{{"prompt", "Once upon"}, {"max_tokens", 12}, {"temperature", 0}, {"logprobs", 1}};
  const Json plain = ask("/v1/completions", body).json()["choices"][0]["logprobs"];
  ASSERT_GT(plain["tokens"].size(), 8U);
  for (std::size_t i = 0; i < 8; i += 2) body["stop"].push_back(plain["tokens"][i].get<std::string>() + "#!");
  body["stream"] = true;
  Json tokens = Json::array(), offsets = Json::array();
  for (const std::string& event : eventsOf(ask("/v1/completions", body).body)) {
    const Json json = Json::parse(event, nullptr, false);
    if (!json.is_object() || json["choices"].empty() || json["choices"][0]["logprobs"].is_null()) continue;
    for (const Json& one : json["choices"][0]["logprobs"]["tokens"]) tokens.push_back(one);
    for (const Json& one : json["choices"][0]["logprobs"]["text_offset"]) offsets.push_back(one);
  }
  EXPECT_EQ(tokens, plain["tokens"]);
  EXPECT_EQ(offsets, plain["text_offset"]);
}

// vLLM's fields.
TEST_F(StructuredTest, GuidesThatAreNoSchemas) {
  const auto text = [](const Json& more) { return contentOf(ask("/v1/chat/completions", chat(more))); };
  const Json choices{"yes", "no"};
  for (const Json& more : {Json{{"guided_choice", choices}}, Json{{"structured_outputs", {{"choice", choices}}}}}) {
    const std::string reply = text(more);
    EXPECT_TRUE(reply == "yes" || reply == "no") << reply;
  }
  for (const Json& more : {Json{{"guided_regex", "^[0-9]{3}-(a|b)$"}}, Json{{"guided_regex", "[0-9]{3}-(a|b)"}},
                           Json{{"structured_outputs", {{"regex", "[0-9]{3}-(a|b)"}, {"json", nullptr}}}}}) {
    const std::string reply = text(more);
    ASSERT_EQ(reply.size(), 5U) << reply;
    EXPECT_TRUE(reply.find_first_not_of("0123456789") == 3 && reply[3] == '-' && (reply[4] == 'a' || reply[4] == 'b')) << reply;
  }
  for (const Json& more :
       {Json{{"guided_grammar", R"(root ::= "ab" | "cd")"}}, Json{{"structured_outputs", {{"grammar", R"(root ::= "ab" | "cd")"}}}}}) {
    const std::string reply = text(more);
    EXPECT_TRUE(reply == "ab" || reply == "cd") << reply;
  }
  isPerson(text({{"structured_outputs", {{"json", schema}}}}));
  EXPECT_EQ(text({{"structured_outputs", {{"json_object", true}}}}).substr(0, 1), "{");
  for (const auto& [more, where] :
       {std::pair(Json{{"structured_outputs", {{"structural_tag", "{}"}}}}, "structured_outputs.structural_tag"),
        std::pair(Json{{"structured_outputs", {{"regex", "a"}, {"choice", choices}}}}, "structured_outputs.choice"),
        std::pair(Json{{"structured_outputs", "a"}}, "structured_outputs"),
        std::pair(Json{{"guided_choice", Json::array()}}, "guided_choice"), std::pair(Json{{"guided_choice", {1, 2}}}, "guided_choice"),
        std::pair(Json{{"guided_regex", "("}}, "guided_regex"), std::pair(Json{{"guided_regex", "a(?=b)c"}}, "guided_regex"),
        std::pair(Json{{"guided_regex", "a"}, {"guided_choice", choices}}, "guided_choice")}) {
    const Answer answer = ask("/v1/chat/completions", chat(more));
    EXPECT_EQ(answer.status, 400) << more << answer.body;
    EXPECT_EQ(answer.json()["error"]["param"], where) << answer.body;
  }
}

TEST_F(StructuredTest, ABiasBansAndForces) {
  const auto* const tokenizer = m_running->engine->tokenizer();
  const Json body = chat(Json::object(), 1);
  const std::string usual = contentOf(ask("/v1/chat/completions", body));
  const auto first = tokenizer->encode(usual, {false, false}).front(), other = tokenizer->encode("house", {false, false}).front();
  EXPECT_NE(contentOf(ask("/v1/chat/completions", chat({{"logit_bias", {{std::to_string(first), -100}}}}, 1))), usual);
  EXPECT_EQ(contentOf(ask("/v1/chat/completions", chat({{"logit_bias", {{std::to_string(other), 100}}}}, 1))), tokenizer->piece(other));
  EXPECT_EQ(contentOf(ask("/v1/chat/completions", chat({{"logit_bias", Json::array({Json::array({other, 100})})}}, 1))),
            tokenizer->piece(other));
  // By text, and beyond what OpenAI allows.
  EXPECT_EQ(contentOf(ask("/v1/chat/completions", chat({{"logit_bias", Json::array({Json::array({"house", 1000})})}}, 1))),
            tokenizer->piece(other));
  EXPECT_EQ(contentOf(ask("/v1/chat/completions", chat({{"logit_bias", {{"house", 100}}}}, 1))), tokenizer->piece(other));
}

}  // namespace
}  // namespace minerva::serve
