// Matrices whose codes, scales and biases are separate tensors.
#include "core/tensor/half.h"
#include "core/tensor/tensor_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace minerva {
namespace {

std::vector<std::byte> halves(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) storeHalf(bytes.data() + 2 * i, values[i]);
  return bytes;
}

// Codes as packed by mlx.quantize: a bit stream, with the first code in the lowest bits.
std::vector<std::byte> packCodes(const std::vector<unsigned>& codes, unsigned bits) {
  std::vector<std::byte> bytes(codes.size() * bits / 8);
  for (std::size_t i = 0; i < codes.size() * bits; ++i) {
    if ((codes[i / bits] >> (i % bits) & 1U) != 0) bytes[i / 8] |= static_cast<std::byte>(1U << (i % 8));
  }
  return bytes;
}

TEST(TensorPlanes, AffineGroupsOfEveryWidth) {
  for (const unsigned bits : {2U, 3U, 4U, 5U, 6U, 8U}) {
    constexpr std::size_t rows = 3, columns = 128, group = 64;
    std::vector<unsigned> codes(rows * columns);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<unsigned>(i * 37 % (std::size_t{1} << bits));
    const std::vector<float> scaleValues{0.5F, 0.25F, 2.0F, -1.0F, 0.125F, 3.0F}, biasValues{-1.0F, 0.0F, 8.0F, 0.5F, -0.25F, 1.5F};
    const auto bytes = packCodes(codes, bits), scales = halves(scaleValues), biases = halves(biasValues);
    TensorView view{mlxType(static_cast<int>(bits), group, ElementType::F16)->type, {{rows, columns, 1, 1}, 2}, bytes};
    EXPECT_FALSE(wellFormed(view));
    view.planes.scales = scales;
    view.planes.biases = biases;
    ASSERT_TRUE(wellFormed(view));
    EXPECT_EQ(storedBytes(view), bytes.size() + scales.size() + biases.size());
    std::vector<float> values(rows * columns);
    dequantizeRows(view, 0, rows, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], scaleValues[i / group] * static_cast<float>(codes[i]) + biasValues[i / group]) << bits << " bits, " << i;
    }
    const TensorView last = sliceRows(view, 2, 1);
    ASSERT_TRUE(wellFormed(last));
    std::vector<float> row(columns);
    dequantizeRows(last, 0, 1, row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), values.begin() + 2 * columns));
    std::vector<std::byte> whole(rows * view.rowBytes());
    assembleRows(view, 0, rows, whole.data());
    std::vector<float> again(values.size());
    traits(view.type).dequantize(whole.data(), again.data(), again.size());
    EXPECT_EQ(again, values);
  }
}

TEST(TensorPlanes, ScalesMayBeSharedByRowsAndBlocks) {
  constexpr std::int64_t rows = 130, columns = 256;
  std::vector<std::byte> codes(rows * columns, std::byte{0x38});  // 1 in E4M3
  const std::vector<float> tiles{1.0F, 2.0F, 4.0F, 8.0F};
  TensorView view{ElementType::F8_E4M3_SCALED, {{rows, columns, 1, 1}, 2}, codes};
  view.planes = {.scales = std::as_bytes(std::span(tiles)), .biases = {}, .rowsPerScale = 128};
  ASSERT_TRUE(wellFormed(view));
  std::vector<float> values(rows * columns);
  dequantizeRows(view, 0, rows, values.data());
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_EQ(values[127 * columns + 128], 2.0F);
  EXPECT_EQ(values[128 * columns], 4.0F);
  EXPECT_EQ(values[129 * columns + 255], 8.0F);
  const TensorView tail = sliceRows(view, 128, 2);
  ASSERT_TRUE(wellFormed(tail));
  dequantizeRows(tail, 1, 1, values.data());
  EXPECT_EQ(values[200], 8.0F);

  const auto one = halves({0.5F});  // a single scale, in half precision
  view.planes = {.scales = one, .biases = {}, .scaleType = ElementType::F16, .rowsPerScale = rows, .blocksPerScale = 2};
  ASSERT_TRUE(wellFormed(view));
  dequantizeRows(view, 0, rows, values.data());
  EXPECT_EQ(values[129 * columns + 255], 0.5F);
}

TEST(TensorPlanes, SmallFloatsWithTheirScales) {
  std::vector<std::byte> codes(16);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i | (15 - i) << 4);
  const std::vector<std::byte> powers{std::byte{130}};  // 2^3
  TensorView view{ElementType::MXFP4_PLANES, {{1, 32, 1, 1}, 2}, codes};
  view.planes.scales = powers;
  ASSERT_TRUE(wellFormed(view));
  std::vector<float> values(32);
  dequantizeRows(view, 0, 1, values.data());
  const std::vector<float> e2m1{0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t code = i % 2 == 0 ? i / 2 : 15 - i / 2;
    EXPECT_EQ(values[i], (code < 8 ? 8 : -8) * e2m1[code % 8]) << i;
  }
  const std::vector<std::byte> small{std::byte{0x40}, std::byte{0x01}};  // 2 and 2^-9 in E4M3
  view.type = ElementType::NVFP4_PLANES;
  view.planes.scales = small;
  ASSERT_TRUE(wellFormed(view));
  dequantizeRows(view, 0, 1, values.data());
  EXPECT_EQ(values[6], 3.0F);
  EXPECT_EQ(values[30], -6.0F * 0x1p-9F);
}

}  // namespace
}  // namespace minerva
