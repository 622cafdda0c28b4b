// Constrained replies of whole engines: a model of random weights, and the built-in one.
#include "core/engine/reply.h"

#include "core/grammar/gbnf.h"
#include "core/grammar/json_schema.h"
#include "gpu/available.h"
#include "tests/core/engine/random_schemas.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace minerva::engine {
namespace {

using GrammarPointer = std::shared_ptr<const grammar::Grammar>;

class Constraint : public ::testing::Test {
 protected:
  void load(const std::filesystem::path& path, int sequences = 1, int queue = 64) {
    auto backend = createBackend("cpu", {.threads = 2});
    ASSERT_TRUE(backend);
    m_backend = std::move(*backend);
    LoadOptions options;
    options.path = path;
    options.sequences = sequences;
    options.queue = queue;
    auto loaded = Engine::load(*m_backend, options, {}, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    m_engine = std::move(*loaded);
  }
  void loadRandom(int sequences = 1, int queue = 64) {
    load(tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden").front().model, sequences, queue);
  }
  void loadBuiltIn() { load(std::filesystem::path(MINERVA_SOURCE_DIR) / "resources/builtin-model"); }

  Result<Reply> run(Request request) {
    ReplyRun reply(*m_engine, std::move(request));
    while (reply.step()) {
    }
    return reply.take();
  }
  static GrammarPointer gbnf(const char* text) {
    auto made = grammar::parseGbnf(text);
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : nullptr;
  }
  static Request chat(const char* text, float temperature, std::uint64_t seed) {
    Request request;
    request.chat.messages.push_back({{"role", "user"}, {"content", text}});
    request.sampling = {.temperature = temperature, .topK = 0, .topP = 1, .minP = 0, .seed = seed};
    request.maxTokens = 120;
    return request;
  }

  std::unique_ptr<backend::Backend> m_backend;
  std::unique_ptr<Engine> m_engine;
};

// 500 random schemas at temperature 1: whatever random weights want, a reply that has ended is JSON that fulfils its schema.
TEST_F(Constraint, RepliesFulfilRandomSchemas) {
  constexpr int count = 500;
  loadRandom(8, count);
  RandomSchemas schemas(2026);
  std::map<RequestId, Json> asked;
  std::map<RequestId, std::string> texts;
  int finished = 0, failed = 0, cut = 0;
  m_engine->setSink([&](const Event& event) {
    std::string& text = texts[event.request];
    if (const auto* token = std::get_if<TokenEvent>(&event.body)) text += token->text;
    if (const auto* failure = std::get_if<Failed>(&event.body)) {
      ++failed;
      ADD_FAILURE() << asked[event.request] << "\n" << text << "\n" << failure->error.message();
    }
    const auto* end = std::get_if<Finished>(&event.body);
    if (end == nullptr) return;
    text += end->tail;
    if (end->reason != FinishReason::endOfTurn) {
      ++cut;
      return;
    }
    ++finished;
    const Json value = Json::parse(text, nullptr, false);
    ASSERT_FALSE(value.is_discarded()) << asked[event.request] << "\n" << text;
    EXPECT_TRUE(SchemaCheck(asked[event.request]).fulfils(value)) << asked[event.request] << "\n" << text;
  });
  for (int made = 0; made < count;) {
    const Json schema = schemas.next();
    const auto grammar = grammar::jsonSchemaGrammar(schema, "schema");
    if (!grammar &&
        (grammar.error().kind == ErrorKind::unsupported || grammar.error().message().find("No finite text") != std::string::npos))
      continue;
    ASSERT_TRUE(grammar) << schema << grammar.error().message();
    Request request;
    request.tokens = {1 + made % 300, 5};
    request.sampling = {.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = static_cast<std::uint64_t>(made + 1)};
    request.maxTokens = 400;
    request.constraint = *grammar;
    asked[m_engine->submit(std::move(request))] = schema;
    ++made;
  }
  while (m_engine->step()) {
  }
  m_engine->setSink({});
  EXPECT_EQ(finished + cut, count);
  EXPECT_GT(finished, count * 9 / 10);
}

TEST_F(Constraint, ThatAdmitsEverythingChangesNothing) {
  loadBuiltIn();
  const GrammarPointer everything = gbnf("root ::= .*");
  for (const auto& [temperature, seed] : {std::pair(0.0F, 1), std::pair(0.7F, 2), std::pair(1.0F, 3), std::pair(1.0F, 4)}) {
    Request free = chat("Tell me something about the sea.", temperature, static_cast<std::uint64_t>(seed));
    Request bound = free;
    bound.constraint = everything;
    const auto freely = run(std::move(free)), boundly = run(std::move(bound));
    ASSERT_TRUE(freely && boundly);
    EXPECT_EQ(freely->text, boundly->text);
    EXPECT_EQ(freely->tokens, boundly->tokens);
    EXPECT_GT(freely->tokens.size(), 5U);
  }
}

TEST_F(Constraint, HoldsAtTemperatureZeroAndWithPenalties) {
  loadBuiltIn();
  const auto schema = grammar::jsonSchemaGrammar(
      Json::parse(
          R"({"type":"object","properties":{"color":{"enum":["red","blue"]},"n":{"type":"integer","minimum":3,"maximum":5}},"required":["color","n"]})"),
      "schema");
  ASSERT_TRUE(schema);
  for (const float penalty : {1.0F, 50.0F}) {
    Request request = chat("What is your favourite colour?", 0, 1);
    request.sampling.repeatPenalty = penalty;
    request.sampling.presencePenalty = penalty > 1 ? 2 : 0;
    request.constraint = *schema;
    const auto reply = run(std::move(request));
    ASSERT_TRUE(reply) << reply.error().message();
    const Json value = Json::parse(reply->text, nullptr, false);
    ASSERT_TRUE(value.is_object()) << reply->text;
    EXPECT_TRUE(value["color"] == "red" || value["color"] == "blue");
    EXPECT_EQ(reply->reason, FinishReason::endOfTurn);
  }
}

// Nothing is sampled once only the end is possible, and the end is not possible before.
TEST_F(Constraint, EndsWhereTheGrammarEnds) {
  loadRandom();
  Request request;
  request.tokens = {1, 2};
  request.sampling.temperature = 0;
  request.ignoreEndOfTurn = true;
  request.constraint = gbnf(R"g(root ::= ("x" | "y"){7})g");
  const auto reply = run(std::move(request));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text.size(), 7U);
  EXPECT_EQ(reply->text.find_first_not_of("xy"), std::string::npos);
  EXPECT_EQ(reply->reason, FinishReason::endOfTurn);
  EXPECT_LE(reply->tokens.size(), 7U);
}

TEST_F(Constraint, ReasonableTextIsNotTakenForCalls) {
  loadBuiltIn();
  Request request = chat("Hi", 0, 1);
  request.constraint = gbnf(R"(root ::= "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>")");
  const auto reply = run(std::move(request));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text, R"(<tool_call>{"name": "f", "arguments": {}}</tool_call>)");
  EXPECT_TRUE(reply->calls.empty());
}

TEST_F(Constraint, LogprobsAreTheModelsOwn) {
  loadRandom();
  Request request;
  request.tokens = {1, 2, 3};
  request.sampling.temperature = 0;
  request.maxTokens = 1;
  request.logprobs = 3;
  request.constraint = gbnf(R"(root ::= "x" "y"*)");
  std::optional<TokenEvent> heard;
  m_engine->setSink([&](const Event& event) {
    if (const auto* token = std::get_if<TokenEvent>(&event.body)) heard = *token;
  });
  m_engine->submit(request);
  while (m_engine->step()) {
  }
  m_engine->setSink({});
  ASSERT_TRUE(heard && heard->logprobs);
  const std::vector<float> logits = *m_engine->evaluate(request.tokens, false);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  const auto logprob = [&](TokenId id) { return static_cast<double>(logits[static_cast<std::size_t>(id)]) - std::log(sum); };
  EXPECT_NEAR(heard->logprobs->chosen, logprob(heard->token), 1e-3);
  ASSERT_EQ(heard->logprobs->top.size(), 3U);
  EXPECT_EQ(heard->logprobs->top[0].token, std::ranges::max_element(logits) - logits.begin());
  for (const TokenLogprob& one : heard->logprobs->top) EXPECT_NEAR(one.logprob, logprob(one.token), 1e-3);
  EXPECT_GE(heard->logprobs->top[0].logprob, heard->logprobs->top[1].logprob);
}

}  // namespace
}  // namespace minerva::engine
