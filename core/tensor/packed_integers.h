// Matrices of whole numbers in 32-bit words, as GPTQ, AWQ and compressed-tensors store them: value = (code - zero) * scale, with a scale
// and a zero for each row and group of columns. In the first two a row has no bytes of its own.
//
//           downColumns (GPTQ)          acrossRows (AWQ, "gemm")           alongRows (compressed-tensors)
//   words   [columns * bits / 32, rows] [columns, rows / 8]                [rows, columns * bits / 32]
//   zeros   [groups, rows * bits / 32]  [groups, rows / 8]                 [rows in words, groups]
//   scales  [groups, rows]              [groups, rows]                     [rows, groups]
//
// The numbers of a column, of a row or of eight rows follow each other from the lowest bits on; AWQ's of eight rows in an order of its own.
// Sources: https://github.com/ModelCloud/GPTQModel, https://github.com/casper-hansen/AutoAWQ,
// https://github.com/neuralmagic/compressed-tensors (pack-quantized).
#pragma once

#include "core/tensor/tensor_view.h"

#include <cstdint>
#include <span>
#include <vector>

namespace minerva {

enum class PackedWords { downColumns, acrossRows, alongRows };

struct PackedIntegers {
  PackedWords along = PackedWords::downColumns;
  int bits = 4;                              // 2, 3 or 8 as well; acrossRows: 4; alongRows: 4 or 8
  bool zerosAreLess = false;                 // by one than they should be: GPTQ's first format
  ElementType scaleType = ElementType::F16;  // F32, F16 or BF16
  std::int64_t rows = 0, columns = 0, groups = 0;
  std::span<const std::byte> words{}, scales{};
  std::span<const std::byte> zeros{};  // empty: half the range, if alongRows
  std::span<const std::byte> order{};  // I32 [columns]: the group of each column; empty: groups of columns that follow each other
};

// The view of the whole matrix. In an affine type of MLX's where the groups allow it; else, and always with an `order`, in the type of the
// scales, which takes up to 16 times the memory but has the values that the formats' own kernels compute.
[[nodiscard]] TensorView unpacked(const PackedIntegers& packed);

// What follows is for arrangement.cpp. type: of a view of it; rows [first, first + rows).
[[nodiscard]] bool wellFormed(const PackedIntegers& packed, ElementType type);
[[nodiscard]] TensorView inOrder(const PackedIntegers& packed, ElementType type, std::size_t first, std::size_t rows,
                                 std::vector<std::byte>& storage);
[[nodiscard]] std::vector<std::span<const std::byte>> sourceOf(const PackedIntegers& packed, std::size_t first, std::size_t rows);

}  // namespace minerva
