// The layout weights have while the CPU uses them: panels of 16 rows, interleaved so that a vector lane is a row.
//
// A panel holds 16 rows (the last one of a matrix is filled up with zero rows) and all columns, bit for bit the stored
// values. The columns come in groups (one block of the type). A panel is a plane of headers, one a group, then on the next
// multiple of 64 bytes a plane of codes, one a group:
//   header: the block's scales, field by field, 16 rows of a field together
//   codes:  32-bit words, 16 rows of a word together; a word holds four codes (bytes), or eight (nibbles), of one row
// Types that are expanded as they are read (kernels/expanded.h) have no headers; their codes are the stored blocks of 16 rows.
// Which word holds which element is described with each format in kernels/formats.h. Floats have no header: F16 and BF16
// words are two neighbouring elements, F32 words one; their columns are filled up with zeros to a multiple of 32.
#pragma once

#include "core/tensor/tensor_view.h"

#include <cstddef>

namespace minerva::cpu {

inline constexpr int panelRows = 16;
inline constexpr std::size_t columnStep = 32;  // activations and float weights are padded to this

struct PanelLayout {
  std::size_t groupColumns;     // columns of a group; 0: the CPU does not multiply by this type
  std::size_t headerBytes;      // of a group, 16 rows
  std::size_t codeBytes;        // of a group, 16 rows
  std::size_t prefixBytes = 0;  // once, before the headers
};

// Whether the CPU multiplies by matrices of this type.
[[nodiscard]] bool hasPanels(ElementType type);
[[nodiscard]] PanelLayout panelLayout(ElementType type);
[[nodiscard]] inline std::size_t paddedColumns(std::size_t columns) { return (columns + columnStep - 1) / columnStep * columnStep; }
// A multiple of 64.
[[nodiscard]] std::size_t panelBytes(ElementType type, std::size_t columns);
[[nodiscard]] inline std::size_t panelCount(std::size_t rows) { return (rows + panelRows - 1) / panelRows; }

// Rearranges panel `index` of a matrix into `panel` (panelBytes, zeroed or not).
void packPanel(const TensorView& matrix, std::size_t index, std::byte* panel);

}  // namespace minerva::cpu
