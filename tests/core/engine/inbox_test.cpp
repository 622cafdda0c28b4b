// Requests on their way to the scheduler: how many may be queued, and the errors for those beyond the limit.
#include "core/backend/reference/reference_backend.h"
#include "core/engine/engine.h"
#include "core/engine/inbox.h"
#include "core/engine/prompt.h"
#include "core/engine/unusable_logits.h"
#include "tests/support/no_threads.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <map>
#include <stdexcept>

namespace minerva::engine {
namespace {

const std::filesystem::path inboxModels = std::filesystem::path(MINERVA_TEST_DATA) / "golden";

class InboxTest : public testing::Test {
 protected:
  void load(LoadOptions options) {
    options.path = tests::oracleCases(inboxModels).front().model;
    auto loaded = Engine::load(*m_backend, options, {}, {});
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    m_engine = std::move(*loaded);
    m_engine->setSink([this](const Event& event) {
      if (const auto* failed = std::get_if<Failed>(&event.body)) m_failed.emplace(event.request, failed->error);
      if (std::holds_alternative<Finished>(event.body)) ++m_finished;
    });
  }
  static Request request(int n) {
    Request r;
    r.tokens = {1, 2, 3};
    r.sampling.temperature = 0;
    r.maxTokens = n;
    r.ignoreEndOfTurn = true;
    return r;
  }

  std::unique_ptr<backend::Backend> m_backend = backend::reference::createReferenceBackend();
  std::unique_ptr<Engine> m_engine;
  std::map<RequestId, Error> m_failed;
  int m_finished = 0;
};

TEST_F(InboxTest, ARequestForWhichThereIsNoRoomIsRefusedWithTheFigures) {
  load({.path = {}, .queue = 3});
  std::vector<RequestId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(m_engine->submit(request(4)));
  while (m_engine->step()) {
  }
  EXPECT_EQ(m_finished, 3);
  ASSERT_EQ(m_failed.size(), 2U);
  for (const RequestId id : {ids[3], ids[4]}) {
    ASSERT_TRUE(m_failed.contains(id));
    EXPECT_EQ(m_failed.at(id).kind, ErrorKind::limit);
    EXPECT_EQ(m_failed.at(id).expected, "at most 3");
    EXPECT_NE(m_failed.at(id).actual.find("3"), std::string::npos);
  }
  m_engine->submit(request(1));
  while (m_engine->step()) {
  }
  EXPECT_EQ(m_finished, 4) << "there is room again";
}

TEST_F(InboxTest, ARequestWithoutAThreadForItsPromptFailsAndTheNextOneIsAnswered) {
  load({.path = {}});
  RequestId first = 0;
  {
    const tests::NoThreads none;
    first = m_engine->submit(request(4));
  }
  while (m_engine->step()) {
  }
  ASSERT_TRUE(m_failed.contains(first));
  EXPECT_EQ(m_failed.at(first).kind, ErrorKind::outOfMemory);
  m_engine->submit(request(4));
  while (m_engine->step()) {
  }
  EXPECT_EQ(m_finished, 1);
}

TEST_F(InboxTest, RequestsWhosePromptsAreAllMadeBeginInOneStep) {
  constexpr int together = 16;  // a step has room for so many rows of prompts, however slow it is
  load({.path = {}, .contextLength = 16, .sequences = together});
  for (int round = 1; round <= 4; ++round) {
    for (int i = 0; i < together; ++i) {
      Request oneToken = request(1);
      oneToken.tokens = {i};
      m_engine->submit(std::move(oneToken));
    }
    m_engine->waitForPrompts();
    ASSERT_TRUE(m_engine->step());
    EXPECT_EQ(m_finished, together * round);
  }
}

TEST_F(InboxTest, RequestsThatWaitForASlotCount) {
  load({.path = {}, .queue = 2});
  m_engine->submit(request(200));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(m_engine->step());  // it is running, so it no longer counts as queued
  m_engine->submit(request(1));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(m_engine->step());
  m_engine->submit(request(1));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(m_engine->step());
  EXPECT_TRUE(m_failed.empty());
  const RequestId refused = m_engine->submit(request(1));
  ASSERT_TRUE(m_engine->step());
  EXPECT_TRUE(m_failed.contains(refused));
  while (m_engine->step()) {
  }
  EXPECT_EQ(m_finished, 3);
}

TEST_F(InboxTest, AnEngineMayGoWhileAPromptIsMade) {
  load({});
  Request longText;
  for (int i = 0; i < 200000; ++i) longText.prompt += "word" + std::to_string(i) + ' ';
  for (int i = 0; i < 3; ++i) m_engine->submit(longText);
  const PromptMaker maker = m_engine->promptMaker();
  m_engine.reset();
  Request text;
  text.prompt = "still usable";
  EXPECT_TRUE(maker.make(text).has_value());
}

class ThrowingTokens final : public text::Tokenizer {
 public:
  std::vector<TokenId> encode(std::string_view text, text::EncodeOptions) const override {
    if (text == "no memory") throw std::bad_alloc();
    if (text == "a slip") throw std::runtime_error("type must be string");
    return {1};
  }
  std::string decode(std::span<const TokenId>, text::DecodeOptions) const override { return {}; }
  std::string piece(TokenId) const override { return {}; }
  std::size_t vocabularySize() const override { return 4; }
  bool isControl(TokenId) const override { return false; }
  std::optional<TokenId> find(std::string_view) const override { return std::nullopt; }
  const text::SpecialTokens& special() const override { return m_special; }
  bool addsBos() const override { return false; }
  std::string description() const override { return {}; }

 private:
  text::SpecialTokens m_special;
};

TEST(InboxOfPrompts, AnExceptionIsTheErrorOfItsRequestAlone) {
  Inbox inbox({.tokenizer = std::make_shared<ThrowingTokens>(), .chatTemplate = nullptr, .vocabularySize = 4}, 8);
  for (const char* text : {"a slip", "no memory", "well"}) {
    Request request;
    request.prompt = text;
    inbox.submit(std::move(request));
  }
  inbox.waitForPrompts();
  const Inbox::Delivery delivery = inbox.take();
  ASSERT_EQ(delivery.made.size(), 3U);
  ASSERT_FALSE(delivery.made[0].prompt);
  EXPECT_EQ(delivery.made[0].prompt.error().kind, ErrorKind::internal);
  EXPECT_EQ(delivery.made[0].prompt.error().actual, "type must be string");
  ASSERT_FALSE(delivery.made[1].prompt);
  EXPECT_EQ(delivery.made[1].prompt.error().kind, ErrorKind::outOfMemory);
  ASSERT_TRUE(delivery.made[2].prompt);
  EXPECT_EQ(delivery.made[2].prompt->tokens, std::vector<TokenId>{1});
}

// Searches for the cause of NaN logits in weights without NaN.
TEST(UnusableLogits, NothingIsCalledDamagedThatWasNotRead) {
  std::vector<float> values(64 * 32, 1.0F);
  model::Plan plan;
  model::Weight weight;
  weight.name = "a weight";
  weight.view.type = ElementType::F32;
  weight.view.shape = {{64, 32, 1, 1}, 2};
  weight.view.bytes = std::as_bytes(std::span(values));
  plan.weights = {weight};
  const Error all = explainUnusableLogits(plan, 1000);
  EXPECT_EQ(all.kind, ErrorKind::unsupported);
  EXPECT_NE(all.what.find("every weight is finite"), std::string::npos);
  const Error none = explainUnusableLogits(plan, 0);
  EXPECT_EQ(none.kind, ErrorKind::unsupported);
  EXPECT_EQ(none.message().find("damaged"), std::string::npos) << none.message();
  EXPECT_EQ(none.what.find("every weight"), std::string::npos) << "that was not looked at";
  EXPECT_NE(none.hint.find("8.0"), std::string::npos) << "how much there is: " << none.hint;
  values[5 * 32 + 3] = std::numeric_limits<float>::quiet_NaN();
  const Error bad = explainUnusableLogits(plan, 1000);
  EXPECT_EQ(bad.kind, ErrorKind::corrupt);
  EXPECT_EQ(bad.where, "a weight, row 5");
}

}  // namespace
}  // namespace minerva::engine
