// Timings of a request: phases never overlap, and a delay is counted only in the phase in which it occurs.
#include "core/backend/reference/reference_backend.h"
#include "core/engine/engine.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <thread>
#include <utility>

namespace minerva::engine {
namespace {

constexpr double delayMs = 300;

void rest() { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(delayMs)); }

// A single delay at a given place; `done` once it has happened.
struct Delay {
  enum class At { nowhere, queue, prefill, firstToken, decode, detokenize } at = At::nowhere;
  bool done = false;
  void here(At place) {
    if (place == at && !std::exchange(done, true)) rest();
  }
};

class LatePlacement : public backend::Placement {
 public:
  LatePlacement(std::unique_ptr<backend::Placement> inner, Delay& delay) : m_inner(std::move(inner)), m_delay(delay) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    m_prompt = rows.front().position == 0 || rows.size() > 1;
    m_delay.here(m_prompt ? Delay::At::prefill : Delay::At::decode);
    return m_inner->step(rows);
  }
  Result<std::span<const float>> logits(int i) override {
    if (m_prompt) m_delay.here(Delay::At::firstToken);
    return m_inner->logits(i);
  }
  Result<void> copySlot(int from, int to, int length) override { return m_inner->copySlot(from, to, length); }
  Result<void> saveCheckpoint(int slot, int position, int checkpoint) override {
    return m_inner->saveCheckpoint(slot, position, checkpoint);
  }
  Result<void> restoreCheckpoint(int checkpoint, int slot) override { return m_inner->restoreCheckpoint(checkpoint, slot); }
  int pagesLeft(std::span<const backend::StepRow> rows, std::span<const int> released) const override {
    return m_inner->pagesLeft(rows, released);
  }
  void release(int slot, int from) override { m_inner->release(slot, from); }
  void dropCheckpoint(int checkpoint) override { m_inner->dropCheckpoint(checkpoint); }
  backend::MemoryUse memory() const override { return m_inner->memory(); }

 private:
  std::unique_ptr<backend::Placement> m_inner;
  Delay& m_delay;
  bool m_prompt = true;
};

class LateBackend : public backend::Backend {
 public:
  backend::DeviceInfo info() const override { return m_inner->info(); }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    MINERVA_ASSIGN(auto placed, m_inner->place(plan, options, progress, std::move(stop)));
    return std::make_unique<LatePlacement>(std::move(placed), delay);
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    return m_inner->memoryNeeds(plan, options);
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override { return m_inner->measureReadBandwidth(stop); }
  Delay delay;

 private:
  std::unique_ptr<backend::Backend> m_inner = backend::reference::createReferenceBackend();
};

const std::filesystem::path goldenModel = std::filesystem::path(MINERVA_TEST_DATA) / "golden";

Timings timingsWith(Delay::At at) {
  LateBackend device;
  const tests::OracleCase c = tests::oracleCases(goldenModel).front();
  auto engine = Engine::load(device, {.path = c.model}, {}, {});
  EXPECT_TRUE(engine.has_value());
  device.delay = {at, false};  // set after the load, which runs steps as well
  Timings timings;
  (*engine)->setSink([&](const Event& event) {
    if (std::holds_alternative<TokenEvent>(event.body)) device.delay.here(Delay::At::detokenize);
    if (const auto* finished = std::get_if<Finished>(&event.body)) timings = finished->timings;
  });
  Request request;
  request.tokens = (*tests::oraclePrompts(c.reference))[1].tokens;
  request.sampling.temperature = 0;
  request.maxTokens = 6;
  request.ignoreEndOfTurn = true;
  const TimePoint before = Clock::now();
  (*engine)->submit(std::move(request));
  device.delay.here(Delay::At::queue);
  while ((*engine)->step()) {
  }
  const double outside = millisecondsBetween(before, Clock::now());
  EXPECT_LE(timings.wallMs, outside);
  EXPECT_GE(timings.arrival, before);
  return timings;
}

constexpr std::array<double Phases::*, 7> all{&Phases::queueMs,      &Phases::templateMs, &Phases::tokenizeMs,  &Phases::prefillMs,
                                              &Phases::firstTokenMs, &Phases::decodeMs,   &Phases::detokenizeMs};

TEST(PhasesTest, NeverAddUpToMoreThanTheWholeTime) {
  const Timings t = timingsWith(Delay::At::nowhere);
  EXPECT_GT(t.phases.prefillMs, 0);
  EXPECT_GT(t.phases.decodeMs, 0);
  EXPECT_LE(t.phases.sum(), t.wallMs + 1e-6);
  EXPECT_GT(t.phases.sum(), 0.9 * t.wallMs);
}

TEST(PhasesTest, ADelayIsSeenInItsPhaseOnly) {
  using At = Delay::At;
  const std::array<std::pair<At, double Phases::*>, 5> places{{{At::queue, &Phases::queueMs},
                                                               {At::prefill, &Phases::prefillMs},
                                                               {At::firstToken, &Phases::firstTokenMs},
                                                               {At::decode, &Phases::decodeMs},
                                                               {At::detokenize, &Phases::detokenizeMs}}};
  for (const auto& [at, place] : places) {
    const Timings t = timingsWith(at);
    for (double Phases::*phase : all) {
      if (phase == place) {
        EXPECT_GE(t.phases.*phase, delayMs) << static_cast<int>(at);
      } else {
        EXPECT_LT(t.phases.*phase, delayMs / 2) << static_cast<int>(at);
      }
    }
    EXPECT_LT(t.wallMs - t.phases.sum(), delayMs / 2) << static_cast<int>(at);
  }
}

}  // namespace
}  // namespace minerva::engine
