// A tensor somebody else owns (usually a mapped file): type, shape, bytes. Cheap to copy.
#pragma once

#include "core/tensor/element_type.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace minerva {

// Outermost first, the last dimension is contiguous in memory: a matrix is [rows, columns]. (GGUF stores the reverse.)
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

// Scales and biases of a matrix whose type keeps them apart from the codes (traits' `parts`). A row of the matrix has one
// scale a block, unless blocks or rows share them: scale [row / rowsPerScale][block / blocksPerScale], densely stored.
struct TensorPlanes {
  std::span<const std::byte> scales;
  std::span<const std::byte> biases;         // as many as scales; empty where the type has none
  ElementType scaleType = ElementType::F32;  // what F8_*_SCALED reads: F32, F16 or BF16; other types say it by their name
  std::int64_t rowsPerScale = 1;             // block-scaled FP8: 128; one scale for all: rows()
  std::int64_t blocksPerScale = 1;           // a scale for each row: the blocks of a row
};

struct Arrangement;  // arrangement.h

struct TensorView {
  ElementType type = ElementType::F32;
  Shape shape;
  std::span<const std::byte> bytes;  // rows() * bytesOf(type, columns()) bytes, or codes alone; alignment: none beyond 1
  TensorPlanes planes{};
  // The file holds the rows in another order: there are no bytes, and row() must not be used.
  std::shared_ptr<const Arrangement> arrangement{};

  [[nodiscard]] bool empty() const { return bytes.empty() && !arrangement; }
  // Codes, scales and biases lie apart: bytes and row() are then codes alone; use assembleRows or dequantizeRows.
  [[nodiscard]] bool apart() const { return traits(type).parts.codes != 0; }
  // Of a row in one piece, as assembleRows makes it.
  [[nodiscard]] std::size_t rowBytes() const { return bytesOf(type, static_cast<std::size_t>(shape.columns())); }
  // Of a row in `bytes`.
  [[nodiscard]] std::size_t storedRowBytes() const;
  [[nodiscard]] const std::byte* row(std::size_t i) const { return bytes.data() + i * storedRowBytes(); }
};

// Whether the columns are whole blocks and bytes, scales and biases have the sizes that type and shape ask for. Everything
// below relies on it.
[[nodiscard]] bool wellFormed(const TensorView& view);

// Bytes of everything: codes, scales and biases; with an arrangement, of the rows in order.
[[nodiscard]] std::size_t storedBytes(const TensorView& view);

// Rows [first, first + rows) in one piece, rows * rowBytes() bytes: what traits(type).dequantize reads.
void assembleRows(const TensorView& view, std::size_t first, std::size_t rows, std::byte* out);

// Values of rows [first, first + rows).
void dequantizeRows(const TensorView& view, std::size_t first, std::size_t rows, float* values);

// The view of rows [first, first + rows) as a matrix [rows, columns]; first is a multiple of rowsPerScale.
[[nodiscard]] TensorView sliceRows(const TensorView& view, std::int64_t first, std::int64_t rows);

// The parts of one row. Not of a view with an arrangement.
struct RowPlanes {
  std::span<const std::byte> codes, scales, biases;
};
[[nodiscard]] RowPlanes planesOfRow(const TensorView& view, std::size_t row);

}  // namespace minerva
