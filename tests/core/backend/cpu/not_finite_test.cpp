// What is not a number stays so through the operations on rows, in every instruction set: damaged weights must be seen in the logits, where
// an error is made of them, and not be replies of nonsense.
#include "core/backend/cpu/kernels.h"
#include "tests/support/runnable_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace minerva::cpu {
namespace {

using tests::runnableKernels;

// Wherever in a block it is; or else products would be finite, and nobody would notice.
TEST(NotFinite, ABlockWithNotANumberHasNoNumbers) {
  for (const Kernels* k : runnableKernels()) {
    for (const QuantizeFunction quantize : k->quantize) {
      if (quantize == nullptr) continue;
      for (std::size_t place = 0; place < 32; ++place) {
        std::vector<float> x(32, 0.6F);
        x[place] = std::numeric_limits<float>::quiet_NaN();
        std::vector<std::byte> row(quantizedRowBytes(32));
        quantize(x.data(), 32, quantizedRow(row.data(), 0, 1, 32));
        const auto& block = *reinterpret_cast<const QuantizedBlock*>(row.data());
        EXPECT_TRUE(std::isnan(block.scale) && std::isnan(block.sum)) << k->name << ", place " << place << ": " << block.sum;
      }
    }
  }
}

TEST(NotFinite, NumbersTooSmallToBeDividedAreZeros) {
  for (const Kernels* k : runnableKernels()) {
    for (const QuantizeFunction quantize : k->quantize) {
      if (quantize == nullptr) continue;
      const std::vector<float> x(32, 1e-37F);
      std::vector<std::byte> row(quantizedRowBytes(32));
      quantize(x.data(), 32, quantizedRow(row.data(), 0, 1, 32));
      const auto& block = *reinterpret_cast<const QuantizedBlock*>(row.data());
      EXPECT_EQ(block.sum, 0.0F) << k->name;
      EXPECT_TRUE(std::ranges::all_of(block.q, [](std::byte code) { return code == std::byte{0}; })) << k->name;
    }
  }
}

TEST(NotFinite, AGateKeepsWhatIsNotANumber) {
  for (const Kernels* k : runnableKernels()) {
    for (int code = 0; code <= static_cast<int>(ActivationCode::tanh); ++code) {
      for (const bool inGate : {true, false}) {
        std::vector<float> gate(17, 0.5F), out(17, 0.5F);
        (inGate ? gate : out)[7] = (inGate ? gate : out)[16] = std::numeric_limits<float>::quiet_NaN();
        k->gate(gate.data(), 17, static_cast<ActivationCode>(code), out.data());
        EXPECT_TRUE(std::isnan(out[7]) && std::isnan(out[16]) && !std::isnan(out[0])) << k->name << ", activation " << code;
      }
    }
  }
}

}  // namespace
}  // namespace minerva::cpu
