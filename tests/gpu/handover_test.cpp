// Rows that a part of a model hands to another device are read where that is fast. Of an integrated GPU of AMD the host sees all memory,
// but what is the GPU's own is not cached: reading there is a hundred times as slow.
#include "core/model/plan_split.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/gpu/describing_controls.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace minerva::gpu {
namespace {

class HandedRows : public testing::TestWithParam<std::string> {};

TEST_P(HandedRows, AreReadFromCachedMemory) {
  if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
  const tests::DescribingControls controls = describingControls();
  ASSERT_NE(controls.describe, nullptr) << dlerror();
  ASSERT_STREQ(controls.describe(deviceFile(GetParam()).c_str(), false), "");
  const tests::RandomModel random = tests::randomModel({.layers = 4});
  const auto plan = model::buildPlan(random.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto split = model::splitPlan(*plan, {.layers = {2}});
  ASSERT_TRUE(split.has_value()) << split.error().message();
  const auto backend = createVulkanBackend("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
  ASSERT_TRUE(backend.has_value()) << backend.error().message();
  const backend::PlaceOptions options{.contextLength = 64, .slots = 1, .maxRows = 8, .maxOutputRows = 1};
  const auto placement = (*backend)->place(split->plans.front(), options, {}, {});
  ASSERT_TRUE(placement.has_value()) << placement.error().message();
  const std::vector<backend::StepRow> rows{{.token = 1, .position = 0, .wantsLogits = true}};
  ASSERT_TRUE((*placement)->begin(rows).has_value());
  std::size_t sent = 0;
  for (std::size_t part = 0; part < split->plans.front().parts.size(); ++part) {
    for (const model::BufferId id : split->plans.front().parts[part].received) {
      const auto to = (*placement)->rows(id);
      ASSERT_TRUE(to.has_value() && to->data != nullptr);
      std::fill_n(to->data, to->columns, 0.5F);
    }
    ASSERT_TRUE((*placement)->runPart(part).has_value());
    for (const model::BufferId id : split->plans.front().parts[part].sent) {
      const auto from = (*placement)->rows(id);
      ASSERT_TRUE(from.has_value() && from->data != nullptr);
      EXPECT_TRUE(controls.cached(from->data));
      EXPECT_NE(from->data[0], 0) << "the device's result";
      ++sent;
    }
  }
  EXPECT_GT(sent, 0U);
  EXPECT_STREQ(controls.violations(), "");
}

INSTANTIATE_TEST_SUITE_P(Devices, HandedRows, testing::Values("radeon-780m", "uhd-620", "apple-m1", "rx-7900-xtx", "rtx-4090"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace minerva::gpu
