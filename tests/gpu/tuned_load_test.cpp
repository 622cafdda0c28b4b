// Loads with a folder for what was measured: a device is measured once, steps take what was chosen, and the clock is the device's where it
// has one.
#include "core/engine/engine.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/projection_bench.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/stopwatch.h"
#include "gpu/runtime/tuning_file.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/reference_difference.h"
#include "tests/support/random_families.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace minerva::gpu {
namespace {

TEST(Timestamps, CountsMayBeginAgain) {
  EXPECT_DOUBLE_EQ(vulkan::millisecondsOf(5, 1'000'005, 64, 1), 1);
  EXPECT_DOUBLE_EQ(vulkan::millisecondsOf(0xffff'ffff'ffff'fff0, 16, 64, 10), 32 * 10e-6);
  EXPECT_DOUBLE_EQ(vulkan::millisecondsOf((std::uint64_t{1} << 36) - 100, 50, 36, 83.5), 150 * 83.5e-6);
  EXPECT_DOUBLE_EQ(vulkan::millisecondsOf(7, 7, 32, 52), 0);
}

class TunedLoad : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.describe, nullptr) << dlerror();
    m_validation = createVulkanBackend("vulkan:0", {.validation = true}).has_value();
  }
  [[nodiscard]] VulkanOptions options() const { return {.validation = m_validation, .cacheFolder = m_folder.path().string()}; }

  const tests::DescribingControls m_controls = describingControls();
  TemporaryFolder m_folder;
  bool m_validation = false;
};

// Time by the host stands still, so that it shows whose clock is read.
TEST_F(TunedLoad, TheClockIsTheDevicesWhereItsQueueHasOne) {
  struct Case {
    const char* device;
    std::uint64_t from, to;
    double milliseconds;
  };
  for (const Case& c : {Case{"rtx-4090", 1000, 3'001'000, 3}, Case{"rx-580", 0, 27'000'000, 27e6 * 37.037e-6},
                        Case{"uhd-620", (std::uint64_t{1} << 36) - 100, 50, 150 * 83.3333e-6}, Case{"apple-m1", 1000, 3'001'000, 0}}) {
    ASSERT_STREQ(m_controls.describe(deviceFile(c.device).c_str(), false), "");
    m_controls.timestamps(c.from, c.to);
    auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER, .validation = m_validation});
    ASSERT_TRUE(found.has_value()) << found.error().message();
    const auto device = vulkan::Device::create(std::move(found->instance), found->device);
    ASSERT_TRUE(device.has_value()) << device.error().message();
    auto timeline = vulkan::Timeline::create(*device);
    auto commands = vulkan::Commands::create(*device, true);
    const auto stopwatch = Stopwatch::create(*device);
    const auto buffer = vulkan::Buffer::create(*device, 1024, vulkan::MemoryKind::device);
    ASSERT_TRUE(timeline && commands && stopwatch && buffer);
    stopwatch->begin(*commands);
    commands->fill(buffer->view(), 1);
    commands->barrier();
    stopwatch->end(*commands);
    ASSERT_TRUE(commands->end());
    for (int again = 0; again < 2; ++again) {
      const tests::SimulatedClock clock;
      const auto measured = stopwatch->run(*timeline, *commands);
      ASSERT_TRUE(measured.has_value()) << measured.error().message();
      EXPECT_NEAR(*measured, c.milliseconds, 1e-3 * c.milliseconds) << c.device;
    }
    for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << c.device << ": " << message;
    EXPECT_EQ(std::string(m_controls.violations()), "") << c.device;
  }
}

TEST_F(TunedLoad, BandwidthIsThatOfTheDevicesClock) {
  ASSERT_STREQ(m_controls.describe(deviceFile("rtx-4090").c_str(), false), "");
  m_controls.timestamps(0, 8'000'000);  // 8 ms, however much is read
  const auto backend = createVulkanBackend(
      "vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER, .validation = m_validation, .memoryLimit = std::uint64_t{16} << 20});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const auto curve = (*backend)->measureReadBandwidth();
  ASSERT_TRUE(curve.has_value()) << curve.error().message();
  EXPECT_NEAR(curve->fromMemory(), (4 << 20) / 8e-3, 1) << "a quarter of the free memory, once";
  EXPECT_EQ(std::string(m_controls.violations()), "");
}

// By the host's clock the way to the device would be measured as well, where a product takes less: it is repeated. Time passes only while
// the device is woken.
TEST_F(TunedLoad, WithoutAClockOfTheQueueShortProductsAreRepeated) {
  const MatrixNeed need{.kind = {ElementType::Q8_0, true}, .rows = 64, .columns = 64, .bytes = 4096};
  std::map<std::string, unsigned long long> dispatches;
  for (const std::string name : {"apple-m1", "uhd-620"}) {
    ASSERT_STREQ(m_controls.describe(deviceFile(name).c_str(), false), "");
    auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER, .validation = m_validation, .memoryLimit = 16 << 20});
    ASSERT_TRUE(found.has_value()) << found.error().message();
    const auto device = vulkan::Device::create(std::move(found->instance), found->device);
    ASSERT_TRUE(device.has_value()) << device.error().message();
    EXPECT_EQ((*device)->info().timestampBits == 0, name == "apple-m1");
    Kernels kernels(*device);
    const tests::SimulatedClock clock;
    Clock::replace([] {
      tests::SimulatedClock::advance(1);
      return tests::SimulatedClock::now();
    });
    const auto bench = ProjectionBench::create(*device, kernels, {&need, 1}, {});
    Clock::replace(&tests::SimulatedClock::now);
    ASSERT_TRUE(bench.has_value()) << bench.error().message();
    const Tuning tuning = defaultTuning((*device)->info());
    ASSERT_TRUE((*bench)->measure(tuning, need, 64).has_value());
    dispatches[name] = m_controls.dispatches();
    for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << name << ": " << message;
    EXPECT_EQ(std::string(m_controls.violations()), "") << name;
  }
  EXPECT_EQ(dispatches["uhd-620"], 1U) << "once, in a recording that is submitted several times";
  EXPECT_EQ(dispatches["apple-m1"], 1U + 64U);
}

TEST_F(TunedLoad, IsMeasuredOnceAndSaysSo) {
  const tests::RandomModel random = tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .feedForward = 64});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value());
  for (const bool measures : {true, false}) {
    const auto backend = createVulkanBackend("vulkan:0", options());
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    for (const bool first : {true, false}) {
      std::vector<std::uint64_t> totals;
      const auto placed = (*backend)->place(*plan, small, [&](std::uint64_t, std::uint64_t total) { totals.push_back(total); }, {});
      ASSERT_TRUE(placed.has_value()) << placed.error().message();
      EXPECT_EQ(std::ranges::count(totals, 0U), measures && first ? 1 : 0);
      EXPECT_LT(differenceFromReference(**placed, *plan, small), 1e-2);
    }
    for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
  }
  const auto kept = loadTuning(m_folder.path(), findDevice("vulkan:0", {})->device);
  ASSERT_TRUE(kept.has_value());
  EXPECT_TRUE(kept->measured.contains({ElementType::Q8_0, true}));
  std::stop_source stop;
  stop.request_stop();
  const tests::RandomModel other = tests::randomModel({.type = ElementType::Q4_0, .hidden = 64, .layers = 1, .feedForward = 64});
  const auto otherPlan = model::buildPlan(other.config);
  const auto backend = createVulkanBackend("vulkan:0", options());
  const auto stopped = (*backend)->place(*otherPlan, small, {}, stop.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

TEST_F(TunedLoad, TheEngineHasAPhaseForIt) {
  const auto backend = createVulkanBackend("vulkan:0", options());
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  engine::LoadOptions load;
  load.path = MINERVA_SOURCE_DIR "/resources/builtin-model";
  std::vector<engine::LoadProgress::Phase> phases;
  const auto loaded =
      engine::Engine::load(**backend, load, [&](const engine::LoadProgress& progress) { phases.push_back(progress.phase); }, {});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
  using Phase = engine::LoadProgress::Phase;
  const auto measuring = std::ranges::find(phases, Phase::measuring), weights = std::ranges::find(phases, Phase::weights);
  ASSERT_NE(measuring, phases.end());
  EXPECT_LT(measuring, weights);
}

// Choices that differ by kind, of which steps of every length take theirs: compiled ahead, and right.
TEST_F(TunedLoad, StepsTakeEachKindsChoiceAndCompileNothing) {
  const auto found = findDevice("vulkan:0", {});
  ASSERT_TRUE(found.has_value());
  const auto choose = [&](std::uint32_t rows, std::uint32_t columns, bool texel) {
    ProjectionChoice choice = choiceOf(defaultTuning(found->device), {ElementType::F32, false});
    choice.one = {.texel = texel, .rows = rows, .teams = 1, .columns = 1, .share = 1};
    choice.many = {.texel = texel, .rows = rows, .teams = 1, .columns = columns, .share = 1};
    choice.parts = {.one = true, .many = true, .longSteps = true, .loads = 1};
    return choice;
  };
  Tuning tuning = defaultTuning(found->device);
  tuning.measured[{ElementType::F32, true}] = choose(2, 4, false);
  tuning.measured[{ElementType::Q8_0, true}] = choose(4, 2, true);
  tuning.measured[{ElementType::Q8_0, false}] = choose(2, 8, false);
  saveTuning(m_folder.path(), found->device, tuning);
  std::vector<tests::RandomModel> models;
  models.push_back(tests::randomModel({.type = ElementType::Q8_0, .vocabulary = 2080, .hidden = 64, .layers = 1, .feedForward = 64}));
  models.push_back(tests::randomModel({.hidden = 64, .layers = 1}));
  tests::addExperts(models.back(), tests::expertShapes().front());
  const backend::PlaceOptions ahead{.contextLength = 64, .slots = 2, .maxRows = 40, .maxOutputRows = 40, .compileAhead = true};
  for (const tests::RandomModel& random : models) {
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value());
    const auto backend = createVulkanBackend("vulkan:0", options());
    ASSERT_TRUE(backend.has_value()) << backend.error().message();
    bool measured = false;
    const auto placed = (*backend)->place(*plan, ahead, [&](std::uint64_t, std::uint64_t total) { measured = measured || total == 0; }, {});
    ASSERT_TRUE(placed.has_value()) << placed.error().message();
    EXPECT_FALSE(measured) << "all kinds were known";
    const std::size_t ready = (*backend)->pipelinesMade();
    for (const int rows : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 40}) {
      std::vector<backend::StepRow> step;
      for (int i = 0; i < rows; ++i) step.push_back({i % 5, i, 0, i >= rows - 8});
      ASSERT_TRUE((*placed)->step(step).has_value());
      EXPECT_EQ((*backend)->pipelinesMade(), ready) << rows << " rows";
    }
    EXPECT_LT(differenceFromReference(**placed, *plan, ahead), 1e-2);
    for (const std::string& message : (*backend)->validationMessages()) ADD_FAILURE() << message;
  }
}

}  // namespace
}  // namespace minerva::gpu
