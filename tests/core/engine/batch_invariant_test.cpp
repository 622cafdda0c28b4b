// The same 32 requests one after the other and together: the same tokens, and the same probabilities of each to the last bit. The second
// message of a conversation, whether its state is still there or gave way to another.
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
  void load(int sequences) {
    LoadOptions options;
    options.path = goldenCase().model;
    options.sequences = sequences;
    options.batchInvariant = true;
    options.chunk = 48;
    auto engine = Engine::load(*m_backend, options, {}, {});
    ASSERT_TRUE(engine) << engine.error().message();
    m_engine = std::move(*engine);
    m_indices.clear();
    m_all.assign(requestCount, {});
    m_engine->setSink([this](const Event& event) {
      if (const auto* failed = std::get_if<Failed>(&event.body)) ADD_FAILURE() << failed->error.message();
      const auto* token = std::get_if<TokenEvent>(&event.body);
      if (token != nullptr) m_all[m_indices.at(event.request)].emplace_back(token->token, token->logprobs->chosen);
    });
  }
  void submit(std::size_t index, const Request& request) { m_indices[m_engine->submit(request)] = index; }
  void finish() {
    while (m_engine->step()) {
    }
  }
  // ticksBetween: one request and the next; -1: each begins when the one before has ended.
  TokensOfAll replies(int ticksBetween, int sequences) {
    load(sequences);
    for (int i = 0; i < requestCount; ++i) {
      submit(static_cast<std::size_t>(i), requestOf(i));
      for (int tick = 0; ticksBetween < 0 || tick < ticksBetween; ++tick)
        if (!m_engine->step()) break;
    }
    finish();
    return m_all;
  }

  std::unique_ptr<Engine> m_engine;
  std::map<RequestId, std::size_t> m_indices;
  TokensOfAll m_all;
};

TEST_P(BatchInvariant, TheSameRequestsAloneAndTogether) {
  const TokensOfAll alone = replies(-1, 1);
  for (const int ticksBetween : {0, 1}) EXPECT_EQ(replies(ticksBetween, requestCount), alone) << ticksBetween;
}

TEST_P(BatchInvariant, ASecondMessageWhetherTheStateIsKeptOrNot) {
  TokensOfAll found[2];
  for (const bool kept : {false, true}) {
    ASSERT_NO_FATAL_FAILURE(load(1));
    Request first = requestOf(20);
    first.conversation = 7;
    submit(0, first);
    finish();
    Request next = first;
    for (const auto& [token, logprob] : m_all[0]) next.tokens.push_back(token);
    next.tokens.insert(next.tokens.end(), {31, 47, 12});
    if (!kept) submit(1, requestOf(3));  // takes the only slot
    finish();
    submit(2, next);
    finish();
    found[kept ? 1 : 0] = {m_all[0], m_all[2]};
    EXPECT_GT(m_all[2].size(), 5U);
  }
  EXPECT_EQ(found[0], found[1]);
}

INSTANTIATE_TEST_SUITE_P(Devices, BatchInvariant, testing::ValuesIn(tests::backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BatchInvariant);

}  // namespace
}  // namespace minerva::engine
