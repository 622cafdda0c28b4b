// The golden cases on a model shared by two GPUs, and by two GPUs and the CPU: the device is the first Vulkan one, twice.
#include "core/backend/cpu/cpu_backend.h"
#include "core/backend/split/split_backend.h"
#include "tests/golden/walk.h"
#include "tests/support/conformance.h"
#include "tests/support/lent_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace minerva::tests {
namespace {

// Shares each model in about equal parts, the last of them on the CPU where that takes part.
class EqualParts final : public backend::Backend {
 public:
  EqualParts(backend::Backend& first, backend::Backend& second, bool withCpu) : m_first(first), m_second(second), m_withCpu(withCpu) {}

  backend::DeviceInfo info() const override { return m_combined ? m_combined->info() : m_first.info(); }
  Result<std::unique_ptr<backend::Placement>> place(const model::Plan& plan, const backend::PlaceOptions& options,
                                                    const backend::Progress& progress, std::stop_token stop) override {
    const int layers = model::layerCount(plan), parts = m_withCpu ? 3 : 2;
    const int first = std::max(1, layers / parts), second = m_withCpu ? std::min(first, layers - first) : layers - first;
    std::vector<std::unique_ptr<backend::Backend>> accelerators;
    accelerators.push_back(std::make_unique<LentBackend>(m_first, LentAnswers{}));
    accelerators.push_back(std::make_unique<LentBackend>(m_second, LentAnswers{}));
    MINERVA_ASSIGN(std::unique_ptr<backend::Backend> cpu, backend::createCpuBackend({.threads = 2, .instructionSet = {}}));
    m_combined = backend::createSplitBackend(std::move(accelerators), std::move(cpu), {.layers = {first, second}});
    return m_combined->place(plan, options, progress, std::move(stop));
  }
  Result<std::vector<backend::DeviceNeed>> memoryNeeds(const model::Plan& plan, const backend::PlaceOptions& options) const override {
    return m_first.memoryNeeds(plan, options);
  }
  Result<backend::BandwidthCurve> measureReadBandwidth(const StopAsked& stop) override { return m_first.measureReadBandwidth(stop); }

 private:
  backend::Backend& m_first;
  backend::Backend& m_second;
  bool m_withCpu;
  std::unique_ptr<backend::Backend> m_combined;
};

class GoldenShared : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const auto& all = backendsUnderTest();
    const auto gpu = std::ranges::find_if(all, [](const BackendUnderTest& device) { return device.device.starts_with("vulkan"); });
    if (gpu == all.end()) GTEST_SKIP() << "skipped: no Vulkan device";
    for (auto* made : {&m_first, &m_second}) {
      auto created = createBackend(gpu->device, gpu->options);
      ASSERT_TRUE(created.has_value()) << created.error().message();
      *made = std::move(*created);
    }
  }
  void TearDown() override {
    for (const auto* made : {&m_first, &m_second}) {
      if (!*made) continue;
      for (const std::string& message : validationMessages(**made)) ADD_FAILURE() << message;
    }
  }
  void walkAll(const std::vector<OracleCase>& cases) {
    EqualParts shared(*m_first, *m_second, GetParam());
    std::size_t passed = 0, parts = 0;
    for (const OracleCase& c : cases) {
      const Result<WalkResult> result = walk(shared, c, {.precision = backend::Precision::exact, .chunks = {7}});
      const std::string wrong = result ? verdict(c, *result, backend::Precision::exact) : result.error().message();
      EXPECT_EQ(wrong, "") << c.id;
      passed += wrong.empty() ? 1 : 0;
      parts = std::max(parts, shared.info().parts.size());
    }
    EXPECT_EQ(parts, 3U) << "two GPUs, and the CPU for the embedding at least";
    std::printf("golden, %s: %zu of %zu cases\n", GetParam() ? "two GPUs and the CPU" : "two GPUs", passed, cases.size());
  }

  std::unique_ptr<backend::Backend> m_first, m_second;
};

TEST_P(GoldenShared, OwnCases) {
  const auto cases = oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden");
  ASSERT_GE(cases.size(), 4U);
  walkAll(cases);
}

TEST_P(GoldenShared, Oracle) {
  for (const char* folder : {"oracle", "oracle-2026"}) {
    const auto cases = oracleCases(std::filesystem::path(MINERVA_SHARED_DIR) / folder);
    if (cases.empty()) GTEST_SKIP() << "skipped: no ../shared/" << folder << " here";
    walkAll(cases);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, GoldenShared, testing::Bool(),
                         [](const auto& info) { return std::string(info.param ? "two_vulkan_and_cpu" : "two_vulkan"); });

}  // namespace
}  // namespace minerva::tests
