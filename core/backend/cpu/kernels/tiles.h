// The product of bf16 tiles on the matrix unit (Intel AMX).
//
// A tile register has 16 rows of 64 bytes. C[16 x 16 float] += A[16 x 32 bf16] B[32 x 16 bf16], where B is in pairs (bf16_pairs.h).
#pragma once

#include "core/backend/cpu/kernels/bf16_pairs.h"

namespace minerva::cpu::MINERVA_ISA {
namespace {

// Tiles 0 - 3: results of row tiles 0 and 1 with panels 0 and 1; 4, 5: activations; 6, 7: weights.
void multiplyTiles(const MatrixUnit::Product* products, int productCount, std::size_t activationStride, std::size_t weightStride, int,
                   int columns, bool accumulate, float* y, std::size_t yStride) {
  constexpr int tileRowBytes = 64;
  auto* lower = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(y) + 16 * yStride);
  if (accumulate) {
    _tile_loadd(0, y, yStride);
    _tile_loadd(1, y + 16, yStride);
    _tile_loadd(2, lower, yStride);
    _tile_loadd(3, lower + 16, yStride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int p = 0; p < productCount; ++p) {
    const std::uint16_t* a = products[p].activations;
    const std::uint16_t* w = products[p].weights;
    for (int k = 0; k < columns; k += 32, a += tileElements, w += tileElements) {
      _tile_loadd(4, a, tileRowBytes);
      _tile_loadd(6, w, tileRowBytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, w + weightStride, tileRowBytes);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, a + activationStride, tileRowBytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, y, yStride);
  _tile_stored(1, y + 16, yStride);
  _tile_stored(2, lower, yStride);
  _tile_stored(3, lower + 16, yStride);
}

struct TileConfiguration {
  std::uint8_t palette, startRow, reserved[14];
  std::uint16_t rowBytes[16];
  std::uint8_t rows[16];
};

void beginTiles() {
  alignas(64) static constexpr TileConfiguration full{1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
  _tile_loadconfig(&full);
}

void endTiles() { _tile_release(); }

constexpr MatrixUnit makeMatrixUnit() {
  MatrixUnit unit = unitOfPairs(3, true);
  unit.multiply = multiplyTiles;
  unit.begin = beginTiles;
  unit.end = endTiles;
  return unit;
}

}  // namespace
}  // namespace minerva::cpu::MINERVA_ISA
