// A tensor somebody else owns (usually a mapped file): type, shape, bytes. Cheap to copy.
#pragma once

#include "core/tensor/element_type.h"

#include <array>
#include <cstddef>
#include <cstdint>
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

struct TensorView {
  ElementType type = ElementType::F32;
  Shape shape;
  std::span<const std::byte> bytes;  // rows() * bytesOf(type, columns()) bytes; alignment: none promised beyond 1

  [[nodiscard]] bool empty() const { return bytes.empty(); }
  [[nodiscard]] std::size_t rowBytes() const { return bytesOf(type, static_cast<std::size_t>(shape.columns())); }
  [[nodiscard]] const std::byte* row(std::size_t i) const { return bytes.data() + i * rowBytes(); }
};

}  // namespace minerva
