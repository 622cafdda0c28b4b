// The weight layout the CPU uses: panels of 16 rows, interleaved so that each vector lane processes one row.
//
// A panel holds all columns of 16 rows (the last panel of a matrix is padded with zero rows), with the stored values bit for
// bit. Columns are divided into groups (one block of the type each). A panel is a plane of headers, one per group, followed
// at the next multiple of 64 bytes by a plane of codes, one per group:
//   header: the block's scales, field by field; each field for all 16 rows
//   codes:  32-bit words, each for all 16 rows; a word has four codes (bytes) or eight (nibbles) of one row
// kernels/formats.h describes for each format which word has which element. Floats have no header: an F16 or BF16 word has
// two adjacent elements, an F32 word one; their columns are padded with zeros to a multiple of 32.
#pragma once

#include "core/tensor/tensor_view.h"

#include <cstddef>

namespace minerva::cpu {

inline constexpr int panelRows = 16;
inline constexpr std::size_t columnStep = 32;  // padding of activations and float weights

struct PanelLayout {
  std::size_t groupColumns;     // columns per group; 0: the CPU has no kernels for this type
  std::size_t headerBytes;      // per group, for 16 rows
  std::size_t codeBytes;        // per group, for 16 rows
  std::size_t prefixBytes = 0;  // once per panel, before the headers: AffinePrefix; or, if codes or scales are 8-bit floats, a word for
                                // each row, which is 0, or NaN if one of the row's is not finite
};

// Whether the CPU has kernels for matrices of this type.
[[nodiscard]] bool hasPanels(ElementType type);
[[nodiscard]] PanelLayout panelLayout(ElementType type);
[[nodiscard]] inline std::size_t paddedColumns(std::size_t columns) { return (columns + columnStep - 1) / columnStep * columnStep; }
// A multiple of 64.
[[nodiscard]] std::size_t panelBytes(ElementType type, std::size_t columns);
[[nodiscard]] inline std::size_t panelCount(std::size_t rows) { return (rows + panelRows - 1) / panelRows; }

// Packs panel `index` of a matrix into `panel` (panelBytes; need not be zeroed).
void packPanel(const TensorView& matrix, std::size_t index, std::byte* panel);

}  // namespace minerva::cpu
