// The engine on a Vulkan device: a token is one submission and a few kilobytes, and the text is what it would be from whole rows of logits.
#include "core/engine/draft_model.h"
#include "core/engine/engine.h"
#include "core/engine/loader.h"
#include "core/grammar/gbnf.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/core/engine/watched_placement.h"
#include "tests/support/matrix_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace minerva::gpu {
namespace {

using engine::Request;
using engine::SamplingOptions;

// A device whose placements bring no lists: WatchedPlacement does not pass them on.
class WithoutLists : public backend::Backend {
 public:
  explicit WithoutLists(backend::Backend& inner) : m_inner(inner) {}
  backend::DeviceInfo info() const override { return m_inner.info(); }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    MINERVA_ASSIGN(auto placed, m_inner.place(plan, options, progress, std::move(stop)));
    return std::make_unique<engine::WatchedPlacement>(std::move(placed), m_notes);
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    return m_inner.memoryNeeds(plan, options);
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override { return m_inner.measureReadBandwidth(stop); }

 private:
  backend::Backend& m_inner;
  engine::WatchedPlacement::Notes m_notes;
};

// Staged: the host cannot see the device's memory.
class OneSubmission : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    auto made = createVulkanBackend("vulkan:0", {.validation = true, .staged = GetParam(), .matrixUnits = tests::unitsUnderTest()});
    if (!made) made = createVulkanBackend("vulkan:0", {.staged = GetParam(), .matrixUnits = tests::unitsUnderTest()});
    ASSERT_TRUE(made.has_value()) << made.error().message();
    m_backend = std::move(*made);
  }
  void TearDown() override {
    if (!m_backend) return;
    for (const std::string& message : m_backend->validationMessages()) ADD_FAILURE() << message;
  }

  void load(backend::Backend& backend) {
    m_tokens.clear();
    m_engine.reset();
    const engine::LoadOptions options{.path = MINERVA_SOURCE_DIR "/resources/builtin-model", .contextLength = 256, .sequences = 4};
    auto loaded = engine::Engine::load(backend, options, {}, {});
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    m_engine = std::move(*loaded);
    m_engine->setSink([this](const engine::Event& event) {
      if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) m_tokens[event.request].push_back(token->token);
      if (const auto* failed = std::get_if<engine::Failed>(&event.body)) ADD_FAILURE() << failed->error.message();
    });
  }

  static Request asking(const std::string& prompt, const SamplingOptions& sampling, int tokens) {
    Request request;
    request.prompt = prompt;
    request.sampling = sampling;
    request.maxTokens = tokens;
    request.ignoreEndOfTurn = true;
    return request;
  }

  void runAll() {
    while (m_engine->step()) continue;
  }

  // What a request costs after its first token.
  VulkanBackend::Traffic trafficOf(Request request) {
    const auto id = m_engine->submit(std::move(request));
    while (m_tokens[id].empty()) EXPECT_TRUE(m_engine->step());
    const VulkanBackend::Traffic before = m_backend->traffic();
    runAll();
    const VulkanBackend::Traffic after = m_backend->traffic();
    return {after.submissions - before.submissions, after.bytesRead - before.bytesRead};
  }

  std::unique_ptr<VulkanBackend> m_backend;
  std::unique_ptr<engine::Engine> m_engine;
  std::map<engine::RequestId, std::vector<engine::TokenId>> m_tokens;
};

constexpr std::uint64_t decoded = 50;
constexpr std::uint64_t vocabulary = 2048;  // of the built-in model

TEST_P(OneSubmission, ATokenIsOneAndBringsLessThanFourKilobytes) {
  load(*m_backend);
  const SamplingOptions gptOss{.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = 5};
  const SamplingOptions penalised{.repeatPenalty = 1.1F, .presencePenalty = 0.3F, .seed = 5};
  for (const SamplingOptions& sampling : {SamplingOptions{.seed = 5}, SamplingOptions{.temperature = 0}, penalised}) {
    const auto traffic = trafficOf(asking("Once upon a time", sampling, decoded + 1));
    EXPECT_EQ(traffic.submissions, decoded) << sampling.temperature;
    EXPECT_GT(traffic.bytesRead, 0U);
    EXPECT_LE(traffic.bytesRead, decoded * 4096);
  }
  const auto drawn = trafficOf(asking("Once upon a time", gptOss, decoded + 1));
  EXPECT_LE(drawn.submissions, decoded * 5 / 4) << "a draw that the list does not decide is rare";
}

TEST_P(OneSubmission, WhatNeedsTheWholeRowGetsIt) {
  load(*m_backend);
  Request request = asking("Once upon a time", {.temperature = 0}, decoded + 1);
  request.logprobs = 3;
  const auto traffic = trafficOf(std::move(request));
  EXPECT_EQ(traffic.submissions, GetParam() ? 2 * decoded : decoded);
  EXPECT_EQ(traffic.bytesRead, decoded * 4 * vocabulary);
}

TEST_P(OneSubmission, TheTextIsThatOfWholeRows) {
  const std::vector<SamplingOptions> all{{.temperature = 0},
                                         {.seed = 7},
                                         {.temperature = 1, .topK = 0, .topP = 1, .minP = 0, .seed = 8},
                                         {.temperature = 1.5F, .topK = 0, .topP = 0.9F, .minP = 0, .seed = 9},
                                         {.topK = 0, .topP = 1, .minP = 0.1F, .seed = 10},
                                         {.topK = 300, .seed = 11},
                                         {.repeatPenalty = 1.3F, .presencePenalty = 0.5F, .frequencyPenalty = 0.2F, .seed = 12},
                                         {.repeatPenalty = 0.9F, .seed = 13}};
  const auto grammar = grammar::parseGbnf("root ::= \"[\" [0-9]+ (\",\" [0-9]+)* \"]\"");
  ASSERT_TRUE(grammar.has_value()) << grammar.error().message();
  const auto write = [&](backend::Backend& backend) {
    load(backend);
    for (std::size_t i = 0; i < all.size(); ++i) m_engine->submit(asking(i % 2 == 0 ? "Once upon a time" : "My name is", all[i], 40));
    Request constrained = asking("Some numbers:", {.temperature = 0.9F, .seed = 3}, 12);
    constrained.constraint = *grammar;
    m_engine->submit(std::move(constrained));
    runAll();
    m_engine.reset();
    return m_tokens;
  };
  WithoutLists whole(*m_backend);
  const auto expected = write(whole);
  const auto found = write(*m_backend);
  ASSERT_EQ(expected.size(), all.size() + 1);
  for (const auto& [request, tokens] : expected) EXPECT_EQ(found.at(request), tokens) << "request " << request;
}

// The likeliest tokens that the built-in model drafts after some texts, and the bytes that this brings from the device.
struct Drafted {
  std::vector<std::vector<engine::TokenId>> tokens;
  std::uint64_t bytes = 0;
};

Drafted draftOn(backend::Backend& backend, const VulkanBackend& device) {
  Drafted drafted;
  const engine::LoadOptions options{.path = MINERVA_SOURCE_DIR "/resources/builtin-model", .contextLength = 256};
  auto loaded = engine::loadModel(backend, options, {}, {});
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message();
  if (!loaded) return drafted;
  const std::shared_ptr<const text::Tokenizer> tokenizer = (*loaded)->tokenizer;
  const std::uint64_t before = device.traffic().bytesRead;
  engine::DraftModel model(std::move(*loaded), static_cast<int>(vocabulary));
  for (const std::string text : {"Good day to you, little one!", "What is the capital of France?", "Who are you?", "Tell me a story."}) {
    const std::vector<engine::TokenId> tokens = tokenizer->encode("<|user|>" + text + "<|end|><|assistant|>", {false, true});
    engine::DraftModel::Wish wish{.slot = 0, .tokens = tokens, .most = 8};
    model.draft(std::span(&wish, 1));
    drafted.tokens.push_back(wish.draft);
  }
  EXPECT_FALSE(model.failed());
  drafted.bytes = device.traffic().bytesRead - before;
  return drafted;
}

TEST_P(OneSubmission, ADraftModelSuggestsTheSameFromLists) {
  WithoutLists whole(*m_backend);
  const Drafted expected = draftOn(whole, *m_backend), found = draftOn(*m_backend, *m_backend);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(std::ranges::count_if(expected.tokens, [](const auto& draft) { return draft.size() > 1; }), 0) << "nothing was drafted";
  EXPECT_LT(found.bytes, expected.bytes / 2);
}

INSTANTIATE_TEST_SUITE_P(OfMemory, OneSubmission, testing::Values(false, true),
                         [](const auto& info) { return std::string(info.param ? "staged" : "mapped"); });

}  // namespace
}  // namespace minerva::gpu
