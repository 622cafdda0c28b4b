// Tokens that a model must never write, as generation_config.json lists them (Gemma 4: its markers of images and sounds).
#include "core/grammar/gbnf.h"
#include "tests/core/engine/engine_fixture.h"
#include "tests/core/format/temporary_folder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace minerva::engine {
namespace {

constexpr std::size_t lengthOfReply = 12;  // tokens of a reply

class Suppressed : public EngineTest {
 protected:
  // The model of the oracle's first case; everything that it would write first is suppressed.
  void SetUp() override {
    std::filesystem::copy(golden / "models" / "llama-gqa-bf16" / "hf", m_folder.path() / "model", std::filesystem::copy_options::recursive);
    std::string list;
    for (const TokenId id : firstGreedy(4)) {
      m_suppressed.insert(id);
      list += (list.empty() ? "" : ", ") + std::to_string(id);
    }
    m_folder.write("model/generation_config.json", R"({"suppress_tokens": [)" + list + "]}");
    load({.path = m_folder.path() / "model", .drafts = true});
  }
  // The likeliest token after these that is not suppressed, and the probability of each such token.
  TokenId likeliestAfter(const std::vector<TokenId>& tokens, std::vector<double>* logprobs = nullptr) {
    const std::vector<float> logits = *m_engine->evaluate(tokens, false);
    double sum = 0;
    TokenId best = -1;
    for (TokenId id = 0; id < static_cast<TokenId>(logits.size()); ++id) {
      if (m_suppressed.contains(id)) continue;
      sum += std::exp(static_cast<double>(logits[static_cast<std::size_t>(id)]));
      if (best < 0 || logits[static_cast<std::size_t>(id)] > logits[static_cast<std::size_t>(best)]) best = id;
    }
    for (std::size_t i = 0; logprobs != nullptr && i < logits.size(); ++i)
      logprobs->push_back(static_cast<double>(logits[i]) - std::log(sum));
    return best;
  }
  [[nodiscard]] bool anySuppressed(const std::vector<TokenId>& tokens) const {
    return std::ranges::any_of(tokens, [&](TokenId id) { return m_suppressed.contains(id); });
  }

  TemporaryFolder m_folder;
  std::set<TokenId> m_suppressed;
};

TEST_F(Suppressed, TheLikeliestOfTheOthersIsWritten) {
  std::vector<TokenId> tokens = goldenPrompts()[1].tokens;
  const Record reply = run(greedy(tokens, static_cast<int>(lengthOfReply)));
  ASSERT_EQ(reply.tokens.size(), lengthOfReply);
  for (const TokenId token : reply.tokens) {
    EXPECT_EQ(token, likeliestAfter(tokens)) << tokens.size();
    tokens.push_back(token);
  }
}

TEST_F(Suppressed, NeitherABiasNorARepetitionNorAHighTemperatureBringsThemBack) {
  Request request = greedy(goldenPrompts()[1].tokens, 200);
  for (const TokenId id : m_suppressed) {
    request.sampling.logitBias.emplace_back(id, 100.0F);
    for (int times = 0; times < 8; ++times) request.tokens.push_back(id);  // drafts find these
  }
  EXPECT_FALSE(anySuppressed(run(request).tokens));
  request.sampling = {.temperature = 2, .topK = 0, .topP = 1, .minP = 0, .presencePenalty = -2, .seed = 5};
  EXPECT_FALSE(anySuppressed(run(request).tokens));
}

TEST_F(Suppressed, TheyHaveNoProbability) {
  const std::vector<TokenId> tokens = goldenPrompts()[1].tokens;
  Request request = greedy(tokens, 1);
  request.logprobs = m_engine->info().vocabulary;  // all of them
  std::optional<Logprobs> heard;
  m_onEvent = [&](const Event& event) {
    if (const auto* token = std::get_if<TokenEvent>(&event.body)) heard = token->logprobs;
  };
  const Record reply = run(request);
  ASSERT_TRUE(heard);
  std::vector<double> expected;
  EXPECT_EQ(reply.tokens, std::vector{likeliestAfter(tokens, &expected)});
  EXPECT_NEAR(heard->chosen, expected[static_cast<std::size_t>(reply.tokens.front())], 1e-4);
  EXPECT_EQ(heard->top.size(), expected.size() - m_suppressed.size());
  for (const TokenLogprob& one : heard->top) {
    EXPECT_FALSE(m_suppressed.contains(one.token)) << one.token;
    EXPECT_NEAR(one.logprob, expected[static_cast<std::size_t>(one.token)], 1e-4) << one.token;
  }
}

TEST_F(Suppressed, AGrammarForcesThemNeither) {
  Request request = greedy(goldenPrompts()[1].tokens, 20);
  request.constraint = *grammar::parseGbnf("root ::= .*");
  EXPECT_FALSE(anySuppressed(run(request).tokens));
}

}  // namespace
}  // namespace minerva::engine
