// How far a Vulkan placement is from the reference backend, over steps of several lengths.
#pragma once

#include "core/backend/reference/reference_backend.h"
#include "gpu/runtime/vulkan_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace minerva::gpu {

// Skips where there is no device.
class Vulkan : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
  }
};

using Rows = std::vector<backend::StepRow>;

inline Rows prompt(int from, int count) {
  Rows rows;
  for (int i = 0; i < count; ++i) rows.push_back({(from + i) * 7 % 67, from + i, 0, true});
  return rows;
}

// Returns the largest difference of any logit over these steps. If `size` is not null, it receives the largest logit.
inline double differenceFromReference(backend::Placement& placement, const model::Plan& plan, const backend::PlaceOptions& options,
                                      double* size = nullptr) {
  const auto reference = backend::reference::createReferenceBackend();
  const auto truth = reference->place(plan, options, {}, {});
  double largest = 0;
  for (const Rows& rows : {prompt(0, 11), prompt(11, 1), prompt(12, 3), prompt(15, 8), prompt(23, 1)}) {
    EXPECT_TRUE((*truth)->step(rows).has_value());
    const auto stepped = placement.step(rows);
    EXPECT_TRUE(stepped.has_value()) << stepped.error().message();
    if (!stepped) return HUGE_VAL;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
      const auto expected = (*truth)->logits(i);
      const auto found = placement.logits(i);
      EXPECT_TRUE(found.has_value());
      for (std::size_t k = 0; k < expected->size(); ++k) {
        const double difference = std::fabs(static_cast<double>((*found)[k]) - static_cast<double>((*expected)[k]));
        if (size != nullptr) *size = std::max(*size, std::fabs(static_cast<double>((*expected)[k])));
        largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
      }
    }
  }
  return largest;
}

inline const backend::PlaceOptions small{
    .contextLength = 64, .slots = 1, .maxRows = 16, .maxOutputRows = 16, .precision = backend::Precision::exact};

}  // namespace minerva::gpu
