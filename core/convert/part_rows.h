// Produces the output rows of one part of a tensor: reordered, transposed, offset and converted to the output type.
#pragma once

#include "core/base/thread_pool.h"
#include "core/convert/source.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace minerva::convert {

inline constexpr std::size_t pieceElements = std::size_t{4} << 20;  // elements converted at once: 16 MB of floats

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
  // Output rows [first, first + count); the span is valid until the next call. Errors: corrupt (a value that is no number), unsupported
  // (one too large for the type). Throws std::bad_alloc, on the calling thread.
  [[nodiscard]] Result<std::span<const std::byte>> convert(std::size_t first, std::size_t count, ThreadPool& threads);

 private:
  // The first row, counted from `first`, whose values the output cannot hold.
  struct Problem {
    std::size_t row = 0;
    bool noNumber = false;  // the part holds such values; else they are too large for the type
  };
  void transpose(std::size_t first, std::size_t count, std::size_t from, std::size_t to);
  [[nodiscard]] std::optional<Problem> write(std::size_t first, std::size_t from, std::size_t to);
  void change(float* values) const;
  [[nodiscard]] std::unexpected<Error> refused(const Problem& problem, std::size_t first) const;

  const SourceTensor& m_tensor;
  TensorView m_part;
  ElementType m_type;
  float m_factor;
  std::size_t m_rows = 0, m_columns = 0;
  std::vector<float> m_values;
  std::vector<std::byte> m_bytes;
};

}  // namespace minerva::convert
