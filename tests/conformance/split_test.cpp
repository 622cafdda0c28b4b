// A model on two devices against the reference: every place to cut, experts on the host, several conversations, rewinds,
// copies.
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/split/split_backend.h"
#include "core/model/plan_split.h"
#include "tests/support/backend_test.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace minerva::tests {
namespace {

std::unique_ptr<backend::Backend> cpu() { return std::move(*backend::createCpuBackend({.threads = 2, .instructionSet = {}})); }

// The accelerators, in their order, and the host.
template <class... Accelerators>
std::unique_ptr<backend::Backend> combined(std::unique_ptr<backend::Backend> host, const backend::SplitChoice& choice,
                                           Accelerators... accelerators) {
  std::vector<std::unique_ptr<backend::Backend>> all;
  (all.push_back(std::move(accelerators)), ...);
  return backend::createSplitBackend(std::move(all), std::move(host), choice);
}

// Uses the device under test as the accelerator.
class SplitConformance : public BackendTest {
 protected:
  std::unique_ptr<backend::Backend> split(const backend::SplitChoice& choice) {
    auto device = createBackend(GetParam().device, GetParam().options);
    EXPECT_TRUE(device.has_value());
    m_accelerator = device->get();
    return combined(cpu(), choice, std::move(*device));
  }
  void expectConforms(const RandomModel& made, const backend::SplitChoice& choice, const std::string& what, const Script& script, int slots,
                      backend::Precision precision = backend::Precision::exact, ElementType type = ElementType::F32) {
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << what << ": " << plan.error().message();
    const auto both = split(choice);
    const auto difference = compareWithReference(*both, *plan, optionsFor(script, made.config.contextLength, slots, precision), script);
    ASSERT_TRUE(difference.has_value()) << what << ": " << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(precision, type)), "") << what << ", " << testing::PrintToString(choice.layers) << " layers";
    for (const std::string& message : validationMessages(*m_accelerator)) ADD_FAILURE() << what << ": " << message;
  }

  const backend::Backend* m_accelerator = nullptr;  // of the latest split
};

TEST_P(SplitConformance, EveryPlaceToCut) {
  for (const std::vector<int>& layers : {std::vector{0}, {1}, {2}, {3}, {}}) {
    Random random(7);
    const ModelShape shape{
        .type = ElementType::F16, .layers = 3, .window = 6, .context = 40, .tied = layers.empty() || layers.front() % 2 == 1};
    const Script script = conversationScript(random, shape.vocabulary, shape.context, 3);
    expectConforms(randomModel(shape), {.layers = layers}, "exact", script, 3);
    expectConforms(randomModel(shape), {.layers = layers}, "standard", script, 3, backend::Precision::standard, shape.type);
  }
}

TEST_P(SplitConformance, PromptsInChunks) {
  Random random(8);
  const ModelShape shape{.type = ElementType::Q8_0, .layers = 2, .context = 64};
  expectConforms(randomModel(shape), {.layers = {1}}, "chunks", prefillScript(random, shape.vocabulary, 60, {1, 2, 5, 16, 26}), 1);
}

TEST_P(SplitConformance, ExpertsOnTheHost) {
  for (const ExpertsShape& experts : expertShapes()) {
    for (const int layers : {1, 2}) {
      Random random(9);
      RandomModel made = randomModel({.hidden = 64, .layers = 2});
      addExperts(made, experts);
      const Script script = conversationScript(random, made.config.vocabularySize, 48, 2);
      made.config.contextLength = 48;
      expectConforms(made, {.layers = {layers}, .experts = backend::HostExperts::all}, experts.what, script, 2);
      expectConforms(made, {.layers = {1}}, experts.what, script, 2);
    }
  }
}

TEST_P(SplitConformance, LatentAttentionAndLearnedPositions) {
  for (const bool latent : {true, false}) {
    Random random(10);
    RandomModel made = randomModel({.hidden = 64, .layers = 2, .layout = model::RopeLayout::interleaved, .ropeDimension = latent ? 8 : 0});
    if (latent) addLatentAttention(made);
    else made.config.positionEmbedding = made.store.matrix(ElementType::F16, made.config.contextLength, made.config.hiddenSize, 0.5);
    expectConforms(made, {.layers = {1}}, latent ? "latent" : "positions",
                   conversationScript(random, made.config.vocabularySize, made.config.contextLength, 2), 2);
  }
}

TEST_P(SplitConformance, RecurrentMixersOnBothSides) {
  using enum Mixer;
  for (const std::vector<Mixer>& mixers : {std::vector{deltaNet, selectiveMamba, mamba, channelDeltaNet}, {selectiveMamba, attention}}) {
    Random random(13);
    RandomModel made = randomModel({.hidden = 64, .layers = 4});
    addMixers(made, mixers);
    const Script script = sequencesScript(random, made.config.vocabularySize);
    made.config.contextLength = sequencesContext;
    for (const int layers : {1, 3}) expectConforms(made, {.layers = {layers}}, "recurrent", script, sequencesSlots);
  }
}

TEST_P(SplitConformance, AQuantizedCacheOnBothSides) {
  Random random(11);
  const ModelShape shape{.type = ElementType::F16, .layers = 3, .headDim = 40, .context = 40};
  const RandomModel made = randomModel(shape);
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto both = split({.layers = {2}});
  const Script script = conversationScript(random, shape.vocabulary, shape.context, 2);
  backend::PlaceOptions options = optionsFor(script, shape.context, 2, backend::Precision::exact);
  options.kvType = model::KvType::q8_0;
  const auto difference = compareWithReference(*both, *plan, options, script);
  ASSERT_TRUE(difference.has_value()) << difference.error().message();
  EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::standard, ElementType::F16)), "");
}

TEST_P(SplitConformance, TheCountsAreThoseOfBothDevices) {
  RandomModel made = randomModel({.hidden = 64, .layers = 3});
  addExperts(made, expertShapes().front());
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  for (const backend::SplitChoice& choice :
       {backend::SplitChoice{.layers = {2}}, backend::SplitChoice{.layers = {3}, .experts = backend::HostExperts::all}}) {
    const auto both = split(choice);
    const backend::PlaceOptions options{.contextLength = 100, .slots = 2, .maxRows = 32, .maxOutputRows = 4};
    const auto needs = both->memoryNeeds(*plan, options);
    ASSERT_TRUE(needs.has_value()) << needs.error().message();
    ASSERT_EQ(needs->size(), 2U);
    const auto placed = both->place(*plan, options, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    const backend::MemoryUse use = (*placed)->memory();
    EXPECT_EQ((*needs)[0].use.kv + (*needs)[1].use.kv, use.kv);
    EXPECT_EQ((*needs)[0].use.total() + (*needs)[1].use.total(), use.total());
    EXPECT_GT((*needs)[0].use.kv, 0U);
    EXPECT_EQ((*needs)[1].use.kv > 0, choice.experts == backend::HostExperts::none);
  }
}

TEST_P(SplitConformance, ProgressOnlyGrowsAndEndsWhole) {
  const RandomModel made = randomModel({.type = ElementType::Q8_0, .hidden = 256, .layers = 4});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  for (const int layers : {0, 2, 4}) {
    std::vector<std::uint64_t> done;
    std::set<std::uint64_t> totals;
    const auto both = split({.layers = {layers}});
    const auto placed = both->place(*plan, {},
                                    [&](std::uint64_t now, std::uint64_t total) {
                                      done.push_back(now);
                                      totals.insert(total);
                                    },
                                    {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    EXPECT_TRUE(std::ranges::is_sorted(done));
    ASSERT_EQ(totals.size(), 1U);
    EXPECT_EQ(done.back(), *totals.begin());
  }
}

TEST_P(SplitConformance, WrongRowsAndACancelledLoad) {
  const RandomModel made = randomModel({.layers = 2});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto both = split({.layers = {1}});
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled = both->place(*plan, {}, {}, stop.get_token());
  ASSERT_FALSE(cancelled.has_value());
  EXPECT_EQ(cancelled.error().kind, ErrorKind::cancelled);
  auto placed = both->place(*plan, {.contextLength = 8, .slots = 2, .maxRows = 4, .maxOutputRows = 2}, {}, {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message();
  using Rows = std::vector<backend::StepRow>;
  ASSERT_TRUE((*placed)->step(Rows{{1, 0, 0, true}}).has_value());
  EXPECT_FALSE((*placed)->step(Rows{{1, 2, 0, true}}).has_value()) << "a gap";
  EXPECT_TRUE((*placed)->step(Rows{{1, 1, 0, true}}).has_value()) << "the refused step changed something";
  EXPECT_FALSE((*placed)->copySlot(0, 1, 3).has_value());
  EXPECT_TRUE((*placed)->copySlot(0, 1, 2).has_value());
  EXPECT_FALSE((*placed)->logits(1).has_value());
}

INSTANTIATE_TEST_SUITE_P(Devices, SplitConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SplitConformance);

// A CPU backend that counts its placements, can be set up to fail after it has allocated its memory, and can report a given
// amount of free memory.
class CountingHost final : public backend::Backend {
 public:
  explicit CountingHost(bool fails, std::uint64_t free = 0) : m_fails(fails), m_free(free) {}

  backend::DeviceInfo info() const override { return m_cpu->info(); }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    MINERVA_ASSIGN(auto placement, m_cpu->place(plan, options, progress, std::move(stop)));
    if (m_fails) return fail({.kind = ErrorKind::outOfMemory, .what = "The host is full", .expected = "8 bytes", .actual = "7 bytes"});
    return std::make_unique<Counted>(std::move(placement), m_alive);
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    MINERVA_ASSIGN(auto needs, m_cpu->memoryNeeds(plan, options));
    if (m_free > 0) needs.front().free = m_free;
    return needs;
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked&) override { return backend::BandwidthCurve{}; }
  [[nodiscard]] std::shared_ptr<int> alive() const { return m_alive; }

 private:
  class Counted final : public backend::Placement {
   public:
    Counted(std::unique_ptr<backend::Placement> inner, std::shared_ptr<int> alive) : m_inner(std::move(inner)), m_alive(std::move(alive)) {
      ++*m_alive;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() override { --*m_alive; }
    Result<void> step(std::span<const backend::StepRow> rows) override { return m_inner->step(rows); }
    Result<void> begin(std::span<const backend::StepRow> rows) override { return m_inner->begin(rows); }
    Result<void> runPart(std::size_t part) override { return m_inner->runPart(part); }
    Result<backend::BufferRows> rows(model::BufferId buffer) override { return m_inner->rows(buffer); }
    Result<std::span<const float>> logits(int i) override { return m_inner->logits(i); }
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
    std::shared_ptr<int> m_alive;
  };

  std::unique_ptr<backend::Backend> m_cpu = cpu();
  std::shared_ptr<int> m_alive = std::make_shared<int>(0);
  bool m_fails;
  std::uint64_t m_free;  // 0: the actual amount
};

TEST(Split, AHostThatFailsFreesTheAcceleratorAndIsHeard) {
  const RandomModel made = randomModel({.layers = 3});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  auto first = std::make_unique<CountingHost>(false);
  const std::shared_ptr<int> alive = first->alive();
  std::vector<int> aliveAtProgress;
  const auto both = combined(std::make_unique<CountingHost>(true), {.layers = {2}}, std::move(first));
  const auto placed = both->place(*plan, {}, [&](std::uint64_t, std::uint64_t) { aliveAtProgress.push_back(*alive); }, {});
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().message(), "The host is full (cpu#2): expected 8 bytes, found 7 bytes");
  EXPECT_EQ(std::ranges::max(aliveAtProgress), 1) << "the first device never held its share";
  EXPECT_EQ(*alive, 0) << "the first device still holds its share";
}

TEST(Split, ALoadCancelledBetweenTheDevicesFreesTheFirst) {
  const RandomModel made = randomModel({.layers = 3});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  auto first = std::make_unique<CountingHost>(false);
  const std::shared_ptr<int> alive = first->alive();
  const auto both = combined(cpu(), {.layers = {2}}, std::move(first));
  std::stop_source stop;
  const auto placed = both->place(
      *plan, {}, [&](std::uint64_t, std::uint64_t) { stop.request_stop(); }, stop.get_token());
  ASSERT_FALSE(placed.has_value());
  EXPECT_EQ(placed.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(*alive, 0);
}

// The read bandwidth of both devices together holds for one split only, so devices with different splits are told apart.
TEST(Split, TheDeviceSaysHowAModelIsSplit) {
  const RandomModel made = randomModel({.layers = 3});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  std::set<std::string> splits;
  for (const int layers : {1, 2, 3, 2}) {
    const auto both = combined(cpu(), {.layers = {layers}}, cpu());
    EXPECT_EQ(both->info().split, "");
    const auto placed = both->place(*plan, {}, {}, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    splits.insert(both->info().split);
  }
  EXPECT_EQ(splits.size(), 3U);
  EXPECT_EQ(cpu()->info().split, "");
}

TEST(Split, NotEvenALayer) {
  const RandomModel made = randomModel({.layers = 3});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto both = combined(cpu(), {}, std::make_unique<CountingHost>(false, 1000));
  for (const Error& error : {both->memoryNeeds(*plan, {}).error(), both->place(*plan, {}, {}, {}).error()}) {
    EXPECT_EQ(error.kind, ErrorKind::outOfMemory);
    EXPECT_EQ(error.what, "Not even one layer of the model fits into memory");
    EXPECT_NE(error.message().find("1000 B free"), std::string::npos) << error.message();
  }
}

// Places as many experts on the device as fit, starting with the first layers; if none fit, keeps all layers but no experts
// on the device; then fewer layers. The logits match those of the reference.
TEST(Split, AsFewExpertsOnTheHostAsTheMemoryAsks) {
  constexpr int layers = 4;
  RandomModel made = randomModel({.hidden = 64, .layers = layers});
  addExperts(made, expertShapes()[2]);  // of a packed type: float weights stay in the file and take no memory
  made.config.contextLength = 48;
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  Random random(12);
  const Script script = conversationScript(random, made.config.vocabularySize, 48, 2);
  const backend::PlaceOptions options = optionsFor(script, 48, 2, backend::Precision::exact);
  for (const model::SplitOptions& shares :
       {model::SplitOptions{.layers = {layers}, .hostExperts = 1}, model::SplitOptions{.layers = {layers}, .hostExperts = 3},
        model::SplitOptions{.layers = {layers}, .hostExperts = layers}, model::SplitOptions{.layers = {2}, .hostExperts = 2}}) {
    const auto part = model::splitPlan(*plan, shares);
    ASSERT_TRUE(part.has_value());
    const std::uint64_t room = cpu()->memoryNeeds(part->plans[0], options)->front().use.allocated();
    const auto both = combined(cpu(), {.experts = backend::HostExperts::asFewAsFit}, std::make_unique<CountingHost>(false, room));
    const auto difference = compareWithReference(*both, *plan, options, script);
    ASSERT_TRUE(difference.has_value()) << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::exact, ElementType::Q4_0)), "") << shares.hostExperts;
    const std::string said = std::to_string(shares.layers.front()) + " of 4 layers on cpu, the experts of " +
                             std::to_string(shares.hostExperts) + " of them on cpu#2";
    EXPECT_NE(both->info().detail.find(said), std::string::npos) << both->info().detail;
  }
}

TEST(Split, SaysWhichLayersCannotBe) {
  const RandomModel made = randomModel({.layers = 2});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  for (const model::SplitOptions& wrong :
       {model::SplitOptions{.layers = {3}}, model::SplitOptions{.layers = {-1}}, model::SplitOptions{.layers = {1}, .hostExperts = 1},
        model::SplitOptions{.layers = {0}, .hostExperts = 1}}) {
    const auto split = model::splitPlan(*plan, wrong);
    ASSERT_FALSE(split.has_value());
    EXPECT_EQ(split.error().kind, ErrorKind::invalidArgument);
  }
}

TEST(Split, HandsOneBufferAcrossWhereLayersAreCut) {
  const RandomModel made = randomModel({.layers = 4});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto split = model::splitPlan(*plan, {.layers = {2}});
  ASSERT_TRUE(split.has_value());
  ASSERT_EQ(split->parts.size(), 3U);
  EXPECT_TRUE(split->parts[0].takes.empty());
  EXPECT_EQ(split->parts[1].takes.size(), 1U);
  EXPECT_EQ(split->parts[2].takes.size(), 1U);
  EXPECT_EQ(split->plans[0].kv.size(), 2U);
  EXPECT_EQ(split->plans[1].kv.size(), 2U);
  EXPECT_EQ(split->plans[0].ops.size() + split->plans[1].ops.size(), plan->ops.size());
  EXPECT_EQ(split->plans[0].logits, model::none);
}

}  // namespace
}  // namespace minerva::tests
