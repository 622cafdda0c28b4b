// The same 32 requests one after the other and together: the same tokens, and the same probabilities of each to the last bit.
#include "tests/core/engine/engine_fixture.h"
#include "tests/support/backend_test.h"

#include <algorithm>
#include <vector>

namespace minerva::engine {
namespace {

constexpr int requestCount = 32, replyTokens = 12;

// Prompts of 3 to 65 tokens, of which some begin alike.
Request requestOf(int i) {
  Request request;
  const int length = 3 + 2 * i;
  for (int at = 0; at < length; ++at) request.tokens.push_back(5 + (at < 20 ? at * 7 : at * 11 + i * 13) % 200);
  request.tokens.back() = 10 + i;
  request.sampling.temperature = 0;
  request.maxTokens = replyTokens + i % 5;
  request.ignoreEndOfTurn = true;
  request.logprobs = 0;
  return request;
}

using TokensOfAll = std::vector<std::vector<std::pair<TokenId, float>>>;

class BatchInvariant : public tests::BackendTest {
 protected:
  // ticksBetween: one request and the next; -1: each begins when the one before has ended.
  TokensOfAll replies(int ticksBetween, int sequences) {
    LoadOptions options;
    options.path = goldenCase().model;
    options.sequences = sequences;
    options.batchInvariant = true;
    options.chunk = 48;
    auto engine = Engine::load(*m_backend, options, {}, {});
    TokensOfAll all(requestCount);
    EXPECT_TRUE(engine) << (engine ? "" : engine.error().message());
    if (!engine) return all;
    std::map<RequestId, int> indices;
    (*engine)->setSink([&](const Event& event) {
      if (const auto* failed = std::get_if<Failed>(&event.body)) ADD_FAILURE() << failed->error.message();
      const auto* token = std::get_if<TokenEvent>(&event.body);
      if (token != nullptr) all[static_cast<std::size_t>(indices.at(event.request))].emplace_back(token->token, token->logprobs->chosen);
    });
    for (int i = 0; i < requestCount; ++i) {
      indices[(*engine)->submit(requestOf(i))] = i;
      for (int tick = 0; ticksBetween < 0 || tick < ticksBetween; ++tick)
        if (!(*engine)->step()) break;
    }
    while ((*engine)->step()) {
    }
    return all;
  }
};

TEST_P(BatchInvariant, TheSameRequestsAloneAndTogether) {
  const TokensOfAll alone = replies(-1, 1);
  for (const int ticksBetween : {0, 1}) EXPECT_EQ(replies(ticksBetween, requestCount), alone) << ticksBetween;
}

INSTANTIATE_TEST_SUITE_P(Devices, BatchInvariant, testing::ValuesIn(tests::backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BatchInvariant);

}  // namespace
}  // namespace minerva::engine
