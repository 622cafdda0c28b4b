// Matrices with more words than a texel buffer has elements: 512 MiB on most GPUs. Reading past the end of a view gives zeros, or anything.
#include "tests/gpu/large_model.h"

#include <gtest/gtest.h>

namespace minerva::gpu {
namespace {

// Whether a token's step has matrices that are read in either way. The head's has 558 MB, all others less than 70.
struct Ways {
  bool byAddress = false, byTexels = false;
};

Ways waysOf(const model::Plan& plan, std::uint32_t share, std::uint32_t texels) {
  vulkan::DeviceInfo device = slowGpu();
  device.maxTexelElements = texels;
  Tuning tuning = defaultTuning(device);
  tuning.one = {.texel = true, .rows = 2, .teams = 4, .columns = 1, .share = share};
  tuning.fusedNorm = false;
  CollectedSteps steps(device, plan, tuning, {.contextLength = 64, .maxRows = 1, .maxOutputRows = 1});
  steps.add({.rows = 1, .outputs = 1, .positions = 64});
  return {steps.has("matvec_Q8_0"), steps.has("matvec_texel_Q8_0")};
}

TEST(TexelLimit, AMatrixWithMoreWordsThanABufferIsReadByAddressWhereItsWordsAreRead) {
  const auto made = largeModel("llama-3-8b", "q8_0");
  ASSERT_TRUE(made.has_value()) << made.error().message();
  constexpr std::uint32_t usual = 1U << 27, many = 0xffffffffU, few = 1U << 16;
  // Lanes that share a block read words, those that have one each only quads.
  for (const std::uint32_t share : {1U, 4U}) {
    const Ways found = waysOf(made->plan, share, usual), all = waysOf(made->plan, share, many), none = waysOf(made->plan, share, few);
    EXPECT_TRUE(found.byTexels) << "the layers' matrices are small enough";
    EXPECT_EQ(found.byAddress, share == 4) << share;
    EXPECT_TRUE(all.byTexels && !all.byAddress) << share;
    EXPECT_TRUE(none.byAddress && !none.byTexels) << share;
  }
}

std::string kernelOf(ElementType type, std::uint32_t share, std::uint64_t bytes) {
  Tuning tuning;
  tuning.one = {.texel = true, .rows = 2, .teams = 4, .columns = 1, .share = share};
  return projectionForm(tuning, {}, {.type = type, .groups = 512, .blocks = 128, .bytes = bytes, .texels = 1U << 27}).kernel;
}

TEST(TexelLimit, EveryTypeIsReadThroughNoMoreThanFits) {
  constexpr std::uint64_t words = std::uint64_t{4} << 27, quads = std::uint64_t{16} << 27;
  using enum ElementType;
  for (const ElementType type : {F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q6_K, Q2_K, IQ4_NL, NVFP4, Q4_K, IQ2_S, TQ1_0}) {
    const std::string name = moduleOf(type).name;
    const bool plain = type == F32 || type == F16 || type == BF16;
    const bool always = type == Q4_K || type == IQ2_S || type == TQ1_0;  // their scales, grids or codes are words
    EXPECT_EQ(kernelOf(type, 4, words), "matvec_texel_" + name);
    EXPECT_EQ(kernelOf(type, 4, words + 4), (plain ? "matvec_texel_" : "matvec_") + name);
    EXPECT_EQ(kernelOf(type, 1, words + 4), (always ? "matvec_" : "matvec_texel_") + name);
    EXPECT_EQ(kernelOf(type, 1, quads + 16), "matvec_" + name);
  }
}

}  // namespace
}  // namespace minerva::gpu
