// The product of bf16 tiles in vector registers (AVX-512 BF16), for processors without a matrix unit. An instruction multiplies 32
// pairs of elements, as many as the two byte products of 16-bit activations (products.h) do, but sums are float32: there are no
// scales, offsets or conversions left for each block and row, because unpacking has applied them once for all rows.
#pragma once

#include "core/backend/cpu/kernels/bf16_pairs.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

constexpr int productRows = 8;  // with two panels: 16 sums in registers, enough for the latency of the instruction

inline F addPairProducts(F sums, F pairs, F weights) { return (F)_mm512_dpbf16_ps((__m512)sums, (__m512bh)pairs, (__m512bh)weights); }

// Rows first ... first + N - 1 of a tile of activations with two panels.
template <int N>
inline void multiplyPairs(const MatrixUnit::Product* products, int productCount, std::size_t first, std::size_t weightStride, int columns,
                          bool accumulate, float* y, std::size_t yStride) {
  const auto row = [&](int t) { return reinterpret_cast<float*>(reinterpret_cast<std::byte*>(y) + static_cast<std::size_t>(t) * yStride); };
  F sums[N][2] = {};
  if (accumulate) {
#pragma GCC unroll 8
    for (int t = 0; t < N; ++t) {
      sums[t][0] = loadF(row(t));
      sums[t][1] = loadF(row(t) + 16);
    }
  }
  for (int p = 0; p < productCount; ++p) {
    const std::uint16_t* x = products[p].activations + first;
    const std::uint16_t* w = products[p].weights;
    for (int k = 0; k < columns; k += 32, x += tileElements) {
#pragma GCC unroll 4
      for (int pair = 0; pair < 16; ++pair, w += 32) {
        const F weights[2] = {loadF(w), loadF(w + weightStride)};
#pragma GCC unroll 8
        for (int t = 0; t < N; ++t) {
          const F two = (F)(I{} + loadAs<std::int32_t>(x + t * 32 + pair * 2));
          sums[t][0] = addPairProducts(sums[t][0], two, weights[0]);
          sums[t][1] = addPairProducts(sums[t][1], two, weights[1]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int t = 0; t < N; ++t) {
    store(row(t), sums[t][0]);
    store(row(t) + 16, sums[t][1]);
  }
}

using MultiplyPairs = void (*)(const MatrixUnit::Product*, int, std::size_t, std::size_t, int, bool, float*, std::size_t);
constexpr MultiplyPairs pairsOfRows[productRows] = {multiplyPairs<1>, multiplyPairs<2>, multiplyPairs<3>, multiplyPairs<4>,
                                                    multiplyPairs<5>, multiplyPairs<6>, multiplyPairs<7>, multiplyPairs<8>};

void multiplyTiles(const MatrixUnit::Product* products, int productCount, std::size_t activationStride, std::size_t weightStride, int rows,
                   int columns, bool accumulate, float* y, std::size_t yStride) {
  for (int t = 0; t < rows; t += productRows) {
    const int count = rows - t < productRows ? rows - t : productRows;
    const std::size_t first = static_cast<std::size_t>(t / 16) * activationStride + static_cast<std::size_t>(t % 16) * 32;
    float* to = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(y) + static_cast<std::size_t>(t) * yStride);
    pairsOfRows[count - 1](products, productCount, first, weightStride, columns, accumulate, to, yStride);
  }
}

constexpr MatrixUnit makeMatrixUnit() {
  MatrixUnit unit = unitOfPairs(1, false);
  unit.multiply = multiplyTiles;
  unit.begin = [] {};
  unit.end = [] {};
  return unit;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
