// How prompts are split into steps, on a device that computes nothing and takes a specified time per step.
#include "core/backend/reference/reference_backend.h"
#include "core/engine/scheduler.h"
#include "tests/core/engine/idle_placement.h"
#include "tests/support/oracle.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <utility>

namespace minerva::engine {
namespace {

struct Pace {
  double fixedMs = 0, perRowMs = 0;
  double lateMs = 0;  // extra time for the next step of several rows
  std::vector<int> steps = {};
};

class PacedPlacement : public IdlePlacement {
 public:
  PacedPlacement(int vocabulary, Pace& pace) : m_logits(static_cast<std::size_t>(vocabulary)), m_pace(pace) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    double ms = m_pace.fixedMs + m_pace.perRowMs * static_cast<double>(rows.size());
    if (rows.size() > 1) ms += std::exchange(m_pace.lateMs, 0.0);
    m_pace.steps.push_back(static_cast<int>(rows.size()));
    tests::SimulatedClock::advance(ms);
    return {};
  }
  Result<std::span<const float>> logits(int) override { return std::span<const float>(m_logits); }

 private:
  std::vector<float> m_logits;
  Pace& m_pace;
};

class PacedBackend : public backend::Backend {
 public:
  backend::DeviceInfo info() const override {
    backend::DeviceInfo info = m_model->info();
    if (!kind.empty()) info.kind = kind;
    return info;
  }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions&, const backend::Progress&,
                                                    std::stop_token) override {
    return std::make_unique<PacedPlacement>(plan.vocabularySize, pace);
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    return m_model->memoryNeeds(plan, options);
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked&) override { return backend::BandwidthCurve{}; }
  Pace pace;
  std::string kind;  // "": the reference's

 private:
  std::unique_ptr<backend::Backend> m_model = backend::reference::createReferenceBackend();
};

class PacingTest : public testing::Test {
 protected:
  void load(Pace pace, LoadOptions options) {
    m_device.pace = std::move(pace);
    options.path = tests::oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden").front().model;
    auto loaded = loadModel(m_device, options, {}, {});
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    m_model = std::move(*loaded);
    m_scheduler = std::make_unique<Scheduler>(*m_model, options.chunkMs, m_emit);
    m_device.pace.steps.clear();
  }
  // Prompts made with different values of `token` share no prefix that could be reused.
  void submit(int prompt, int reply, TokenId token = 5) {
    Request r;
    r.tokens.assign(static_cast<std::size_t>(prompt), token);
    r.maxTokens = reply;
    r.ignoreEndOfTurn = true;
    Prompt made;
    made.tokens = r.tokens;
    m_scheduler->add({++m_last, std::move(r), Clock::now()}, std::move(made));
  }

  const tests::SimulatedClock m_clock;
  PacedBackend m_device;
  const Emit m_emit = [](RequestId, const auto&) {};
  std::unique_ptr<LoadedModel> m_model;
  std::unique_ptr<Scheduler> m_scheduler;
  RequestId m_last = 0;
};

TEST_F(PacingTest, AFirstStepThatCompilesDoesNotCutThePromptIntoSingleTokens) {
  load({.fixedMs = 2, .perRowMs = 0.5}, {.path = {}, .chunkMs = 100});
  m_device.pace.lateMs = 800;
  submit(400, 1);
  while (m_scheduler->tick()) {
  }
  const std::vector<int>& steps = m_device.pace.steps;
  EXPECT_EQ(std::accumulate(steps.begin(), steps.end(), 0), 400);
  EXPECT_LT(steps.size(), 10U);
  EXPECT_GE(*std::ranges::max_element(steps), 64);
}

TEST_F(PacingTest, APromptIsCutShorterWhileAReplyWaits) {
  load({.fixedMs = 40, .perRowMs = 1}, {.path = {}, .sequences = 2, .chunkMs = 100});
  submit(300, 1);  // learns the cost per row
  while (m_scheduler->tick()) {
  }
  EXPECT_GT(*std::ranges::max_element(m_device.pace.steps), 100) << "nobody waits: its fixed part shall be small";
  submit(1, 30, 6);
  m_device.pace.steps.clear();
  while (m_device.pace.steps.size() < 3) ASSERT_TRUE(m_scheduler->tick());  // until it has started to reply
  m_device.pace.steps.clear();
  submit(150, 1, 7);
  while (m_scheduler->tick()) {
  }
  std::vector<int> together;  // steps with rows of both requests
  std::ranges::copy_if(m_device.pace.steps, std::back_inserter(together), [](int rows) { return rows > 2; });
  EXPECT_EQ(together, (std::vector{64 + 1, 64 + 1, 150 - 2 * 64 + 1})) << "100 ms: 40 and 60 rows, in whole tiles, and the reply's own";
}

// How much of a step with both is the prompt's is known only where steps of replies alone were measured. Where prompts come all the while
// there would be none: so one step is without them whenever more than twice as many replies run as ever did alone.
TEST_F(PacingTest, StepsOfRepliesAloneAreMeasuredAmongPromptsToo) {
  load({.fixedMs = 40, .perRowMs = 1}, {.path = {}, .sequences = 5, .chunkMs = 100});
  for (const TokenId token : {6, 7, 8, 9}) submit(1, 60, token);
  submit(400, 1, 10);
  while (m_scheduler->tick()) {
  }
  const std::vector<int>& steps = m_device.pace.steps;
  const auto alone = std::ranges::find(steps, 4);
  ASSERT_NE(alone, steps.end());
  const auto withPrompt = [](int rows) { return rows > 5; };
  EXPECT_LT(std::count_if(steps.begin(), alone, withPrompt), 3) << "it comes before most of the prompt";
  EXPECT_GT(std::count_if(alone, steps.end(), withPrompt), 2) << "the prompt goes on beside the replies";
  EXPECT_TRUE(withPrompt(alone[1]));
}

// A step of a text on a GPU takes four seconds at most, whatever asks for it; on a CPU it has all the rows it may have.
TEST_F(PacingTest, ATextIsReadInShorterStepsOnASlowGpu) {
  const auto stepsOf = [&](const char* kind, double perRowMs, bool allPositions) {
    m_device.kind = kind;
    load({.fixedMs = 0, .perRowMs = perRowMs}, {.path = {}, .chunkMs = 100});
    const std::vector<TokenId> text(100, 5);
    const auto read = m_scheduler->evaluate(text, allPositions, 0, [](std::size_t, std::span<const float>) { return true; });
    EXPECT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(std::accumulate(m_device.pace.steps.begin(), m_device.pace.steps.end(), 0), 100);
    return m_device.pace.steps;
  };
  EXPECT_EQ(stepsOf("Vulkan", 300, false), std::vector({8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4}));
  EXPECT_EQ(stepsOf("Vulkan", 300, true).front(), 8);
  EXPECT_EQ(stepsOf("Vulkan", 5000, false).front(), 1) << "not even one row is that fast";
  EXPECT_EQ(stepsOf("Vulkan", 10, false), std::vector({100}));
  EXPECT_EQ(stepsOf("Vulkan", 10, true), std::vector({32, 32, 32, 4}));
  EXPECT_EQ(stepsOf("CPU", 300, false), std::vector({100}));
}

}  // namespace
}  // namespace minerva::engine
