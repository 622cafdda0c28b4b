// Produces the output rows of one part of a tensor: reordered, transposed, offset and converted to the output type.
#pragma once

#include "core/base/thread_pool.h"
#include "core/convert/source.h"

#include <cstddef>
#include <span>
#include <vector>

namespace minerva::convert {

// Whether the parts are consistent with shape, order and transposition. Precondition of PartRows.
[[nodiscard]] bool fits(const SourceTensor& tensor);

class PartRows {
 public:
  // The part with this number; the tensor must outlive this.
  PartRows(const SourceTensor& tensor, std::size_t part, ElementType type);

  [[nodiscard]] std::size_t rows() const { return m_rows; }
  [[nodiscard]] std::size_t columns() const { return m_columns; }
  // True if the part's bytes are written unchanged.
  [[nodiscard]] bool isCopy() const;
  // Output rows [first, first + count); the span is valid until the next call. Throws std::bad_alloc, on the calling thread.
  [[nodiscard]] std::span<const std::byte> convert(std::size_t first, std::size_t count, ThreadPool& threads);

 private:
  void transpose(std::size_t first, std::size_t count, std::size_t from, std::size_t to);
  void write(std::size_t first, std::size_t from, std::size_t to);
  void change(float* values) const;

  const SourceTensor& m_tensor;
  TensorView m_part;
  ElementType m_type;
  float m_factor;
  std::size_t m_rows = 0, m_columns = 0;
  std::vector<float> m_values;
  std::vector<std::byte> m_bytes;
};

}  // namespace minerva::convert
