// Which instruction set the CPU backend chooses.
#include "core/backend/cpu/cpu_backend.h"

#include "core/base/cpu_features.h"

#include <gtest/gtest.h>

namespace minerva::backend {
namespace {

// Products of bf16 pairs take four times as long as those of bytes on some processors that have them: there, one asks for them by name.
TEST(CpuBackend, ChoosesTheSetThatIsFastHere) {
  if (!cpuFeatures().avx512Bf16 || requestTiles()) GTEST_SKIP() << "skipped: needs bf16 pairs and no matrix unit";
  const auto chosen = createCpuBackend({.threads = 1, .instructionSet = {}});
  const auto pairs = createCpuBackend({.threads = 1, .instructionSet = "avx512bf16"});
  ASSERT_TRUE(chosen && pairs);
  EXPECT_EQ((*pairs)->info().detail, "AVX-512 BF16, VNNI");
  const bool amd = cpuFeatures().brand.starts_with("AMD");
  EXPECT_EQ((*chosen)->info().detail, amd ? "AVX-512 BF16, VNNI" : "AVX-512 VNNI");
}

}  // namespace
}  // namespace minerva::backend
