// Which forms are chosen for the matrices of a model, on devices that exist only here: what each form takes is made up, and time passes
// only as far as it does.
#include "core/base/kept_file.h"
#include "gpu/runtime/cache_file.h"
#include "gpu/runtime/projection_form.h"
#include "gpu/runtime/steady_time.h"
#include "gpu/runtime/tuner.h"
#include "gpu/runtime/tuning_file.h"
#include "gpu/shaders/shared/choices.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/random_families.h"
#include "tests/support/simulated_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <string>

namespace minerva::gpu {
namespace {

vulkan::DeviceInfo card() {
  vulkan::DeviceInfo device;
  device.uuid = "0123456789abcdef0123456789abcdef";
  device.driverVersion = 7;
  device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = 32;
  device.maxWorkgroupInvocations = 1024;
  device.maxSharedMemory = 48 << 10;
  return device;
}
vulkan::DeviceInfo cardWithUnits() {
  vulkan::DeviceInfo device = card();
  device.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = true};
  return device;
}

MatrixNeed need(ElementType type, std::uint32_t rows) { return {.kind = kindOf(type, rows), .rows = rows, .columns = 4096, .bytes = rows}; }

// Which kernel and form a projection takes with a tuning.
struct Chosen {
  ElementType type;
  bool narrow, tiles, units, halfSums;
  MatvecChoice form;  // where it is neither
  std::uint32_t lanes, tokens;
};

class MadeUpMeter : public ProjectionMeter {
 public:
  using Cost = std::function<double(const Chosen&)>;
  MadeUpMeter(Cost cost, double passes) : m_cost(std::move(cost)), m_passes(passes) {}

  // Each kernel is compiled once, by one thread.
  void prepare(std::span<const Tuning> tunings, const MatrixNeed& need, std::uint32_t tokens) override {
    for (const Tuning& tuning : tunings) {
      const ProjectionChoice choice = choiceOf(tuning, need.kind);
      const MatvecChoice& form = tokens == 1 ? choice.one : choice.many;
      const std::string kernel = std::string(traits(need.kind.type).name) +
                                 (tokens >= choice.unitsFrom   ? choice.halfSums ? "h" : "u"
                                  : tokens >= choice.tilesFrom ? "t"
                                                               : "v" + std::to_string(form.rows) + (form.texel ? "x" : "") +
                                                                     std::to_string(form.teams) + "," + std::to_string(form.share));
      if (m_compiled.insert(kernel).second) tests::SimulatedClock::advance(compiling);
    }
  }
  Result<double> measure(const Tuning& tuning, const MatrixNeed& need, std::uint32_t tokens) override {
    tests::SimulatedClock::advance(m_passes);
    spent += m_passes;
    ++measured[need.kind];
    const ProjectionChoice choice = choiceOf(tuning, need.kind);
    const bool units = tokens >= choice.unitsFrom, tiles = !units && tokens >= choice.tilesFrom;
    return m_cost({need.kind.type, need.kind.narrow, tiles, units, units && choice.halfSums, tokens == 1 ? choice.one : choice.many,
                   tuning.lanes, tokens});
  }

  double compiling = 0;  // milliseconds a kernel
  double spent = 0;
  std::map<MatrixKind, int> measured;

 private:
  Cost m_cost;
  double m_passes;
  std::set<std::string> m_compiled;
};

double alike(const Chosen&) { return 1; }

TEST(Tuner, EachKindGetsTheFormThatIsFastestForIt) {
  const tests::SimulatedClock clock;
  // Q4_K likes 8 rows, where there are many; Q6_K one row, and texels; all like blocks of their own.
  MadeUpMeter meter(
      [](const Chosen& c) {
        const bool six = c.type == ElementType::Q6_K;
        return (c.form.rows == (six || c.narrow ? 1U : 8U) ? 1.0 : 2.0) + (c.form.texel == six ? 0 : 0.5) + (c.form.share == 1 ? 0 : 0.5);
      },
      1);
  Tuning tuning = defaultTuning(card());
  const Tuning usual = tuning;
  const std::vector<MatrixNeed> needs{need(ElementType::Q4_K, 4096), need(ElementType::Q6_K, 4096), need(ElementType::Q4_K, 512)};
  ASSERT_TRUE(measureTuning(tuning, needs, true, card(), meter, {}).has_value());
  ASSERT_EQ(tuning.measured.size(), 3U);
  const ProjectionChoice wide = choiceOf(tuning, {ElementType::Q4_K, false}), narrow = choiceOf(tuning, {ElementType::Q4_K, true});
  const ProjectionChoice other = choiceOf(tuning, {ElementType::Q6_K, false});
  EXPECT_EQ(wide.one.rows, 8U);
  EXPECT_EQ(wide.many.rows, 8U);
  EXPECT_EQ(wide.one.share, 1U);
  EXPECT_FALSE(wide.one.texel);
  EXPECT_EQ(narrow.one.rows, 1U);
  EXPECT_EQ(other.one.rows, 1U);
  EXPECT_TRUE(other.one.texel);
  EXPECT_TRUE(other.many.texel);
  // Kinds that were not measured have what is usual.
  EXPECT_EQ(choiceOf(tuning, {ElementType::Q8_0, false}).one, usual.one);
  EXPECT_EQ(choiceOf(tuning, {ElementType::Q6_K, true}).many, usual.many);
  // A form goes with its matrix: kernels are those of the kind.
  const auto rowsOf = [&](ElementType type, std::uint32_t groups) {
    return projectionForm(tuning, {}, {.type = type, .groups = groups}).constants.at(2);
  };
  EXPECT_EQ(rowsOf(ElementType::Q4_K, 4096 / groupRows), 8U);
  EXPECT_EQ(rowsOf(ElementType::Q4_K, 512 / groupRows), 1U);
  EXPECT_EQ(rowsOf(ElementType::Q8_0, 4096 / groupRows), usual.one.rows);
  EXPECT_EQ(projectionForm(tuning, {}, {.type = ElementType::Q6_K, .groups = 512}).kernel, "matvec_texel_Q6_K");
  EXPECT_EQ(projectionForm(tuning, {}, {.type = ElementType::Q6_K, .groups = 512, .bytes = 1 << 20, .texels = 1 << 15}).kernel,
            "matvec_Q6_K");
}

TEST(Tuner, AnotherModelMeasuresOnlyWhatIsNew) {
  const tests::SimulatedClock clock;
  MadeUpMeter meter(alike, 1);
  Tuning tuning = defaultTuning(card());
  const MatrixNeed first = need(ElementType::Q4_0, 4096), second = need(ElementType::Q8_0, 4096);
  ASSERT_TRUE(measureTuning(tuning, std::vector{first}, true, card(), meter, {}).has_value());
  const int before = meter.measured[first.kind];
  EXPECT_GT(before, 5);
  ASSERT_TRUE(measureTuning(tuning, std::vector{first, second}, false, card(), meter, {}).has_value());
  EXPECT_EQ(meter.measured[first.kind], before);
  EXPECT_GT(meter.measured[second.kind], 5);
  EXPECT_EQ(tuning.measured.size(), 2U);
}

// However slow the device and however many kinds there are; what was not measured will be another time.
TEST(Tuner, TakesTwoSecondsAtMost) {
  const tests::SimulatedClock clock;
  std::vector<MatrixNeed> needs;
  for (const ElementType type : {ElementType::Q4_K, ElementType::Q6_K, ElementType::Q8_0, ElementType::F16, ElementType::MXFP4})
    for (const std::uint32_t rows : {4096U, 512U}) needs.push_back(need(type, rows));
  for (const double passes : {1.0, 30.0, 150.0, 900.0}) {
    MadeUpMeter meter(alike, passes);
    Tuning tuning = defaultTuning(cardWithUnits());
    ASSERT_TRUE(measureTuning(tuning, needs, true, cardWithUnits(), meter, {}).has_value());
    EXPECT_LE(meter.spent, 2000 + passes) << passes;
    EXPECT_GE(tuning.measured.size(), passes < 200 ? needs.size() : 2U) << passes << ": one measurement of each comes before a second";
    EXPECT_TRUE(tuning.measured.contains(needs.front().kind)) << passes;
    if (passes > 200) {
      EXPECT_FALSE(tuning.measured.contains(needs.back().kind)) << passes;
    }
  }
}

// A driver that takes far longer to compile a kernel than the device to run it.
TEST(Tuner, TheTimeOfTheCompilerDoesNotCount) {
  const tests::SimulatedClock clock;
  const vulkan::DeviceInfo device = cardWithUnits();
  const std::vector<MatrixNeed> needs{need(ElementType::Q4_K, 4096), need(ElementType::Q6_K, 4096)};
  MadeUpMeter meter([](const Chosen& c) { return c.units ? 3 : c.tiles ? 2 : c.tokens > 8 ? 9 : c.form.rows == 8 ? 1 : 2; }, 1);
  meter.compiling = 300;
  Tuning tuning = defaultTuning(device);
  ASSERT_TRUE(measureTuning(tuning, needs, true, device, meter, {}).has_value());
  for (const MatrixNeed& n : needs) {
    const ProjectionChoice choice = choiceOf(tuning, n.kind);
    EXPECT_TRUE(isSettled(tuning, device, n.kind));
    EXPECT_EQ(choice.one.rows, 8U);
    EXPECT_EQ(choice.many.rows, 8U);
    EXPECT_EQ(choice.unitsFrom, UnitsChoice::never) << "tiles are faster";
  }
}

// Nor is it waited for without end: the next load goes on, behind what the driver's cache has kept.
TEST(Tuner, WhatWasNotMeasuredIsMeasuredByLaterLoads) {
  const tests::SimulatedClock clock;
  const vulkan::DeviceInfo device = cardWithUnits();
  const std::vector<MatrixNeed> needs{need(ElementType::Q4_K, 4096), need(ElementType::Q6_K, 4096), need(ElementType::Q8_0, 4096)};
  MadeUpMeter slow(alike, 1);
  slow.compiling = 3000;
  Tuning tuning = defaultTuning(device);
  int loads = 0;
  const auto settled = [&] { return std::ranges::all_of(needs, [&](const MatrixNeed& n) { return isSettled(tuning, device, n.kind); }); };
  for (; loads < 12 && !settled(); ++loads) {
    const TimePoint from = Clock::now();
    ASSERT_TRUE(measureTuning(tuning, needs, tuning.measured.empty(), device, slow, {}).has_value());
    EXPECT_LE(millisecondsBetween(from, Clock::now()), 2000 + 20000 + 12 * 3000);
    for (const auto& [kind, choice] : tuning.measured) EXPECT_TRUE(choice.parts.one) << "nothing is kept that was not measured";
  }
  EXPECT_GT(loads, 1);
  EXPECT_LT(loads, 12);
  // A device that is too slow to measure all is not measured with every model.
  MadeUpMeter crawling(alike, 900);
  tuning = defaultTuning(device);
  for (loads = 0; loads < 12 && !isSettled(tuning, device, needs.front().kind); ++loads)
    ASSERT_TRUE(measureTuning(tuning, needs, tuning.measured.empty(), device, crawling, {}).has_value());
  EXPECT_LE(loads, 3);
}

// Forms that are equally fast, on a device whose clock rises: each measurement takes a hundredth less than the one before.
TEST(Tuner, ARisingClockChoosesNothing) {
  const tests::SimulatedClock clock;
  double time = 1;
  MadeUpMeter meter([&](const Chosen&) { return time *= 0.99; }, 1);
  vulkan::DeviceInfo device = card();
  device.subgroupSizeChoice = true;
  device.minSubgroupSize = 8;
  Tuning tuning = defaultTuning(device);
  const Tuning usual = tuning;
  ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, device, meter, {}).has_value());
  const ProjectionChoice choice = choiceOf(tuning, {ElementType::Q4_K, false});
  EXPECT_TRUE(choice.parts.one && choice.parts.many);
  EXPECT_EQ(choice.one, usual.one);
  EXPECT_EQ(choice.many, usual.many);
  EXPECT_EQ(tuning.lanes, usual.lanes);
}

TEST(SteadyTime, CountsFromWhereTheTimesNoLongerFall) {
  int runs = 0;
  const auto falling = [&]() -> Result<double> { return std::max(1.0, 4.0 - 0.5 * runs++); };
  EXPECT_EQ(*leastSteadyTime({}, falling), 1);
  EXPECT_EQ(runs, 15) << "six that fall, one that is like the last of them, and 8 ms with it";
  runs = 0;
  EXPECT_EQ(*leastSteadyTime({.waking = 0, .enough = 4}, falling), 3) << "nothing has to wake up";
  EXPECT_EQ(runs, 3);
  runs = 0;
  const auto endless = [&]() -> Result<double> { return 100.0 / (1 << runs++); };
  EXPECT_EQ(*leastSteadyTime({}, endless), 50) << "150 ms are enough";
  const auto failing = []() -> Result<double> { return fail({.kind = ErrorKind::deviceLost, .what = "lost"}); };
  EXPECT_FALSE(leastSteadyTime({}, failing).has_value());
}

TEST(Tuner, StopsBetweenMeasurementsWithoutAChoice) {
  const tests::SimulatedClock clock;
  std::stop_source stop;
  MadeUpMeter meter([&](const Chosen&) { return stop.request_stop(), 1.0; }, 1);
  Tuning tuning = defaultTuning(card());
  const auto result = measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, card(), meter, stop.get_token());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(meter.spent, 1);
}

TEST(Tuner, ADriverThatCannotCompileTheUsualFormGetsAnother) {
  const tests::SimulatedClock clock;
  MadeUpMeter meter([](const Chosen& c) { return c.form.rows == 4 ? 1 : std::numeric_limits<double>::infinity(); }, 1);
  Tuning tuning = defaultTuning(card());
  ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, card(), meter, {}).has_value());
  EXPECT_EQ(choiceOf(tuning, {ElementType::Q4_K, false}).one.rows, 4U);
}

TEST(Tuner, LongStepsTakeTilesAndUnitsFromWhereTheyAreFaster) {
  const tests::SimulatedClock clock;
  struct Case {
    double tiles, units;                 // of 16 tokens; the matrix-vector kernel takes 4
    double longTiles, longUnits;         // of 256 tokens; it takes 40
    std::uint32_t tilesFrom, unitsFrom;  // expected
  };
  const vulkan::DeviceInfo device = cardWithUnits();
  const Tuning usual = defaultTuning(device);
  constexpr std::uint32_t never = MatmulChoice::never;
  for (const Case& c : {Case{2, 1, 20, 10, usual.tiles.from, usual.units.from}, Case{5, 1, 20, 10, 64, usual.units.from},
                        Case{5, 5, 50, 10, never, 64}, Case{2, 1, 10, 20, usual.tiles.from, never}, Case{9, 9, 90, 90, never, never}}) {
    MadeUpMeter meter(
        [&](const Chosen& chosen) {
          const bool few = chosen.tokens <= 16;
          return chosen.tiles ? (few ? c.tiles : c.longTiles) : chosen.units ? (few ? c.units : c.longUnits) : few ? 4 : 40;
        },
        1);
    Tuning tuning = usual;
    ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, device, meter, {}).has_value());
    const ProjectionChoice choice = choiceOf(tuning, {ElementType::Q4_K, false});
    EXPECT_EQ(choice.tilesFrom, c.tilesFrom);
    EXPECT_EQ(choice.unitsFrom, c.unitsFrom);
  }
  // F32 takes no part in units; and where they multiply wrongly, no kind does.
  MadeUpMeter meter([](const Chosen& chosen) { return chosen.units ? 1 : 4; }, 1);
  Tuning tuning = usual;
  ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, device, meter, {}).has_value());
  EXPECT_EQ(choiceOf(tuning, {ElementType::Q4_K, false}).unitsFrom, usual.units.from);
  tuning.units.from = UnitsChoice::never;
  EXPECT_EQ(choiceOf(tuning, {ElementType::Q4_K, false}).unitsFrom, UnitsChoice::never);
}

// Sums of float16 are taken where they are a tenth faster, for weights that are quantized, by devices that have them.
TEST(Tuner, UnitsAddInHalfPrecisionWhereThatIsFaster) {
  const tests::SimulatedClock clock;
  const std::vector<MatrixNeed> needs{need(ElementType::Q4_K, 4096), need(ElementType::BF16, 4096), need(ElementType::Q6_K, 4096)};
  const auto chosen = [&](double halves, bool has, bool right) {
    vulkan::DeviceInfo device = cardWithUnits();
    device.matrixUnit.halfSums = has;
    Tuning tuning = defaultTuning(device);
    if (!right) tuning.units.halfSums = false;  // as the check found
    MadeUpMeter meter(
        [&](const Chosen& c) {
          if (c.tiles) return 3.0;
          return !c.units ? 4.0 : c.halfSums && c.type != ElementType::Q6_K ? halves : 2.0;
        },
        1);
    EXPECT_TRUE(measureTuning(tuning, needs, true, device, meter, {}).has_value());
    std::string kinds;
    for (const MatrixNeed& n : needs) {
      const ProjectionForm form =
          projectionForm(tuning, device.matrixUnit, {.type = n.kind.type, .groups = 512, .tokens = 512, .rounds = true});
      kinds += form.kernel + " ";
    }
    return kinds;
  };
  const std::string floats = "matmul_units_Q4_K matmul_units_BF16 matmul_units_Q6_K ";
  EXPECT_EQ(chosen(1.2, true, true), "matmul_units_halves_Q4_K matmul_units_BF16 matmul_units_Q6_K ");
  EXPECT_EQ(chosen(1.9, true, true), floats) << "not worth it";
  EXPECT_EQ(chosen(1.2, false, true), floats);
  EXPECT_EQ(chosen(1.2, true, false), floats);
}

// Units with sums of float32 are slower than tiles, those with sums of float16 faster: units are taken.
TEST(Tuner, TilesAreComparedWithTheFasterOfBothSums) {
  const tests::SimulatedClock clock;
  const vulkan::DeviceInfo device = cardWithUnits();
  MadeUpMeter meter([](const Chosen& c) { return c.tiles ? 2.0 : !c.units ? 4.0 : c.halfSums ? 1.5 : 2.5; }, 1);
  Tuning tuning = defaultTuning(device);
  ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, device, meter, {}).has_value());
  EXPECT_TRUE(choiceOf(tuning, {ElementType::Q4_K, false}).halfSums);
  EXPECT_NE(choiceOf(tuning, {ElementType::Q4_K, false}).unitsFrom, UnitsChoice::never);
}

// A driver gives a device up that does not answer for a second or two.
TEST(Tuner, ASlowDeviceIsNotAskedForALongStep) {
  const tests::SimulatedClock clock;
  double longest = 0;
  MadeUpMeter meter(
      [&](const Chosen& c) {
        const double time = 3.0 * c.tokens + (c.tiles || c.units ? 1 : 0);  // 768 ms for the longest step
        longest = std::max(longest, time);
        return time;
      },
      1);
  Tuning tuning = defaultTuning(cardWithUnits());
  const Tuning usual = tuning;
  ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_0, 4096)}, true, cardWithUnits(), meter, {}).has_value());
  EXPECT_LE(longest, 500);
  const ProjectionChoice choice = choiceOf(tuning, {ElementType::Q4_0, false});
  EXPECT_EQ(choice.tilesFrom, usual.tiles.from);
  EXPECT_EQ(choice.unitsFrom, usual.units.from);
}

TEST(Tuner, TheSubgroupSizeIsThatOfTheMatricesWithMostBytes) {
  const tests::SimulatedClock clock;
  vulkan::DeviceInfo device = card();
  device.subgroupSizeChoice = true;
  device.minSubgroupSize = 8;
  MadeUpMeter meter([](const Chosen& c) { return c.lanes == (c.type == ElementType::Q4_K ? 16U : 8U) ? 1 : 2; }, 1);
  Tuning tuning = defaultTuning(device);
  ASSERT_TRUE(
      measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096), need(ElementType::F16, 4096)}, true, device, meter, {}).has_value());
  EXPECT_EQ(tuning.lanes, 16U);
  EXPECT_EQ(tuning.measured.size(), 2U);
}

// What its matrix units take has nothing to do with it.
TEST(Tuner, TheSubgroupSizeIsFoundBesideMatrixUnits) {
  const tests::SimulatedClock clock;
  vulkan::DeviceInfo device = cardWithUnits();
  device.vendorId = 0x8086;
  device.subgroupSizeChoice = true;
  device.minSubgroupSize = 8;
  device.matrixUnit = {.m = 8, .n = 8, .k = 16, .halfSums = false};
  device.maxSharedMemory = 64 << 10;
  MadeUpMeter meter([](const Chosen& c) { return c.units ? 0.5 : c.lanes == 16 ? 1 : 2; }, 1);
  Tuning tuning = defaultTuning(device);
  tuning.units.checked = true;
  ASSERT_EQ(tuning.lanes, 8U);
  ASSERT_TRUE(measureTuning(tuning, std::vector{need(ElementType::Q4_K, 4096)}, true, device, meter, {}).has_value());
  EXPECT_EQ(tuning.lanes, 16U);
  EXPECT_EQ(tuning.units.lanes, 8U);
  EXPECT_TRUE(tuning.units.checked);
  EXPECT_NE(choiceOf(tuning, {ElementType::Q4_K, false}).unitsFrom, UnitsChoice::never);
}

// All projections of a route share the list of tiles, whatever their types.
TEST(Tuner, GatheredPlacesShareOneChoice) {
  Tuning tuning = defaultTuning(card());
  ProjectionChoice slow = choiceOf(tuning, {ElementType::Q4_K, false});
  slow.tilesFrom = MatmulChoice::never;
  slow.many.columns = 2;
  tuning.measured[{ElementType::Q4_K, false}] = slow;
  for (const bool ofExperts : {false, true}) {
    if (ofExperts) tuning.gathered = MatrixKind{ElementType::Q4_K, false};
    const Gathering gathering = gatheringOf(tuning, {}, {512, 512}, 32, 4, false);
    EXPECT_EQ(gathering.tile == 2, ofExperts);
    for (const ElementType type : {ElementType::Q4_K, ElementType::Q6_K, ElementType::F16}) {
      for (const std::uint32_t groups : {64U, 512U}) {
        const ProjectionNeeds needs{.type = type, .groups = groups, .tokens = gathering.tokens, .places = choice::placesGathered};
        EXPECT_EQ(projectionForm(tuning, {}, needs).columns, gathering.tile) << traits(type).name << ", " << groups;
      }
    }
  }
}

TEST(MatrixNeeds, AreTheKindsOfAPlanMostBytesFirst) {
  tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0,
                                                .vocabulary = 4096,
                                                .hidden = 256,
                                                .layers = 2,
                                                .heads = 4,
                                                .kvHeads = 2,
                                                .headDim = 64,
                                                .feedForward = 512});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const std::vector<MatrixNeed> needs = matrixNeeds(*plan, planMatrices(*plan));
  ASSERT_EQ(needs.size(), 2U);
  EXPECT_EQ(needs[0].kind, (MatrixKind{ElementType::Q8_0, true})) << "the layers'";
  EXPECT_EQ(needs[1].kind, (MatrixKind{ElementType::Q8_0, false})) << "the head; the table that is only looked up does not count";
  EXPECT_EQ(needs[1].rows, 4096U);
  EXPECT_EQ(needs[1].columns, 256U);
  EXPECT_GT(needs[0].bytes, needs[1].bytes);
  EXPECT_EQ(kindOfExperts(*plan, planMatrices(*plan)), std::nullopt);
}

TEST(MatrixNeeds, OfExpertsOneCounts) {
  tests::RandomModel made = tests::randomModel({.hidden = 64, .layers = 2});
  tests::addExperts(made, tests::expertShapes().front());
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const MatrixPlan matrices = planMatrices(*plan);
  const auto experts = kindOfExperts(*plan, matrices);
  ASSERT_TRUE(experts.has_value());
  EXPECT_TRUE(experts->narrow);
  EXPECT_TRUE(std::ranges::any_of(matrixNeeds(*plan, matrices), [&](const MatrixNeed& need) { return need.kind == *experts; }));
}

class TuningFile : public testing::Test {
 protected:
  static Tuning some(const vulkan::DeviceInfo& device) {
    Tuning tuning = defaultTuning(device);
    tuning.measured[{ElementType::Q4_K, false}] = {.one = {.texel = true, .rows = 8, .teams = 2, .columns = 1, .share = 1},
                                                   .many = {.texel = false, .rows = 1, .teams = 4, .columns = 4, .share = 4},
                                                   .tilesFrom = 64,
                                                   .unitsFrom = UnitsChoice::never,
                                                   .halfSums = true};
    tuning.measured[{ElementType::MXFP4, true}] = choiceOf(tuning, {ElementType::MXFP4, true});
    tuning.measured[{ElementType::MLX4_G32_F16, false}] = choiceOf(tuning, {ElementType::F16, true});
    return tuning;
  }
  [[nodiscard]] std::filesystem::path file(const vulkan::DeviceInfo& device) const { return cacheFile(m_folder.path(), device, "tuning"); }
  void write(const vulkan::DeviceInfo& device, const std::string& text) const { keepBytes(file(device), std::as_bytes(std::span(text))); }
  [[nodiscard]] std::optional<Tuning> load(const vulkan::DeviceInfo& device) const { return loadTuning(m_folder.path(), device); }

  TemporaryFolder m_folder;
};

TEST_F(TuningFile, ComesBackForItsDeviceAndDriverAlone) {
  for (const vulkan::DeviceInfo& device : {card(), cardWithUnits()}) {
    const Tuning tuning = some(device);
    saveTuning(m_folder.path(), device, tuning);
    const auto kept = load(device);
    ASSERT_TRUE(kept.has_value());
    EXPECT_EQ(kept->measured, tuning.measured);
    EXPECT_EQ(kept->lanes, tuning.lanes);
    EXPECT_EQ(kept->units.from, tuning.units.from);
    EXPECT_FALSE(kept->units.checked);
    EXPECT_EQ(kept->one, tuning.one);
    vulkan::DeviceInfo updated = device;
    updated.driverVersion = 8;
    EXPECT_FALSE(load(updated).has_value());
    updated = device;
    updated.uuid[0] = '1';
    EXPECT_FALSE(load(updated).has_value());
    // Another card in the same slot, whose UUID some drivers make of that alone.
    for (const auto number : {&vulkan::DeviceInfo::vendorId, &vulkan::DeviceInfo::deviceId}) {
      updated = device;
      ++(updated.*number);
      EXPECT_FALSE(load(updated).has_value());
    }
    updated = device;
    updated.name += " XT";
    EXPECT_FALSE(load(updated).has_value());
  }
  // Units that multiply wrongly are remembered.
  Tuning wrong = defaultTuning(cardWithUnits());
  wrong.units.from = UnitsChoice::never;
  wrong.units.checked = true;
  saveTuning(m_folder.path(), cardWithUnits(), wrong);
  ASSERT_TRUE(load(cardWithUnits()).has_value());
  EXPECT_EQ(load(cardWithUnits())->units.from, UnitsChoice::never);
  EXPECT_TRUE(load(cardWithUnits())->units.checked);
  // So is attention that failed its check.
  wrong = defaultTuning(cardWithUnits());
  ASSERT_TRUE(wrong.units.attention);
  wrong.units.attention = false;
  saveTuning(m_folder.path(), cardWithUnits(), wrong);
  ASSERT_TRUE(load(cardWithUnits()).has_value());
  EXPECT_FALSE(load(cardWithUnits())->units.attention);
  // And sums of float16.
  wrong = defaultTuning(cardWithUnits());
  ASSERT_TRUE(wrong.units.halfSums);
  wrong.units.halfSums = false;
  saveTuning(m_folder.path(), cardWithUnits(), wrong);
  ASSERT_TRUE(load(cardWithUnits()).has_value());
  EXPECT_FALSE(load(cardWithUnits())->units.halfSums);
  EXPECT_NE(load(cardWithUnits())->units.from, UnitsChoice::never);
}

TEST_F(TuningFile, TheSubgroupSizeIsKeptWhereTheDeviceStillHasIt) {
  vulkan::DeviceInfo wide = card();
  wide.subgroupSizeChoice = true;
  wide.minSubgroupSize = 8;
  saveTuning(m_folder.path(), wide, defaultTuning(wide, 16));
  ASSERT_TRUE(load(wide).has_value());
  EXPECT_EQ(load(wide)->lanes, 16U);
  EXPECT_FALSE(load(card()).has_value());
}

TEST_F(TuningFile, IsIgnoredWhenItIsDamagedOrOld) {
  saveTuning(m_folder.path(), card(), some(card()));
  const std::string whole = TemporaryFolder::read(file(card()));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string spoilt = whole;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 1);
    std::ofstream(file(card()), std::ios::binary) << spoilt;
    EXPECT_FALSE(load(card()).has_value()) << "byte " << at;
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(file(card()), std::ios::binary) << whole.substr(0, length);
    EXPECT_FALSE(load(card()).has_value()) << length << " bytes";
  }
  std::ofstream(file(card()), std::ios::binary) << "3 32\n0 2 4 1 4\n0 4 4 8 4\n9 4294967295\n";
  EXPECT_FALSE(load(card()).has_value()) << "the format before this one";
}

// Lines that are whole, and still nothing to use: of another version, or what this device could not run.
TEST_F(TuningFile, NothingIsUsedThatTheDeviceCouldNotRun) {
  const std::string never = std::to_string(MatmulChoice::never) + " 0 1 1 1 1";
  const std::string good = "Q4_K 0 0 2 4 1 4 0 4 4 8 4 9 " + never + "\n";
  write(card(), "8 32 0 0 0 1\n" + good);
  ASSERT_TRUE(load(card()).has_value());
  EXPECT_EQ(load(card())->measured.size(), 1U);
  for (const std::string& line : {"Q9_Z 0 0 2 4 1 4 0 4 4 8 4 9 " + never,                  // no such type
                                  "Q4_K 0 0 3 4 1 4 0 4 4 8 4 9 " + never,                  // three rows
                                  "Q4_K 0 0 2 64 1 4 0 4 4 8 4 9 " + never,                 // a workgroup of 2048
                                  "Q4_K 0 0 2 0 1 4 0 4 4 8 4 9 " + never,                  // and of none
                                  "Q4_K 0 0 2 4 1 4 0 4 4 8 3 9 " + never,                  // three lanes that share
                                  "Q4_K 0 0 2 4 1 4 0 4 4 8 4 0 " + never,                  // no tokens
                                  std::string("Q4_K 0 0 2 4 1 4 0 4 4 8 4 9 9 0 1 1 1 1"),  // units, which it has not
                                  std::string("Q4_K 0 0 2 4 1 4 0 4 4 8 4"),                // not all
                                  "Q4_K 0 0 2 4 1 4 0 4 4 8 4 9 " + never + " 1", std::string("Q4_K 0 0 2 x 1 4"), std::string(),
                                  good + good.substr(0, good.size() - 1)}) {  // a second time
    write(card(), "8 32 0 0 0 1\n" + line + "\n");
    EXPECT_FALSE(load(card()).has_value()) << line;
  }
  for (const std::string first : {"7 32 0 0 0 1", "9 32 0 0 0 1", "8 16 0 0 0 1", "8 32 0 0 0", "8 32 0 0 0 1 0", "", "8 32 2 0 0 1",
                                  "8 32 0 2 0 1", "8 32 0 0 2 1", "8 32 0 0 0 2"}) {
    write(card(), first + "\n" + good);
    EXPECT_FALSE(load(card()).has_value()) << first;
  }
}

}  // namespace
}  // namespace minerva::gpu
