// The rows of a tensor's part as they are written: chosen, transposed, raised and in the element type of the new file.
#pragma once

#include "core/base/thread_pool.h"
#include "core/convert/source.h"

#include <cstddef>
#include <span>
#include <vector>

namespace minerva::convert {

// Whether the parts hold what shape, order and transposition ask for. PartRows relies on it.
[[nodiscard]] bool fits(const SourceTensor& tensor);

class PartRows {
 public:
  // The tensor must outlive this.
  PartRows(const SourceTensor& tensor, const TensorView& part, ElementType type);

  [[nodiscard]] std::size_t rows() const { return m_rows; }
  [[nodiscard]] std::size_t columns() const { return m_columns; }
  // The part's own bytes are what is written.
  [[nodiscard]] bool isCopy() const;
  // Written rows [first, first + count); the result is valid until the next call.
  [[nodiscard]] std::span<const std::byte> convert(std::size_t first, std::size_t count, ThreadPool& threads);

 private:
  void transpose(std::size_t first, std::size_t count, std::size_t from, std::size_t to);
  void write(std::size_t first, std::size_t from, std::size_t to);

  const SourceTensor& m_tensor;
  TensorView m_part;
  ElementType m_type;
  std::size_t m_rows = 0, m_columns = 0;
  std::vector<float> m_values;
  std::vector<std::byte> m_bytes;
};

}  // namespace minerva::convert
