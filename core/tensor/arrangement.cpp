#include "core/tensor/arrangement.h"

#include "core/tensor/packed_integers.h"
#include "core/tensor/transpose.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace minerva {

namespace {

// A run of rows of a view that are of one group.
struct Piece {
  const TensorView* stored;
  std::size_t begin;       // stored row the group begins at
  std::size_t row, count;  // within the group
};

// Calls use(piece) for rows [first, first + rows) of the view, in order.
template <class Use>
void eachPiece(const Arrangement& a, std::size_t first, std::size_t rows, Use use) {
  const auto run = static_cast<std::size_t>(a.run);
  for (std::size_t at = first + static_cast<std::size_t>(a.first), end = at + rows; at < end;) {
    const std::size_t group = at / run, row = at % run, count = std::min(run - row, end - at);
    const bool several = a.stored.size() > 1;
    const std::size_t begin = (several ? 0 : group * static_cast<std::size_t>(a.pitch)) + static_cast<std::size_t>(a.offset);
    use(Piece{&a.stored[several ? group : 0], begin, row, count});
    at += count;
  }
}

// Columns [piece.row, + piece.count) of `columns` stored rows, as rows.
void transpose(const Piece& piece, std::size_t columns, std::byte* out) {
  const TensorView& stored = *piece.stored;
  const ElementTypeTraits& type = traits(stored.type);
  if (type.kind == ElementKind::plain && !stored.arrangement) {
    const std::byte* from = stored.row(piece.begin) + piece.row * type.blockBytes;
    if (type.blockBytes == 2) transposeWords<std::uint16_t>(from, stored.storedRowBytes(), columns, piece.count, out);
    else transposeWords<std::uint32_t>(from, stored.storedRowBytes(), columns, piece.count, out);
    return;
  }
  std::vector<float> values(static_cast<std::size_t>(stored.shape.columns()));
  for (std::size_t i = 0; i < columns; ++i) {
    dequantizeRows(stored, piece.begin + i, 1, values.data());
    for (std::size_t j = 0; j < piece.count; ++j) {
      std::memcpy(out + (j * columns + i) * sizeof(float), &values[piece.row + j], sizeof(float));
    }
  }
}

TensorView arranged(Arrangement arrangement, ElementType type, const Shape& shape) {
  TensorView view{type, shape, {}};
  view.arrangement = std::make_shared<const Arrangement>(std::move(arrangement));
  return view;
}

}  // namespace

TensorView rowGroups(const TensorView& stored, const Shape& shape, std::int64_t run, std::int64_t pitch, std::int64_t offset) {
  return arranged({.stored = {stored}, .run = run, .pitch = pitch, .offset = offset}, stored.type, shape);
}

TensorView transposedGroups(const TensorView& stored, const Shape& shape, std::int64_t pitch) {
  const bool plain = traits(stored.type).kind == ElementKind::plain && !stored.arrangement;
  const std::int64_t run = shape.rank == 3 ? shape.dims[1] : shape.rows();
  return arranged({.stored = {stored}, .run = run, .pitch = pitch, .transposed = true}, plain ? stored.type : ElementType::F32, shape);
}

TensorView joined(std::vector<TensorView> pieces, const Shape& shape) {
  const ElementType type = pieces.front().type;
  const std::int64_t rows = pieces.front().shape.rows();
  return arranged({.stored = std::move(pieces), .run = rows}, type, shape);
}

bool wellFormed(const Arrangement& a, const TensorView& view) {
  if (a.packed) {
    return a.stored.empty() && a.first >= 0 && view.shape.rows() >= 1 && view.shape.columns() == a.packed->columns && view.bytes.empty() &&
           wellFormed(*a.packed, view.type) && view.shape.rows() <= a.packed->rows - a.first;
  }
  if (a.stored.empty() || a.run < 1 || a.pitch < 0 || a.offset < 0 || a.first < 0 || view.shape.rows() < 1 || !view.bytes.empty())
    return false;
  const std::int64_t columns = view.shape.columns(), last = (a.first + view.shape.rows() - 1) / a.run;
  const bool several = a.stored.size() > 1;
  if (columns % traits(view.type).blockElements != 0 || (several && last >= static_cast<std::int64_t>(a.stored.size()))) return false;
  return std::ranges::all_of(a.stored, [&](const TensorView& stored) {
    const bool type = stored.type == view.type || (a.transposed && view.type == ElementType::F32);
    const std::int64_t end = (several ? 0 : last * a.pitch) + a.offset + (a.transposed ? columns : a.run);
    return type && wellFormed(stored) && end <= stored.shape.rows() && stored.shape.columns() == (a.transposed ? a.run : columns);
  });
}

TensorView inOrder(const TensorView& view, std::size_t first, std::size_t rows, std::vector<std::byte>& storage) {
  const Arrangement& a = *view.arrangement;
  if (a.packed) return inOrder(*a.packed, view.type, static_cast<std::size_t>(a.first) + first, rows, storage);
  TensorView out{view.type, {{static_cast<std::int64_t>(rows), view.shape.columns(), 1, 1}, 2}, {}};
  if (a.transposed) {
    storage.resize(rows * view.rowBytes());
    std::byte* to = storage.data();
    eachPiece(a, first, rows, [&](const Piece& piece) {
      transpose(piece, static_cast<std::size_t>(view.shape.columns()), to);
      to += piece.count * view.rowBytes();
    });
    out.bytes = storage;
    return out;
  }
  std::vector<std::byte> inner;
  const auto planesOf = [&](const TensorView& stored, std::size_t from, std::size_t count) {
    return stored.arrangement ? std::pair(inOrder(stored, from, count, inner), std::size_t{0}) : std::pair(stored, from);
  };
  const RowPlanes sizes = planesOfRow(planesOf(a.stored.front(), 0, 1).first, 0);
  storage.resize(rows * (sizes.codes.size() + sizes.scales.size() + sizes.biases.size()));
  std::byte* codes = storage.data();
  std::byte* scales = codes + rows * sizes.codes.size();
  std::byte* biases = scales + rows * sizes.scales.size();
  const auto append = [](std::byte*& to, std::span<const std::byte> bytes) {
    if (!bytes.empty()) to = std::ranges::copy(bytes, to).out;
  };
  eachPiece(a, first, rows, [&](const Piece& piece) {
    const auto [stored, begin] = planesOf(*piece.stored, piece.begin + piece.row, piece.count);
    for (std::size_t r = begin; r < begin + piece.count; ++r) {
      const RowPlanes planes = planesOfRow(stored, r);
      append(codes, planes.codes);
      append(scales, planes.scales);
      append(biases, planes.biases);
    }
    out.planes = stored.planes;
  });
  const std::span<const std::byte> all = storage;
  out.bytes = all.first(rows * sizes.codes.size());
  out.planes.rowsPerScale = 1;
  out.planes.scales = all.subspan(out.bytes.size(), rows * sizes.scales.size());
  out.planes.biases = all.subspan(out.bytes.size() + out.planes.scales.size());
  return out;
}

std::vector<std::span<const std::byte>> sourceOf(const TensorView& view, std::size_t first, std::size_t rows) {
  std::vector<std::span<const std::byte>> source;
  if (rows == 0) return source;
  const auto add = [&](const TensorView& stored, std::size_t from, std::size_t last) {
    if (stored.arrangement) return (void)std::ranges::copy(sourceOf(stored, from, last - from + 1), std::back_inserter(source));
    const RowPlanes a = planesOfRow(stored, from), b = planesOfRow(stored, last);
    const auto addPlane = [&](std::span<const std::byte> begin, std::span<const std::byte> end) {
      if (!begin.empty()) source.push_back({begin.data(), end.data() + end.size()});
    };
    addPlane(a.codes, b.codes);
    addPlane(a.scales, b.scales);
    addPlane(a.biases, b.biases);
  };
  if (!view.arrangement) {
    add(view, first, first + rows - 1);
    return source;
  }
  const Arrangement& a = *view.arrangement;
  if (a.packed) return sourceOf(*a.packed, static_cast<std::size_t>(a.first) + first, rows);
  eachPiece(a, first, rows, [&](const Piece& piece) {
    const bool columns = a.transposed;
    const std::size_t from = piece.begin + (columns ? 0 : piece.row);
    add(*piece.stored, from, from + (columns ? static_cast<std::size_t>(view.shape.columns()) : piece.count) - 1);
  });
  return source;
}

}  // namespace minerva
