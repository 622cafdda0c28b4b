// Dispatches that would take a slow device longer than half a second are cut into several, which changes no result.
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/dispatch_cut.h"
#include "gpu/runtime/placement.h"
#include "tests/gpu/large_model.h"
#include "tests/gpu/validated_device.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace minerva::gpu {
namespace {

using Groups = std::array<std::uint32_t, 3>;

TEST(DispatchCut, EveryWorkgroupRunsOnceAndNoPartIsTooLong) {
  for (const Groups& groups : {Groups{7, 1, 1}, Groups{7, 5, 1}, Groups{7, 1, 6}, Groups{3, 5, 4}, Groups{1, 65, 3}}) {
    const double each = 10, all = each * groups[0] * groups[1] * groups[2];
    for (const double most : {1.0, 69.0, 70.0, 71.0, 100.0, 350.0, 1e3, 1e9}) {
      std::map<Groups, int> ran;
      for (const vulkan::Workgroups& part : cutDispatch(groups, all, most)) {
        EXPECT_EQ(part.first[0], 0U);
        EXPECT_EQ(part.count[0], groups[0]) << "kernels multiply by the number along x";
        const double flops = each * part.count[0] * part.count[1] * part.count[2];
        EXPECT_TRUE(flops <= most || part.count[1] * part.count[2] == 1) << flops << " of " << most;
        for (std::uint32_t y = 0; y < part.count[1]; ++y)
          for (std::uint32_t z = 0; z < part.count[2]; ++z) ++ran[{0, part.first[1] + y, part.first[2] + z}];
      }
      EXPECT_EQ(ran.size(), std::size_t{groups[1]} * groups[2]);
      for (const auto& [where, times] : ran) EXPECT_EQ(times, 1) << where[1] << ", " << where[2];
    }
    EXPECT_EQ(cutDispatch(groups, all, all).size(), 1U);
  }
}

TEST(DispatchCut, RowsOfWorkgroupsAreShortEnough) {
  EXPECT_EQ(rowsOfWorkgroups(100, 65535, 1e9, 1e10), 1U);
  EXPECT_EQ(rowsOfWorkgroups(65536, 65535, 1e9, 1e10), 2U);
  EXPECT_EQ(rowsOfWorkgroups(100, 65535, 3.1e10, 1e10), 4U);
  EXPECT_EQ(rowsOfWorkgroups(3, 65535, 1e15, 1e10), 3U) << "one workgroup each, at least";
}

TEST(DispatchCut, WorkgroupsRunInRoundsOfOneACore) {
  EXPECT_EQ(stretchOf({16, 2, 1}, 128), 4);
  EXPECT_EQ(stretchOf({16, 2, 4}, 128), 1);
  EXPECT_DOUBLE_EQ(stretchOf({43, 3, 1}, 128), 256.0 / 129);
  EXPECT_EQ(stretchOf({7, 1, 1}, 1), 1);
  EXPECT_EQ(stretchOf({7, 1, 1}, 0), 1) << "of a device whose cores are unknown";
  EXPECT_EQ(stretchOf({0, 1, 1}, 8), 1);
}

struct Recorded {
  double longest = 0;         // operations of a dispatch
  std::size_t attention = 0;  // dispatches of the first attention
};

// Of a step, without a device.
Recorded recordedOf(const model::Plan& plan, const Tuning& tuning, const StepShape& shape) {
  const backend::PlaceOptions options{.contextLength = 8192,
                                      .slots = 1,
                                      .maxRows = static_cast<int>(shape.rows),
                                      .maxOutputRows = static_cast<int>(shape.outputs),
                                      .precision = backend::Precision::standard};
  CollectedSteps steps(slowGpu(), plan, tuning, options);
  steps.add(shape);
  const auto attention = std::ranges::find_if(plan.ops, [](const model::Op& op) { return std::holds_alternative<model::AttentionOp>(op); });
  return {steps.recorder().longestFlops(),
          steps.recorder().countsByOp()[static_cast<std::size_t>(attention - plan.ops.begin())].dispatches};
}

double longestOf(const model::Plan& plan, const Tuning& tuning, const StepShape& shape) { return recordedOf(plan, tuning, shape).longest; }

// 20 GFLOP/s are a tenth of what such a GPU's data sheet says: half a second each, where the longest would take seconds.
TEST(DispatchCut, NoDispatchOfALargeModelTakesASlowDeviceASecond) {
  constexpr double perSecond = 20e9;
  const Tuning tuning = defaultTuning(slowGpu());
  Tuning whole = tuning;
  whole.dispatchFlops = 1e30;
  const std::vector<std::pair<std::string, std::string>> models{{"llama-3-8b", "q4_k_m"}, {"gpt-oss-20b", "mxfp4"}};
  for (const auto& [shape, type] : models) {
    const auto made = largeModel(shape, type);
    ASSERT_TRUE(made.has_value()) << made.error().message();
    for (const StepShape& step :
         {StepShape{.rows = 512, .outputs = 1, .positions = 8192}, StepShape{.rows = 32, .outputs = 32, .positions = 8192},
          StepShape{.rows = 512, .outputs = 512, .positions = 512}}) {
      EXPECT_LE(longestOf(made->plan, tuning, step) / perSecond, 0.5) << shape << ", " << step.rows << " rows";
      EXPECT_GT(longestOf(made->plan, whole, step) / perSecond, 1.0) << shape << ", " << step.rows << " rows: there is nothing to cut";
    }
    const StepShape deep{.rows = 512, .outputs = 1, .positions = 8192};
    EXPECT_GE(recordedOf(made->plan, tuning, deep).attention, shape == "llama-3-8b" ? 27U : 1U) << "eight seconds in all";
    EXPECT_EQ(recordedOf(made->plan, whole, deep).attention, 1U);
    EXPECT_EQ(longestOf(made->plan, tuning, {}), longestOf(made->plan, whole, {})) << "a token is cut into nothing";
  }
}

// That a device has matrix units says nothing of how fast its other kernels are: a Radeon 740M has two cores' worth of them.
TEST(DispatchCut, OnlyKernelsForMatrixUnitsHaveLongerDispatches) {
  vulkan::DeviceInfo info = slowGpu();
  info.matrixUnit = {.m = 16, .n = 16, .k = 16, .halfSums = false};
  const auto made = largeModel("llama-3-8b", "q4_k_m");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  const Tuning tuning = defaultTuning(info);
  ASSERT_NE(tuning.units.from, UnitsChoice::never);
  Tuning without = tuning;
  without.units.from = UnitsChoice::never;  // as the check found
  const StepShape step{.rows = 512, .outputs = 1, .positions = 8192};
  const auto longest = [&](const Tuning& used, backend::Precision precision) {
    CollectedSteps steps(info, made->plan, used,
                         {.contextLength = 8192, .slots = 1, .maxRows = 512, .maxOutputRows = 1, .precision = precision});
    steps.add(step);
    EXPECT_EQ(steps.has("matmul_units_Q4_K"), &used == &tuning && precision == backend::Precision::standard);
    return steps.recorder().longestFlops();
  };
  EXPECT_LE(longest(without, backend::Precision::standard), 1e10);
  EXPECT_LE(longest(tuning, backend::Precision::exact), 1e10);
  EXPECT_GT(longest(tuning, backend::Precision::standard), 1e10);
  EXPECT_LE(longest(tuning, backend::Precision::standard), 1e11);
}

// The logits of a prompt, and of a token behind it.
Result<std::vector<float>> logitsOf(backend::Placement& placement) {
  std::vector<float> all;
  for (const Rows& rows : {prompt(0, 16), prompt(16, 1)}) {
    MINERVA_TRY(placement.step(rows));
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
      MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(i));
      all.insert(all.end(), logits.begin(), logits.end());
    }
  }
  return all;
}

// Cut as finely as possible, in runs of a few workgroups, and not at all: to the bit. With the kernels of few tokens, tiles, rows gathered
// by expert, and a matrix for each head.
TEST_F(Vulkan, ACutChangesNoResult) {
  const auto device = openValidated();
  ASSERT_TRUE(device.has_value()) << device.error().message();
  const auto kernels = std::make_shared<Kernels>(*device);
  for (const std::string variant : {"dense", "mixture", "latent attention"}) {
    tests::RandomModel random =
        variant == "latent attention"
            ? tests::randomModel({.hidden = 64, .layers = 2, .layout = model::RopeLayout::interleaved, .ropeDimension = 8})
            : tests::randomModel(
                  {.type = ElementType::Q8_0, .hidden = 64, .layers = 2, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
    if (variant == "mixture") tests::addExperts(random, tests::expertShapes().front());
    if (variant == "latent attention") tests::addLatentAttention(random);
    const auto plan = model::buildPlan(random.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    for (const std::uint32_t tilesFrom : {2U, MatmulChoice::never}) {
      std::vector<std::vector<float>> results;
      for (const auto& [most, workgroups] : {std::pair{1e30, 65535U}, std::pair{1.0, 65535U}, std::pair{1e30, 8U}}) {
        Tuning form = defaultTuning((*device)->info());
        form.tiles = {.from = tilesFrom, .threads = 64, .groups = 2, .columns = 1};
        form.many.columns = 2;
        form.summedPlaces = true;
        form.dispatchFlops = most;
        form.workgroups = workgroups;
        const auto placement = VulkanPlacement::create(*device, kernels, form, *plan, small, {}, {});
        ASSERT_TRUE(placement.has_value()) << placement.error().message();
        auto logits = logitsOf(**placement);
        ASSERT_TRUE(logits.has_value()) << logits.error().message();
        results.push_back(std::move(*logits));
        EXPECT_LT(differenceFromReference(**placement, *plan, small), 1e-3);
      }
      EXPECT_EQ(results[0], results[1]) << variant << ", tiles from " << tilesFrom;
      EXPECT_EQ(results[0], results[2]) << variant << " in runs, tiles from " << tilesFrom;
    }
  }
  for (const std::string& message : (*device)->instance().messages()) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace minerva::gpu
