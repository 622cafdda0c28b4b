// A device that fails now and then, where slots share the pages of fewer contexts: what fails is the request that met it, no page is lost,
// and every other reply is to the last bit what it is alone.
#include "core/engine/scheduler.h"
#include "gpu/available.h"
#include "tests/core/engine/state_kinds.h"
#include "tests/core/engine/watched_placement.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <new>
#include <random>
#include <stdexcept>
#include <string>

namespace minerva::engine {
namespace {

constexpr int faultTokens = 67, faultContext = 512;  // four pages
using Rng = std::mt19937;

int pick(Rng& rng, int least, int most) { return std::uniform_int_distribution<int>(least, most)(rng); }
bool chance(Rng& rng, double probability) { return std::uniform_real_distribution<>(0, 1)(rng) < probability; }

struct Faults {
  double before = 0, after = 0, nan = 0, save = 0, restore = 0, copy = 0;  // probabilities that a call fails
  TokenId refused = -1;                                                    // a step with it is refused
  std::function<void()> throws{};                                          // called when something is to be sampled
  Rng rng{1};
};

class FaultyPlacement : public WatchedPlacement {
 public:
  FaultyPlacement(std::unique_ptr<backend::Placement> inner, Notes& notes, Faults& faults)
      : WatchedPlacement(std::move(inner), notes), m_faults(faults) {}
  Result<void> step(std::span<const backend::StepRow> rows) override {
    if (std::ranges::find(rows, m_faults.refused, &backend::StepRow::token) != rows.end())
      return fail({.kind = ErrorKind::invalidArgument, .what = "Refused"});
    MINERVA_TRY(unless(m_faults.before));
    MINERVA_TRY(WatchedPlacement::step(rows));
    return unless(m_faults.after);
  }
  Result<std::span<const float>> logits(int i) override {
    if (m_faults.throws) m_faults.throws();
    MINERVA_ASSIGN(const std::span<const float> found, WatchedPlacement::logits(i));
    if (!chance(m_faults.rng, m_faults.nan)) return found;
    m_logits.assign(found.begin(), found.end());
    m_logits[3] = std::numeric_limits<float>::quiet_NaN();
    return std::span<const float>(m_logits);
  }
  Result<void> copySlot(int from, int to, int length) override {
    MINERVA_TRY(unless(m_faults.copy));
    return WatchedPlacement::copySlot(from, to, length);
  }
  Result<void> saveCheckpoint(int slot, int position, int checkpoint) override {
    MINERVA_TRY(unless(m_faults.save));
    return WatchedPlacement::saveCheckpoint(slot, position, checkpoint);
  }
  Result<void> restoreCheckpoint(int checkpoint, int slot) override {
    MINERVA_TRY(unless(m_faults.restore));
    return WatchedPlacement::restoreCheckpoint(checkpoint, slot);
  }

 private:
  Result<void> unless(double probability) {
    if (!chance(m_faults.rng, probability)) return {};
    return fail({.kind = ErrorKind::outOfMemory, .what = "The device is full"});
  }
  Faults& m_faults;
  std::vector<float> m_logits;
};

struct FaultyOutcome {
  std::vector<TokenId> tokens;
  std::vector<float> logprobs;
  int reused = -1, ends = 0;
  bool finished = false;
  std::string error;
};

Request asking(std::vector<TokenId> tokens, int reply, std::uint64_t conversation) {
  Request r;
  r.tokens = std::move(tokens);
  r.maxTokens = reply;
  r.ignoreEndOfTurn = true;
  r.logprobs = 0;
  r.conversation = conversation;
  r.sampling.temperature = 0;
  return r;
}

std::vector<TokenId> faultyTokens(int count, int seed) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((i * 7 + i / 5 + seed * 11) % faultTokens);
  return tokens;
}

// A model, its scheduler and what that told.
struct Served {
  Served(backend::Backend& device, StateKind kind, const backend::PlaceOptions& placed, bool drafts, bool draftModel) {
    model = loaded(device, kind, placed, drafts, faults);
    if (draftModel) {
      auto small = loaded(device, kind, placed, false, draftFaults, true);
      model->draftModel = std::make_unique<DraftModel>(std::move(small), faultTokens);
    }
    scheduler = std::make_unique<Scheduler>(*model, 0, emit);
  }
  std::unique_ptr<LoadedModel> loaded(backend::Backend& device, StateKind kind, const backend::PlaceOptions& placed, bool drafts,
                                      Faults& failing, bool forDrafts = false) {
    auto made = std::make_unique<LoadedModel>();
    tests::RandomModel random = modelOf(kind, faultTokens, faultContext);
    random.config.logitScale *= 3;  // so that drafts are right now and then
    made->plan = std::move(*model::buildPlan(random.config));
    made->placed = forDrafts ? DraftModel::placeOptions(placed, made->plan) : placed;
    made->drafts = drafts;
    made->stepMs = 0.2;
    made->placed.checkpoints += draftCheckpoints(drafts, made->placed, made->plan);
    made->info.device = device.info();
    weights.push_back(std::move(random));
    auto placement = device.place(made->plan, made->placed, {}, {});
    EXPECT_TRUE(placement) << placement.error().message();
    made->placement = std::make_unique<FaultyPlacement>(std::move(*placement), notes, failing);
    return made;
  }
  RequestId add(const Request& request) {
    Prompt prompt;
    prompt.tokens = request.tokens;
    scheduler->add({++last, request, Clock::now()}, std::move(prompt));
    return last;
  }
  const FaultyOutcome& run(const Request& request) {
    const RequestId id = add(request);
    while (scheduler->tick()) continue;
    return told[id];
  }
  Result<void> evaluate(int tokens) {
    return scheduler->evaluate(faultyTokens(tokens, 9), false, 0, [](std::size_t, std::span<const float>) { return true; });
  }
  void hear(RequestId id, const auto& body) {
    FaultyOutcome& outcome = told[id];
    EXPECT_EQ(outcome.ends, 0) << "nothing is said after the end";
    if (const auto* started = std::get_if<Started>(&body)) {
      if (id == unstartable) throws();
      outcome.reused = started->reusedTokens;
    }
    if (const auto* token = std::get_if<TokenEvent>(&body)) {
      if (id == unhearable && outcome.tokens.size() == 3) throws();
      outcome.tokens.push_back(token->token);
      outcome.logprobs.push_back(token->logprobs->chosen);
    }
    if (const auto* finished = std::get_if<Finished>(&body)) outcome.finished = finished->reason != FinishReason::cancelled;
    if (const auto* failed = std::get_if<Failed>(&body)) outcome.error = failed->error.message();
    outcome.ends += std::holds_alternative<Finished>(body) || std::holds_alternative<Failed>(body) ? 1 : 0;
  }

  Faults faults, draftFaults;
  WatchedPlacement::Notes notes;
  std::vector<tests::RandomModel> weights;
  std::unique_ptr<LoadedModel> model;
  Emit emit = [this](RequestId id, const auto& body) { hear(id, body); };
  std::unique_ptr<Scheduler> scheduler;
  std::map<RequestId, FaultyOutcome> told;
  RequestId last = 0, unstartable = 0, unhearable = 0;
  std::function<void()> throws{};  // at the start of the one, at a token of the other
};

class FaultsOfDevices : public testing::TestWithParam<StateKind> {
 protected:
  Served served(int slots, int contexts, bool drafts = false, bool draftModel = false) {
    const backend::PlaceOptions placed{.contextLength = faultContext,
                                       .slots = slots,
                                       .contexts = contexts,
                                       .checkpoints = slots > 1 ? 3 : 0,
                                       .maxRows = 64,
                                       .maxOutputRows = 32,
                                       .alike = backend::Alike::always};
    return {*m_device, GetParam(), placed, drafts, draftModel};
  }
  std::unique_ptr<backend::Backend> m_device = std::move(*createBackend("cpu", {.threads = 1}));
};

// All pages at once, for a conversation and for an evaluation.
void expectAllPages(Served& model) {
  for (const int tokens : {200, faultContext - 8}) {
    const FaultyOutcome& outcome = model.run(asking(faultyTokens(tokens, 3), 4, static_cast<std::uint64_t>(tokens)));
    EXPECT_TRUE(outcome.finished) << outcome.error;
  }
  const Result<void> evaluated = model.evaluate(faultContext);
  EXPECT_TRUE(evaluated) << evaluated.error().message();
}

TEST_P(FaultsOfDevices, AReplyOfNaNGivesItsPagesBack) {
  Served model = served(4, 1);
  model.run(asking(faultyTokens(150, 1), 4, 1));
  model.faults.nan = 1;
  EXPECT_FALSE(model.run(asking(faultyTokens(300, 2), 4, 2)).finished);
  model.faults.nan = 0;
  expectAllPages(model);
}

TEST_P(FaultsOfDevices, AFailedStepGivesAllPagesBack) {
  for (double Faults::*const fault : {&Faults::before, &Faults::after}) {
    Served model = served(4, 1);
    model.run(asking(faultyTokens(150, 1), 4, 1));
    model.faults.*fault = 1;
    EXPECT_FALSE(model.run(asking(faultyTokens(300, 2), 4, 2)).finished);
    model.faults.*fault = 0;
    expectAllPages(model);
  }
}

TEST_P(FaultsOfDevices, AFailedEvaluationGivesAllPagesBack) {
  for (double Faults::*const fault : {&Faults::before, &Faults::after}) {
    Served model = served(3, 1);
    model.run(asking(faultyTokens(150, 1), 4, 1));
    model.run(asking(faultyTokens(150, 2), 4, 2));
    model.faults.*fault = 1;
    EXPECT_FALSE(model.evaluate(faultContext));
    model.faults.*fault = 0;
    EXPECT_TRUE(model.run(asking(faultyTokens(faultContext - 8, 5), 4, 2)).finished) << "in the slot of its conversation";
    expectAllPages(model);
  }
}

TEST_P(FaultsOfDevices, AnEvaluationOfNaNSaysWhatIsWrong) {
  Served model = served(3, 1);
  const FaultyOutcome first = model.run(asking(faultyTokens(150, 1), 4, 1));
  model.faults.nan = 1;
  const Result<void> evaluated = model.evaluate(faultContext / 2);
  ASSERT_FALSE(evaluated) << "its figures would be none";
  EXPECT_FALSE(evaluated.error().what.empty() || evaluated.error().hint.empty());
  EXPECT_NE(evaluated.error().kind, ErrorKind::cancelled) << evaluated.error().message();
  model.faults.nan = 0;
  std::vector<TokenId> more = faultyTokens(150, 1);
  more.insert(more.end(), first.tokens.begin(), first.tokens.end());
  EXPECT_GT(model.run(asking(more, 4, 1)).reused, 100) << "other conversations are as they were";
  expectAllPages(model);
}

TEST_P(FaultsOfDevices, ARefusedStepLeavesOtherConversationsAsTheyAre) {
  Served model = served(4, 1);
  const FaultyOutcome first = model.run(asking(faultyTokens(150, 1), 4, 1));
  model.faults.refused = 66;
  EXPECT_FALSE(model.run(asking({1, 2, model.faults.refused, 4}, 4, 2)).finished);
  model.faults.refused = -1;
  std::vector<TokenId> more = faultyTokens(150, 1);
  more.insert(more.end(), first.tokens.begin(), first.tokens.end());
  const FaultyOutcome second = model.run(asking(more, 4, 1));
  EXPECT_TRUE(second.finished);
  EXPECT_GT(second.reused, 100);
}

const std::pair<std::function<void()>, const char*> exceptions[] = {
    {[] { throw std::bad_alloc(); }, "not enough memory"},  // too little memory of the host
    {[] { throw std::runtime_error("no such letter"); }, "no such letter"}};

TEST_P(FaultsOfDevices, ExceptionsFailRequests) {
  for (const auto& [throws, word] : exceptions) {
    Served model = served(4, 1);
    model.run(asking(faultyTokens(150, 1), 4, 1));
    model.faults.throws = throws;
    const FaultyOutcome failed = model.run(asking(faultyTokens(300, 2), 4, 2));
    EXPECT_EQ(failed.ends, 1);
    EXPECT_NE(failed.error.find(word), std::string::npos) << failed.error;
    model.faults.throws = nullptr;
    model.throws = throws;
    for (int i = 0; i < 5; ++i) {  // more than there are slots
      model.unstartable = model.last + 1;
      EXPECT_EQ(model.run(asking(faultyTokens(100, i), 4, 0)).ends, 1);
    }
    expectAllPages(model);
  }
}

TEST_P(FaultsOfDevices, AnExceptionOfOneReplyIsItsOwn) {
  Served lone = served(1, 0);
  const FaultyOutcome alone = lone.run(asking(faultyTokens(90, 1), 20, 0));
  for (const auto& [throws, word] : exceptions) {
    for (const bool first : {false, true}) {
      Served model = served(4, 1);
      model.run(asking(faultyTokens(100, 3), 4, 3));
      if (first) model.unhearable = model.add(asking(faultyTokens(80, 2), 20, 2));
      const RequestId other = model.add(asking(faultyTokens(90, 1), 20, 1));
      if (!first) model.unhearable = model.add(asking(faultyTokens(80, 2), 20, 2));
      model.throws = throws;
      while (model.scheduler->tick()) continue;
      const FaultyOutcome& failed = model.told[model.unhearable];
      EXPECT_EQ(failed.ends, 1);
      EXPECT_EQ(failed.tokens.size(), 3U);
      EXPECT_NE(failed.error.find(word), std::string::npos) << failed.error;
      EXPECT_TRUE(model.told[other].finished) << model.told[other].error;
      EXPECT_EQ(model.told[other].tokens, alone.tokens);
      EXPECT_EQ(model.told[other].logprobs, alone.logprobs);
      EXPECT_EQ(model.run(asking(faultyTokens(80, 2), 4, 2)).reused, 0) << "its slot holds nothing";
      EXPECT_GT(model.run(asking(faultyTokens(100, 3), 4, 3)).reused, 60) << "idle conversations are as they were";
      expectAllPages(model);
    }
  }
}

// Requests that come, go on, branch and are cancelled at random, on devices that fail at random.
TEST_P(FaultsOfDevices, RandomRequestsLoseNothing) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Rng rng(seed);
    Served model = served(pick(rng, 2, 5), 1, seed % 2 == 1, seed % 4 == 3);
    model.faults = {.before = 0.002, .after = 0.002, .nan = 0.004, .save = 0.1, .restore = 0.1, .copy = 0.2, .rng = Rng(seed)};
    model.draftFaults = {.save = 0.1, .restore = 0.1, .copy = 0.2, .rng = Rng(seed)};
    std::map<RequestId, Request> asked;
    constexpr std::size_t requests = 14;
    for (bool ran = true; ran || asked.size() < requests;) {
      if (asked.size() < requests && (!ran || chance(rng, 0.15))) {
        std::vector<TokenId> tokens = faultyTokens(pick(rng, 1, chance(rng, 0.3) ? faultContext - 1 : 90), pick(rng, 0, 2));
        if (!asked.empty() && chance(rng, 0.5)) {  // it goes on with an earlier one, or branches from it
          const RequestId from = static_cast<RequestId>(pick(rng, 1, static_cast<int>(asked.size())));
          tokens = asked[from].tokens;
          const FaultyOutcome& said = model.told[from];
          tokens.insert(tokens.end(), said.tokens.begin(), said.tokens.end());
          if (chance(rng, 0.5)) tokens.resize(static_cast<std::size_t>(pick(rng, 1, static_cast<int>(tokens.size()))));
          tokens.push_back(pick(rng, 0, faultTokens - 1));
          tokens.resize(std::min<std::size_t>(tokens.size(), faultContext - 1));
        }
        const Request request = asking(std::move(tokens), pick(rng, 1, 60), static_cast<std::uint64_t>(pick(rng, 0, 3)));
        asked[model.add(request)] = request;
      }
      if (chance(rng, 0.01)) model.scheduler->cancel(static_cast<RequestId>(pick(rng, 1, 14)));
      if (chance(rng, 0.005)) (void)model.evaluate(pick(rng, 1, 200));
      ran = model.scheduler->tick();
    }
    model.faults = {};
    int finished = 0;
    for (const auto& [id, request] : asked) {
      const FaultyOutcome& together = model.told[id];
      EXPECT_EQ(together.ends, 1) << seed << ' ' << id;
      if (!together.finished) continue;
      ++finished;
      Served lone = served(1, 0);
      const FaultyOutcome& alone = lone.run(request);
      EXPECT_EQ(together.tokens, alone.tokens) << seed << ' ' << id;
      EXPECT_EQ(together.logprobs, alone.logprobs) << seed << ' ' << id;
    }
    EXPECT_GT(finished, 0);
    expectAllPages(model);
  }
}

INSTANTIATE_TEST_SUITE_P(On, FaultsOfDevices, everyStateKind(), nameOfKind);

}  // namespace
}  // namespace minerva::engine
