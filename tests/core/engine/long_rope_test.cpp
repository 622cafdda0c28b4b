// LongRoPE rotates all keys with one set of factors up to the model's original context length, and with another set beyond
// it. A sequence that crosses this length is recomputed from its first token. The expected results come from evaluating the
// same tokens as a whole.
#include "core/backend/reference/reference_backend.h"
#include "core/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::engine {
namespace {

constexpr int firstContext = 32;  // the model's original_max_position_embeddings

class LongRope : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path model = std::filesystem::path(MINERVA_TEST_DATA) / "golden/models/tiny-phi3/hf";
    auto loaded = Engine::load(*m_backend, {.path = model, .chunk = 7}, {}, {});
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    m_engine = std::move(*loaded);
    m_engine->setSink([this](const Event& event) {
      if (const auto* started = std::get_if<Started>(&event.body)) m_reused = started->reusedTokens;
      if (const auto* token = std::get_if<TokenEvent>(&event.body)) m_tokens.push_back(token->token);
      if (const auto* failed = std::get_if<Failed>(&event.body)) ADD_FAILURE() << failed->error.message();
    });
  }

  std::vector<TokenId> reply(const std::vector<TokenId>& prompt, int count, std::uint64_t conversation = 0) {
    Request request;
    request.tokens = prompt;
    request.sampling.temperature = 0;
    request.maxTokens = count;
    request.ignoreEndOfTurn = true;
    request.conversation = conversation;
    m_tokens.clear();
    m_engine->submit(std::move(request));
    while (m_engine->step()) {
    }
    return m_tokens;
  }

  // Generates each token by evaluating all tokens before it from scratch.
  std::vector<TokenId> replyFromScratch(std::vector<TokenId> tokens, int count) {
    const auto length = static_cast<std::ptrdiff_t>(tokens.size());
    for (int i = 0; i < count; ++i) {
      const auto logits = m_engine->evaluate(tokens, false);
      if (!logits) throw std::runtime_error(logits.error().message());
      tokens.push_back(static_cast<TokenId>(std::ranges::max_element(*logits) - logits->begin()));
    }
    return {tokens.begin() + length, tokens.end()};
  }

  static std::vector<TokenId> prompt(int seed, int length) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < length; ++i) tokens.push_back(3 + (seed * 31 + i * (seed + 7)) % 90);
    return tokens;
  }

  std::unique_ptr<backend::Backend> m_backend = backend::reference::createReferenceBackend();
  std::unique_ptr<Engine> m_engine;
  std::vector<TokenId> m_tokens;
  int m_reused = -1;
};

TEST_F(LongRope, AReplyThatOutgrowsTheFirstContextIsComputedAgain) {
  for (int seed = 0; seed < 12; ++seed) {
    const std::vector<TokenId> tokens = prompt(seed, firstContext - 2 - seed);
    const int count = 12 + 2 * seed;  // crosses the original context length
    EXPECT_EQ(reply(tokens, count), replyFromScratch(tokens, count)) << "prompt " << seed;
  }
}

TEST_F(LongRope, KeysOfOneSideAreNoUseToTheOther) {
  const std::vector<TokenId> shorter = prompt(1, firstContext - 8), longer = prompt(1, firstContext + 8);
  ASSERT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  const std::vector<TokenId> shortReply = replyFromScratch(shorter, 4), longReply = replyFromScratch(longer, 4);
  EXPECT_EQ(reply(shorter, 4, 1), shortReply);
  EXPECT_EQ(reply(longer, 4, 1), longReply);
  EXPECT_EQ(m_reused, 0) << "they were turned for a short sequence";
  EXPECT_EQ(reply(longer, 4, 1), longReply);
  EXPECT_EQ(m_reused, static_cast<int>(longer.size()) - 1);
  EXPECT_EQ(reply(shorter, 4, 1), shortReply);
  EXPECT_EQ(m_reused, 0) << "they were turned for a long sequence";
}

// A sequence that crossed the length during the reply counts as long in the next turn.
TEST_F(LongRope, ATurnAfterTheCrossingReusesWhatWasComputedAgain) {
  std::vector<TokenId> tokens = prompt(2, firstContext - 4);
  const std::vector<TokenId> first = reply(tokens, 10, 5);
  tokens.insert(tokens.end(), first.begin(), first.end());
  tokens.push_back(11);
  const std::vector<TokenId> second = reply(tokens, 5, 5);
  EXPECT_EQ(m_reused, static_cast<int>(tokens.size()) - 2) << "all but the last sampled token and the new one";
  EXPECT_EQ(second, replyFromScratch(tokens, 5));
}

}  // namespace
}  // namespace minerva::engine
