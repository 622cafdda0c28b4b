// A non-owning view of a tensor, usually in a mapped file: type, shape, bytes. Cheap to copy.
#pragma once

#include "core/tensor/element_type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace minerva {

// Outermost dimension first, last one contiguous: a matrix is [rows, columns]. (GGUF stores the reverse order.)
struct Shape {
  std::array<std::int64_t, 4> dims{1, 1, 1, 1};
  int rank = 0;

  [[nodiscard]] std::int64_t elements() const { return rank == 0 ? 0 : dims[0] * dims[1] * dims[2] * dims[3]; }
  [[nodiscard]] std::int64_t columns() const { return rank == 0 ? 0 : dims[static_cast<std::size_t>(rank - 1)]; }
  [[nodiscard]] std::int64_t rows() const { return columns() == 0 ? 0 : elements() / columns(); }
  [[nodiscard]] bool operator==(const Shape&) const = default;
};

// "[2048, 5632]"
[[nodiscard]] std::string toString(const Shape& shape);

// Scales and biases of types that store them separately from the codes (ElementTypeTraits::parts). The scale of a block is
// at [row / rowsPerScale][block / blocksPerScale], densely stored.
struct TensorPlanes {
  std::span<const std::byte> scales;
  std::span<const std::byte> biases;         // as many as scales; empty if the type has none
  ElementType scaleType = ElementType::F32;  // for F8_*_SCALED: F32, F16 or BF16; implied by the other types
  std::int64_t rowsPerScale = 1;             // block-scaled FP8: 128; one scale for all: rows()
  std::int64_t blocksPerScale = 1;           // one scale per row: the number of blocks per row
};

struct Arrangement;  // arrangement.h

struct TensorView {
  ElementType type = ElementType::F32;
  Shape shape;
  std::span<const std::byte> bytes;  // rows() * bytesOf(type, columns()) bytes, or only the codes; unaligned
  TensorPlanes planes{};
  // The file holds the rows in another order: there are no bytes, and row() must not be used.
  std::shared_ptr<const Arrangement> arrangement{};

  [[nodiscard]] bool empty() const { return bytes.empty() && !arrangement; }
  // True if codes, scales and biases are stored separately. Then bytes and row() are the codes only; use assembleRows or
  // dequantizeRows.
  [[nodiscard]] bool apart() const { return traits(type).parts.codes != 0; }
  // Size of an assembled row.
  [[nodiscard]] std::size_t rowBytes() const { return bytesOf(type, static_cast<std::size_t>(shape.columns())); }
  // Size of a row in `bytes`.
  [[nodiscard]] std::size_t storedRowBytes() const;
  [[nodiscard]] const std::byte* row(std::size_t i) const { return bytes.data() + i * storedRowBytes(); }
};

// Whether the columns are a multiple of the block size and bytes, scales and biases have the sizes that type and shape
// require. Precondition of all functions below.
[[nodiscard]] bool wellFormed(const TensorView& view);

// Total size of codes, scales and biases; with an arrangement, of the rearranged rows.
[[nodiscard]] std::size_t storedBytes(const TensorView& view);

// Assembles rows [first, first + rows) into rows * rowBytes() bytes, the layout traits(type).dequantize reads.
void assembleRows(const TensorView& view, std::size_t first, std::size_t rows, std::byte* out);

// Dequantizes rows [first, first + rows).
void dequantizeRows(const TensorView& view, std::size_t first, std::size_t rows, float* values);

// The view of rows [first, first + rows) as a matrix [rows, columns]; first is a multiple of rowsPerScale.
[[nodiscard]] TensorView sliceRows(const TensorView& view, std::int64_t first, std::int64_t rows);

// The parts of one row. Not of a view with an arrangement.
struct RowPlanes {
  std::span<const std::byte> codes, scales, biases;
};
[[nodiscard]] RowPlanes planesOfRow(const TensorView& view, std::size_t row);

}  // namespace minerva
