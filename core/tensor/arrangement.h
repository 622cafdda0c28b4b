// Tensors whose rows are not one behind the other in the file: rows in groups that stand apart, columns in place of rows,
// pieces in tensors of their own, words along columns. Such a view has no bytes; its rows are put in order when they are asked for, so that
// describing a model reads none of its weights.
#pragma once

#include "core/tensor/tensor_view.h"

#include <span>
#include <vector>

namespace minerva {

struct PackedIntegers;  // packed_integers.h

// Rows come in groups of `run`. Group m begins at row m * pitch + offset of the stored tensor or, where there are several,
// at row `offset` of tensor m. Its row j is the j-th stored row from there; transposed: column j of as many stored rows as
// the view has columns. Stored tensors may have arrangements themselves.
struct Arrangement {
  std::vector<TensorView> stored;
  std::int64_t run = 1, pitch = 0, offset = 0;
  bool transposed = false;
  std::shared_ptr<const PackedIntegers> packed{};  // in place of all of these
  std::int64_t first = 0;                          // row 0 of the view is this one
};

// Groups of `run` rows, `pitch` stored rows from one to the next, the first at `offset`; as a tensor of this shape.
[[nodiscard]] TensorView rowGroups(const TensorView& stored, const Shape& shape, std::int64_t run, std::int64_t pitch, std::int64_t offset);
// shape [count, rows, columns], or [rows, columns] of one: matrix m is the transpose of stored rows m * pitch + [0, columns). In the stored
// type where that is a plain float without an arrangement, else in float32.
[[nodiscard]] TensorView transposedGroups(const TensorView& stored, const Shape& shape, std::int64_t pitch);
// The pieces one behind the other; of one type and shape.
[[nodiscard]] TensorView joined(std::vector<TensorView> pieces, const Shape& shape);

[[nodiscard]] bool wellFormed(const Arrangement& arrangement, const TensorView& view);

// Rows [first, first + rows) of a view with an arrangement, in order: a matrix of the same type whose bytes and planes
// are in `storage`.
[[nodiscard]] TensorView inOrder(const TensorView& view, std::size_t first, std::size_t rows, std::vector<std::byte>& storage);

// The file's bytes that rows [first, first + rows) are made of: what to read ahead, and to let go of afterwards.
[[nodiscard]] std::vector<std::span<const std::byte>> sourceOf(const TensorView& view, std::size_t first, std::size_t rows);

}  // namespace minerva
