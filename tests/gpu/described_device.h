// Tests on devices that are not here, as their drivers describe them (devices/*.json). Work runs on this machine's first device, so that
// subgroup sizes and matrix units are this one's where something runs, and the described ones where nothing does.
#pragma once

#include "gpu/runtime/device_list.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace minerva::gpu {

inline model::Plan formPlan(const tests::RandomModel& made) {
  auto plan = model::buildPlan(made.config);
  EXPECT_TRUE(plan.has_value()) << plan.error().message();
  return std::move(*plan);
}

inline constexpr backend::PlaceOptions oneAfterTheOther{
    .contextLength = 64, .slots = 1, .maxRows = 16, .maxOutputRows = 1, .precision = backend::Precision::exact};

// The ten tokens that a model writes first, by its largest logits.
inline Result<std::vector<int>> tenTokens(backend::Backend& device, const model::Plan& plan) {
  MINERVA_ASSIGN(const auto placement, device.place(plan, oneAfterTheOther, {}, {}));
  std::vector<backend::StepRow> rows;
  for (int i = 0; i < 12; ++i) rows.push_back({i * 7 % 67, i, 0, i == 11});
  std::vector<int> tokens;
  for (int position = 12; position < 22; ++position) {
    MINERVA_TRY(placement->step(rows));
    MINERVA_ASSIGN(const std::span<const float> logits, placement->logits(0));
    tokens.push_back(static_cast<int>(std::ranges::max_element(logits) - logits.begin()));
    rows = {{tokens.back(), position, 0, true}};
  }
  return tokens;
}

class DescribedDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.describe, nullptr) << dlerror();
    m_validation = createVulkanBackend("vulkan:0", {.validation = true}).has_value();
  }
  void describeAs(const std::string& paths, bool whole) {
    const std::string problem = m_controls.describe(paths.c_str(), whole);
    ASSERT_EQ(problem, "");
  }
  [[nodiscard]] VulkanOptions options() const { return {.loader = MINERVA_DESCRIBING_LOADER, .validation = m_validation}; }
  // A description with one field changed.
  std::string variant(const std::string& path, const std::string& pointer, const nlohmann::json& value) {
    std::ifstream in(path);
    nlohmann::json file = nlohmann::json::parse(in);
    file[nlohmann::json::json_pointer(pointer)] = value;
    return m_folder.write("variant-" + std::to_string(++m_variants) + ".json", file.dump()).string();
  }

  const tests::DescribingControls m_controls = describingControls();
  TemporaryFolder m_folder;
  bool m_validation = false;
  int m_variants = 0;
};

}  // namespace minerva::gpu
