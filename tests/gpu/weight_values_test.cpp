// What kernels read from the planes is what is stored, to the bit: looked up, and multiplied by ones and zeros.
#include "gpu/shaders/shared/choices.h"
#include "tests/gpu/single_projection.h"
#include "tests/support/random_model.h"

#include <numeric>

namespace minerva::gpu {
namespace {

constexpr std::int64_t rows = 21;  // two groups and a part of one

// Blocks that are no multiple of a tile's eight, and for short types of an odd number.
std::int64_t columnsFor(const ElementTypeTraits& t) {
  if (t.blockElements == 1) return 77;
  return t.blockElements == 256 ? 512 : t.blockElements * 3;
}

// Matrices of types whose products of scales and codes float32 holds exactly.
bool isExact(const ElementTypeTraits& t) { return moduleOf(t.type).name != "AFFINE" || !t.name.ends_with("F32"); }

std::vector<float> valuesOf(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
  dequantizeRows(view, 0, static_cast<std::size_t>(view.shape.rows()), values.data());
  return values;
}

struct NamedForm {
  const char* what;
  ProjectionForm projection;
};

class WeightValues : public SingleProjection {
 protected:
  // All rows, as the kernel finds them that looks up rows.
  std::vector<float> lookedUp(const TensorView& view) {
    const WeightLayout layout = layoutOfView(view);
    const FormatModule format = moduleOf(view.type);
    const std::uint32_t stride = layout.blocks * blockColumns, tasks = layout.rows * layout.blocks;
    std::vector<std::uint32_t> order(layout.rows);
    std::iota(order.begin(), order.end(), 0U);
    const vulkan::Buffer weights = packed(view, layout), index = filled(order);
    const vulkan::Buffer out = buffer(std::uint64_t{layout.rows} * stride * 4, vulkan::MemoryKind::readback);
    const auto kernel = m_kernels->get<push::Embed>("embed_" + format.name, format.behind({64}), 0);
    EXPECT_TRUE(kernel.has_value()) << kernel.error().message();
    const push::Embed p{.weights = weights.view().address,
                        .index = index.view().address,
                        .out_ = out.view().address,
                        .plane1 = static_cast<std::uint32_t>(layout.planes[1] / 16),
                        .plane2 = static_cast<std::uint32_t>(layout.planes[2] / 16),
                        .plane3 = static_cast<std::uint32_t>(layout.planes[3] / 16),
                        .blocks = layout.blocks,
                        .n = layout.rows,
                        .columns = layout.columns,
                        .outStride = stride,
                        .scale = 1.0F,
                        .indexStride = 1,
                        .add = 0,
                        .rows = layout.rows,
                        .unused = 0};
    run([&](vulkan::Commands& commands) { commands.dispatch(**kernel, &p, sizeof p, VK_NULL_HANDLE, (tasks + 63) / 64, 1, 1); });
    const auto* found = reinterpret_cast<const float*>(out.view().mapped);
    std::vector<float> values;
    for (std::uint32_t r = 0; r < layout.rows; ++r) values.insert(values.end(), found + r * stride, found + r * stride + layout.columns);
    return values;
  }

  // The product with the unit matrix.
  std::vector<float> projected(const TensorView& view, const ProjectionForm& form) {
    const WeightLayout layout = layoutOfView(view);
    const std::uint32_t stride = layout.blocks * blockColumns, stored = layout.groups * groupRows;
    std::vector<float> unit(std::size_t{layout.columns} * stride, 0.0F);
    for (std::size_t i = 0; i < layout.columns; ++i) unit[i * stride + i] = 1.0F;
    const std::vector<float> found = multiplied(view, unit, form);
    std::vector<float> values;
    for (std::uint32_t r = 0; r < layout.rows; ++r) {
      for (std::uint32_t c = 0; c < layout.columns; ++c) values.push_back(found[std::size_t{c} * stored + r]);
    }
    return values;
  }

  // The kernel of a few tokens, `team` rows and `columns` tokens at once.
  NamedForm matvec(const char* what, ElementType type, bool texel, std::uint32_t team, std::uint32_t columns, std::uint32_t share) const {
    const FormatModule format = moduleOf(type);
    const std::uint32_t lanes = m_tuning.lanes;
    return {what,
            {(texel ? "matvec_texel_" : "matvec_") + format.name,
             format.behind({lanes, lanes, team, columns, choice::epilogueStore, 0, choice::placesNone, 0, share, 0, 0, 0}), lanes, team,
             columns, true}};
  }
  static NamedForm matmul(ElementType type) {
    const FormatModule format = moduleOf(type);
    return {"tiles", {"matmul_" + format.name, format.behind({64, 64, 4, 2, choice::epilogueStore, 0, choice::placesNone}), 0, 32, 16}};
  }

  static void expectSame(const TensorView& view, const std::vector<float>& found, const std::string& what) {
    const std::vector<float> expected = valuesOf(view);
    ASSERT_EQ(found.size(), expected.size());
    const auto columns = static_cast<std::size_t>(view.shape.columns());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i]))) continue;
      FAIL() << traits(view.type).name << ", " << what << ", row " << i / columns << ", column " << i % columns << ": " << found[i]
             << ", expected " << expected[i];
    }
  }

  void expectMultipliedToTheBit(const std::vector<ElementType>& types) {
    for (const ElementType type : types) {
      tests::TensorStore store(12);
      const TensorView view = store.matrix(type, rows, columnsFor(traits(type)), 1.0);
      const std::uint32_t share = m_tuning.lanes >= 4 ? 4 : 1;
      for (const NamedForm& form :
           {matvec("one row", type, false, 1, 1, share), matvec("two rows, four tokens", type, false, 2, 4, share),
            matvec("eight rows of texels", type, true, 8, 1, 1), matvec("four rows of texels", type, true, 4, 2, 1), matmul(type)}) {
        expectSame(view, projected(view, form.projection), form.what);
      }
    }
  }
};

TEST_F(WeightValues, AreLookedUpToTheBit) {
  for (const ElementTypeTraits& t : tests::matrixTypes()) {
    if (moduleOf(t.type).name.empty() || !isExact(t)) continue;
    tests::TensorStore store(11);
    const TensorView view = store.matrix(t.type, rows, columnsFor(t), 1.0);
    expectSame(view, lookedUp(view), "looked up");
  }
}

TEST_F(WeightValues, AreMultipliedToTheBit) { expectMultipliedToTheBit({ElementType::Q4_K, ElementType::MXFP4, ElementType::IQ3_S}); }

class VulkanValuesSweep : public WeightValues {};

TEST_F(VulkanValuesSweep, AreMultipliedToTheBit) {
  using enum ElementType;
  expectMultipliedToTheBit({Q4_0,          Q4_K,          Q5_K,          Q6_K,         Q2_K,         Q3_K,           IQ4_NL,
                            IQ4_XS,        MXFP4,         NVFP4,         NVFP4_PLANES, IQ2_XXS,      IQ2_XS,         IQ2_S,
                            IQ3_XXS,       IQ3_S,         IQ1_S,         IQ1_M,        MLX2_G32_F16, MLX3_G64_BF16,  MLX4_G64_BF16,
                            MLX5_G32_BF16, MLX6_G128_F16, MLX8_G64_BF16, F8_E4M3,      F8_E5M2,      F8_E4M3_SCALED, F8_E5M2_SCALED32,
                            MXFP8_PLANES,  TQ1_0,         TQ2_0,         Q1_0,         Q2_0,         Q8_1,           Q8_K});
}

// All 256 scales, among them the smallest, zero, and what is not a number. (E8M0 is exact from the smallest normal float32 on alone.)
TEST_F(WeightValues, OfEverySmallScale) {
  for (const ElementType type : {ElementType::NVFP4, ElementType::NVFP4_PLANES}) {
    const ElementTypeTraits& t = traits(type);
    const auto columns = static_cast<std::int64_t>(t.blockElements) * 4;
    tests::TensorStore store(13);
    const TensorView random = store.matrix(type, 64, columns, 1.0);
    std::vector<std::byte> blocks(random.bytes.begin(), random.bytes.end()),
        scales(random.planes.scales.begin(), random.planes.scales.end());
    const std::size_t perBlock = type == ElementType::NVFP4 ? 4 : 1;
    for (std::size_t i = 0; i < 256 * perBlock; ++i) {
      std::byte& scale = random.apart() ? scales[i] : blocks[i / perBlock * t.blockBytes + i % perBlock];
      scale = static_cast<std::byte>(i);
    }
    TensorView view = random;
    view.bytes = blocks;
    view.planes.scales = scales;
    expectSame(view, lookedUp(view), "every scale");
  }
}

// All 256 codes of eight bits, among them what is not a number, infinities, and numbers without a leading one.
TEST_F(WeightValues, OfEveryCode) {
  using enum ElementType;
  for (const ElementType type : {F8_E4M3, F8_E5M2, F8_E4M3_SCALED, F8_E5M2_SCALED, MXFP8_PLANES}) {
    tests::TensorStore store(14);
    const TensorView random = store.matrix(type, 2, 256, 1.0);
    ASSERT_EQ(random.bytes.size(), 512U);
    std::vector<std::byte> codes(random.bytes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i % 256);
    TensorView view = random;
    view.bytes = codes;
    expectSame(view, lookedUp(view), "every code");
  }
}

}  // namespace
}  // namespace minerva::gpu
