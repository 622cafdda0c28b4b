// Tiles of bytes: codes times inputs rounded to eight bits. Compared with the same rounding in double precision, and in models with the
// reference. Software devices multiply bytes rightly, too, but slowly, and do not choose these kernels by themselves.
#include "gpu/runtime/placement.h"
#include "gpu/shaders/shared/choices.h"
#include "tests/gpu/reference_difference.h"
#include "tests/gpu/single_projection.h"
#include "tests/support/random_families.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::gpu {
namespace {

constexpr std::int64_t tiledRows = 21;   // two groups and a part of one
constexpr std::size_t tiledTokens = 37;  // two tiles and a part of one

std::int64_t tiledColumns(const ElementTypeTraits& t) {
  return t.blockElements == 256 ? 512 : std::max<std::int64_t>(96, 3 * t.blockElements);
}

// As the kernel does.
std::vector<double> roundedToBytes(const std::vector<float>& x) {
  std::vector<double> rounded(x.size());
  for (std::size_t first = 0; first < x.size(); first += blockColumns) {
    float largest = 0;
    for (std::size_t i = first; i < first + blockColumns; ++i) largest = std::max(largest, std::fabs(x[i]));
    const float d = largest / 127.0F;
    for (std::size_t i = first; i < first + blockColumns; ++i) rounded[i] = d > 0 ? double{d} * std::nearbyint(x[i] * (1.0F / d)) : 0.0;
  }
  return rounded;
}

class VulkanByteTiles : public SingleProjection {
 protected:
  void SetUp() override {
    SingleProjection::SetUp();
    if (m_device != nullptr && !m_device->info().byteDots) GTEST_SKIP() << "skipped: the device has no integer dot products";
  }
  static ProjectionForm bytesForm(ElementType type) {
    const FormatModule format = moduleOf(type);
    return {"matmul_bytes_" + format.name, format.behind({64, 64, 4, 2, choice::epilogueStore, 0, choice::placesNone}), 0, 32, 16};
  }
  // Of very different sizes from block to block, one of them all zeros.
  static std::vector<float> inputs(std::int64_t columns) {
    tests::Random random(5);
    std::vector<float> x(tiledTokens * static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(random.normal() * std::exp2(static_cast<double>(i / blockColumns % 9) - 4.0));
    }
    std::fill(x.begin() + blockColumns, x.begin() + 2 * blockColumns, 0.0F);
    return x;
  }
  void expectProducts(ElementType type);
};

class VulkanByteTilesSweep : public VulkanByteTiles {};

void VulkanByteTiles::expectProducts(ElementType type) {
  const std::int64_t columns = tiledColumns(traits(type));
  tests::TensorStore store(21);
  const TensorView view = store.matrix(type, tiledRows, columns, 1.0);
  std::vector<float> weights(static_cast<std::size_t>(tiledRows * columns));
  dequantizeRows(view, 0, tiledRows, weights.data());
  const std::vector<float> x = inputs(columns);
  const std::vector<double> rounded = roundedToBytes(x);
  const std::vector<float> found = multiplied(view, x, bytesForm(type));
  const std::size_t stored = found.size() / tiledTokens, each = static_cast<std::size_t>(columns);
  // A device may divide less precisely, so that an input becomes the next byte.
  const double tolerance = m_device->info().software ? 2e-6 : 1e-3;
  for (std::size_t t = 0; t < tiledTokens; ++t) {
    for (std::size_t r = 0; r < tiledRows; ++r) {
      double expected = 0, size = 0;
      for (std::size_t c = 0; c < each; ++c) {
        const double product = weights[r * each + c] * rounded[t * each + c];
        expected += product;
        size += std::fabs(product);
      }
      ASSERT_NEAR(found[t * stored + r], expected, tolerance * size) << traits(type).name << ", token " << t << ", row " << r;
    }
  }
}

TEST_F(VulkanByteTiles, AreProductsOfRoundedInputs) {
  for (const ElementType type : {ElementType::Q4_K, ElementType::Q8_0, ElementType::Q6_K}) expectProducts(type);
}

TEST_F(VulkanByteTilesSweep, AreProductsOfRoundedInputs) {
  using enum ElementType;
  for (const ElementType type :
       {Q4_0,          Q4_1,          Q5_0,          Q5_1,          Q5_K,          Q2_K,          Q3_K,  IQ4_NL, IQ4_XS, MXFP4,
        NVFP4,         NVFP4_PLANES,  IQ2_XXS,       IQ2_XS,        IQ2_S,         IQ3_XXS,       IQ3_S, IQ1_S,  IQ1_M,  MLX2_G32_F16,
        MLX3_G64_BF16, MLX4_G64_BF16, MLX4_G128_F32, MLX5_G32_BF16, MLX6_G64_BF16, MLX8_G64_BF16, TQ1_0, TQ2_0,  Q1_0,   Q2_0}) {
    ASSERT_TRUE(takesBytes(type));
    expectProducts(type);
  }
}

// What is not a number stays so in the token's results, and only there: of inputs, and of infinite ones.
TEST_F(VulkanByteTiles, WhatIsNotANumberStaysSo) {
  const std::int64_t columns = tiledColumns(traits(ElementType::Q4_0));
  tests::TensorStore store(22);
  const TensorView view = store.matrix(ElementType::Q4_0, tiledRows, columns, 1.0);
  std::vector<float> x = inputs(columns);
  const auto each = static_cast<std::size_t>(columns);
  x[3 * each + 40] = std::numeric_limits<float>::quiet_NaN();
  x[20 * each + 7] = -std::numeric_limits<float>::infinity();
  const std::vector<float> found = multiplied(view, x, bytesForm(ElementType::Q4_0));
  const std::size_t stored = found.size() / tiledTokens;
  for (std::size_t t = 0; t < tiledTokens; ++t) {
    for (std::size_t r = 0; r < tiledRows; ++r) EXPECT_EQ(std::isfinite(found[t * stored + r]), t != 3 && t != 20) << t << ", " << r;
  }
}

// All epilogues, biases, mixtures with their rows gathered, and ranges of columns: the logits of models are near the reference's, but not
// as near as without rounding.
TEST_F(VulkanByteTiles, ModelsAgreeWithTheReferenceAsFarAsRoundingAllows) {
  backend::PlaceOptions rounding = small;
  rounding.precision = backend::Precision::standard;
  rounding.kvType = model::KvType::f32;  // keys round to other halves after the smallest difference
  const auto kernels = std::make_shared<Kernels>(m_device);
  std::vector<std::pair<std::string, tests::RandomModel>> models;
  models.emplace_back("dense", tests::randomModel({.type = ElementType::Q4_K,
                                                   .hidden = 256,
                                                   .layers = 1,
                                                   .heads = 4,
                                                   .kvHeads = 2,
                                                   .headDim = 64,
                                                   .feedForward = 512,
                                                   .biases = true}));
  models.emplace_back(
      "mixture", tests::randomModel(
                     {.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 96}));
  tests::ExpertsShape experts = tests::expertShapes().front();
  experts.type = experts.upType = ElementType::Q8_0;
  tests::addExperts(models.back().second, experts);
  for (const auto& [what, made] : models) {
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    Tuning form = defaultTuning(m_device->info());
    form.rows.from = RowsChoice::never;
    form.tiles = {.from = 2, .threads = 64, .groups = 4, .columns = 2, .bytes = true};
    form.ranges = {.cores = 64, .from = 128, .least = 64};
    const auto differenceOf = [&](const backend::PlaceOptions& options, double* size) {
      auto placement = VulkanPlacement::create(m_device, kernels, form, *plan, options, {}, {});
      EXPECT_TRUE(placement.has_value()) << placement.error().message();
      return placement ? differenceFromReference(**placement, *plan, options, size) : HUGE_VAL;
    };
    double size = 0;
    const double rounded = differenceOf(rounding, &size);
    EXPECT_LT(rounded, 3e-2 * size) << what;
    EXPECT_GT(rounded, 2e-4 * size) << what << ": nothing was rounded";
    EXPECT_LT(differenceOf(small, &size), 2e-5 * size) << what << ": rounded in exact precision, too";
  }
}

}  // namespace
}  // namespace minerva::gpu
