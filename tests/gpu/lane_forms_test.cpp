// The kernels in which a lane has a row of the matrix, or a word: chosen on drivers that run on the CPU, right wherever subgroups have
// eight lanes.
#include "gpu/runtime/placement.h"
#include "tests/gpu/validated_device.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

namespace minerva::gpu {
namespace {

class VulkanLanesSweep : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (m_device == nullptr) return;
    m_form = defaultTuning(m_device->info());
    if (m_form.lanes != 8) GTEST_SKIP() << "skipped: subgroups have " << m_form.lanes << " lanes";
    m_kernels = std::make_shared<Kernels>(m_device);
    m_form.rows.from = RowsChoice::never;
    m_form.words = false;
  }
  [[nodiscard]] double differenceOf(const tests::RandomModel& random) {
    const auto plan = model::buildPlan(random.config);
    EXPECT_TRUE(plan.has_value());
    if (!plan) return HUGE_VAL;
    const auto placement = VulkanPlacement::create(m_device, m_kernels, m_form, *plan, small, {}, {});
    EXPECT_TRUE(placement.has_value()) << placement.error().message();
    return placement ? differenceFromReference(**placement, *plan, small) : HUGE_VAL;
  }

  Tuning m_form;
  std::shared_ptr<Kernels> m_kernels;
};

// One type of each module; steps fill their columns, and do not.
TEST_F(VulkanLanesSweep, ARowALaneAgreesWithTheReference) {
  m_form.rows = {.from = 2, .columns = 4};  // wider ones take older drivers seconds to compile
  using enum ElementType;
  for (const ElementType type :
       {F32,  F16,    BF16,    Q8_0,  Q4_0,  Q4_1,  Q5_0,          Q5_1,         Q4_K,          Q5_K, Q6_K,  Q2_K,
        Q3_K, IQ4_XS, IQ2_XXS, IQ3_S, NVFP4, MXFP4, MLX4_G64_BF16, MLX6_G32_F32, MLX3_G64_BF16, Q1_0, TQ1_0, F8_E4M3_SCALED}) {
    const tests::RandomModel random = tests::randomModel(
        {.type = type, .hidden = 256, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 64, .feedForward = 512, .biases = true});
    EXPECT_LT(differenceOf(random), 1e-3) << traits(type).name;
  }
}

// Rows of three and five blocks, and results that do not fill the last group.
TEST_F(VulkanLanesSweep, ARowALaneAgreesWhereNothingIsWhole) {
  m_form.rows = {.from = 2, .columns = 8};
  for (const ElementType type : {ElementType::F16, ElementType::Q5_1}) {
    const tests::RandomModel random =
        tests::randomModel({.type = type, .hidden = 96, .layers = 1, .heads = 6, .kvHeads = 2, .headDim = 16, .feedForward = 160});
    EXPECT_LT(differenceOf(random), 1e-3) << traits(type).name;
  }
}

TEST_F(VulkanLanesSweep, ARowALaneAgreesForRowsGatheredByExpert) {
  m_form.rows = {.from = 1, .columns = 4};
  for (const tests::ExpertsShape& shape : tests::expertShapes()) {
    tests::RandomModel random = tests::randomModel({.hidden = 64, .layers = 2, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96});
    tests::addExperts(random, shape);
    EXPECT_LT(differenceOf(random), 1e-3) << shape.what;
  }
}

// The second model's rows have three tiles, and three and a half, which this kernel does not take.
TEST_F(VulkanLanesSweep, AWordALaneAgreesWithTheReference) {
  m_form.words = true;
  for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
    for (const int feedForward : {512, 896}) {
      const tests::RandomModel random = tests::randomModel({.type = type,
                                                            .hidden = feedForward == 512 ? 256 : 768,
                                                            .layers = 1,
                                                            .heads = 4,
                                                            .kvHeads = 2,
                                                            .headDim = 64,
                                                            .feedForward = feedForward,
                                                            .biases = true});
      EXPECT_LT(differenceOf(random), 1e-3) << traits(type).name << ", " << feedForward;
    }
  }
}

}  // namespace
}  // namespace minerva::gpu
