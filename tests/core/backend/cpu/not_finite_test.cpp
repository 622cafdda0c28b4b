// What is not a number stays so through the operations on rows, in every instruction set: damaged weights must be seen in the logits, where
// an error is made of them, and not be replies of nonsense.
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/panels.h"
#include "tests/support/random_blocks.h"
#include "tests/support/runnable_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
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
      for (int i = 0; i < 8; ++i) {  // the second word may be a sum times the zero of a format, which is -0
        float words[2];
        std::memcpy(words, block.q + i * 8, sizeof words);
        EXPECT_TRUE(words[0] == 0.0F && words[1] == 0.0F) << k->name << ", word " << i << ": " << words[0] << ", " << words[1];
      }
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

constexpr std::size_t damagedRow = 5, matrixColumns = 512;

// A panel of which one row has the same byte everywhere, as files that were not written to their end or lost a bit of every code.
struct DamagedPanel {
  DamagedPanel(const ElementTypeTraits& type, int byte) : values(panelRows * matrixColumns) {
    const std::size_t rowBytes = bytesOf(type.type, matrixColumns);
    std::vector<std::byte> bytes(panelRows * rowBytes, std::byte{0x11});
    std::memset(bytes.data() + damagedRow * rowBytes, byte, rowBytes);
    type.dequantize(bytes.data(), values.data(), values.size());
    const tests::SplitBlocks parts = tests::splitBlocks(type, bytes);
    TensorView view;
    view.type = type.type;
    view.shape = {{panelRows, matrixColumns, 1, 1}, 2};
    view.bytes = bytes;
    if (view.apart()) {
      view.bytes = parts.codes;
      view.planes.scales = parts.scales;
      view.planes.biases = parts.biases;
    }
    packed.resize(panelBytes(type.type, matrixColumns));
    packPanel(view, 0, packed.data());
  }
  // With such numbers it depends on the order of operations whether a result is too large to be one.
  [[nodiscard]] bool isHuge() const {
    return std::ranges::any_of(values, [](float x) { return std::isfinite(x) && std::abs(x) > 1e30F; });
  }
  [[nodiscard]] bool isFinite(std::size_t row) const {
    return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(row * matrixColumns),
                       values.begin() + static_cast<std::ptrdiff_t>((row + 1) * matrixColumns), [](float x) { return std::isfinite(x); });
  }

  std::vector<float> values;
  std::vector<std::byte> packed;
};

void expectProductsToTell(const Kernels& k, ElementType type, const DamagedPanel& panel) {
  const std::vector<float> x(matrixColumns, 1.0F);
  for (std::size_t how = 0; how < roundings; ++how) {
    const DotFunction dot = k.dot[how][panelsOf(type)];
    if (dot == nullptr) continue;
    std::vector<std::byte> row(std::max(quantizedRowBytes(matrixColumns), matrixColumns * sizeof(float)));
    if (readsFloats(type)) std::memcpy(row.data(), x.data(), matrixColumns * sizeof(float));
    else k.quantize[how](x.data(), static_cast<int>(matrixColumns), quantizedRow(row.data(), 0, 1, matrixColumns));
    float y[panelRows];
    dot(panel.packed.data(), static_cast<int>(matrixColumns), row.data(), row.size(), 1, y);
    for (std::size_t r = 0; r < panelRows; ++r) EXPECT_EQ(std::isfinite(y[r]), panel.isFinite(r)) << "rounding " << how << ", row " << r;
  }
}

// Of the damaged row at least one weight of a strip is no number, of the others none.
void expectStripToTell(const std::vector<float>& strip, bool isFinite) {
  std::array<bool, panelRows> rows;
  rows.fill(true);
  for (std::size_t i = 0; i < strip.size(); ++i) rows[i % panelRows] &= std::isfinite(strip[i]);
  for (std::size_t r = 0; r < panelRows; ++r) EXPECT_EQ(rows[r], r != damagedRow || isFinite) << "unpacked, row " << r;
}

void expectUnpackedToTell(const Kernels& k, ElementType type, const DamagedPanel& panel) {
  std::vector<float> strip(matrixColumns * panelRows);
  k.unpack[panelsOf(type)](panel.packed.data(), static_cast<int>(matrixColumns), 0, static_cast<int>(matrixColumns), strip.data());
  expectStripToTell(strip, panel.isFinite(damagedRow));
}

// Codes and scales that are no numbers, of the types that have such: a row's results are no numbers if and only if the row has one.
TEST(NotFinite, WeightsAreWhereTheirTypeSaysSo) {
  for (const ElementTypeTraits& type : tests::everyMatrixType()) {
    for (const int byte : {0xff, 0x7f, 0x7c, 0x7b}) {
      const DamagedPanel panel(type, byte);
      if (panel.isHuge() || (type.type == ElementType::Q8_K && byte != 0xff)) continue;  // its scale is a float32
      for (const Kernels* k : runnableKernels()) {
        SCOPED_TRACE(testing::Message() << type.name << ", byte " << byte << ", " << k->name);
        expectProductsToTell(*k, type.type, panel);
        expectUnpackedToTell(*k, type.type, panel);
      }
    }
  }
}

// A single code, in each of the places that a code may have in a word.
TEST(NotFinite, ASingleWeightIsNotHidden) {
  for (const auto& [type, code] :
       {std::pair{ElementType::F8_E4M3, 0x7f}, {ElementType::F8_E4M3, 0xff}, {ElementType::F8_E5M2, 0x7c}, {ElementType::F8_E5M2, 0xfd}}) {
    for (std::size_t column = 0; column < 32; ++column) {
      std::vector<std::byte> bytes(panelRows * 32, std::byte{0x38});
      bytes[damagedRow * 32 + column] = static_cast<std::byte>(code);
      TensorView view;
      view.type = type;
      view.shape = {{panelRows, 32, 1, 1}, 2};
      view.bytes = bytes;
      std::vector<std::byte> panel(panelBytes(type, 32));
      packPanel(view, 0, panel.data());
      const std::vector<float> x(32, 1.0F);
      for (const Kernels* k : runnableKernels()) {
        float y[panelRows];
        std::vector<float> strip(32 * panelRows);
        k->dot[static_cast<int>(Rounding::words)][panelsOf(type)](panel.data(), 32, reinterpret_cast<const std::byte*>(x.data()),
                                                                  32 * sizeof(float), 1, y);
        k->unpack[panelsOf(type)](panel.data(), 32, 0, 32, strip.data());
        for (std::size_t r = 0; r < panelRows; ++r) EXPECT_EQ(std::isfinite(y[r]), r != damagedRow) << k->name << ", code " << code;
        expectStripToTell(strip, false);
      }
    }
  }
}

}  // namespace
}  // namespace minerva::cpu
