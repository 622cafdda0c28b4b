#include "core/tensor/tensor_view.h"

#include "core/tensor/arrangement.h"
#include "core/tensor/half.h"

#include <algorithm>

namespace minerva {

namespace {

// The layout of one row: blocks and their scales.
struct RowParts {
  BlockParts sizes;
  std::size_t blocks, scalesPerRow, scaleBytes;  // scaleBytes: of one scale in the plane
};

std::int64_t ratio(std::int64_t count, std::int64_t each) { return (count + each - 1) / each; }

RowParts partsOf(const TensorView& view) {
  const ElementTypeTraits& type = traits(view.type);
  const std::int64_t blocks = view.shape.columns() / type.blockElements;
  const bool converts = view.type >= ElementType::F8_E4M3_SCALED && view.type <= ElementType::F8_E5M2_SCALED32;
  return {type.parts, static_cast<std::size_t>(blocks), static_cast<std::size_t>(ratio(blocks, view.planes.blocksPerScale)),
          converts ? traits(view.planes.scaleType).blockBytes : type.parts.scale};
}

std::size_t scaleRows(const TensorView& view) { return static_cast<std::size_t>(ratio(view.shape.rows(), view.planes.rowsPerScale)); }

// Copies a block's scale; scaled FP8 has float32 scales in blocks whatever the type in the plane.
void copyScale(const TensorView& view, const RowParts& parts, std::size_t index, std::byte* out) {
  const std::byte* from = view.planes.scales.data() + index * parts.scaleBytes;
  if (parts.scaleBytes == parts.sizes.scale) {
    std::memcpy(out, from, parts.scaleBytes);
    return;
  }
  const float scale = view.planes.scaleType == ElementType::F16 ? loadHalf(from) : bfloatToFloat(loadU16(from));
  std::memcpy(out, &scale, sizeof scale);
}

void assembleBlocks(const TensorView& view, const RowParts& parts, std::size_t row, std::size_t first, std::size_t count, std::byte* out) {
  const BlockParts& sizes = parts.sizes;
  const std::byte* codes = view.row(row) + first * sizes.codes;
  const std::size_t scaleRow = row / static_cast<std::size_t>(view.planes.rowsPerScale) * parts.scalesPerRow;
  for (std::size_t b = first; b < first + count; ++b, codes += sizes.codes) {
    const std::size_t scale = scaleRow + b / static_cast<std::size_t>(view.planes.blocksPerScale);
    std::memcpy(out, codes, sizes.codes);
    copyScale(view, parts, scale, out + sizes.codes);
    if (sizes.bias != 0) std::memcpy(out + sizes.codes + sizes.scale, view.planes.biases.data() + scale * sizes.bias, sizes.bias);
    out += sizes.codes + sizes.scale + sizes.bias;
  }
}

}  // namespace

std::string toString(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank; ++i) {
    if (i) text += ", ";
    text += std::to_string(shape.dims[static_cast<std::size_t>(i)]);
  }
  return text + "]";
}

std::size_t TensorView::storedRowBytes() const {
  const ElementTypeTraits& t = traits(type);
  return static_cast<std::size_t>(shape.columns()) / t.blockElements * (t.parts.codes != 0 ? t.parts.codes : t.blockBytes);
}

bool wellFormed(const TensorView& view) {
  if (view.arrangement) return wellFormed(*view.arrangement, view);
  if (view.shape.columns() <= 0 || view.shape.columns() % traits(view.type).blockElements != 0) return false;
  if (view.bytes.size() != static_cast<std::size_t>(view.shape.rows()) * view.storedRowBytes()) return false;
  if (!view.apart()) return view.planes.scales.empty() && view.planes.biases.empty();
  if (view.planes.rowsPerScale < 1 || view.planes.blocksPerScale < 1 || traits(view.planes.scaleType).kind != ElementKind::plain)
    return false;
  const RowParts parts = partsOf(view);
  const std::size_t scales = scaleRows(view) * parts.scalesPerRow;
  return view.planes.scales.size() == scales * parts.scaleBytes && view.planes.biases.size() == scales * parts.sizes.bias;
}

std::size_t storedBytes(const TensorView& view) {
  if (view.arrangement) return static_cast<std::size_t>(view.shape.rows()) * view.rowBytes();
  return view.bytes.size() + view.planes.scales.size() + view.planes.biases.size();
}

void assembleRows(const TensorView& view, std::size_t first, std::size_t rows, std::byte* out) {
  if (view.arrangement) {
    std::vector<std::byte> storage;
    return assembleRows(inOrder(view, first, rows, storage), 0, rows, out);
  }
  if (!view.apart()) {
    std::memcpy(out, view.row(first), rows * view.rowBytes());
    return;
  }
  const RowParts parts = partsOf(view);
  for (std::size_t r = first; r < first + rows; ++r, out += view.rowBytes()) assembleBlocks(view, parts, r, 0, parts.blocks, out);
}

void dequantizeRows(const TensorView& view, std::size_t first, std::size_t rows, float* values) {
  if (view.arrangement) {
    std::vector<std::byte> storage;
    return dequantizeRows(inOrder(view, first, rows, storage), 0, rows, values);
  }
  const ElementTypeTraits& type = traits(view.type);
  const auto columns = static_cast<std::size_t>(view.shape.columns());
  if (!view.apart()) {
    type.dequantize(view.row(first), values, rows * columns);
    return;
  }
  const RowParts parts = partsOf(view);
  std::array<std::byte, 4096> piece;
  const std::size_t most = piece.size() / type.blockBytes;
  for (std::size_t r = first; r < first + rows; ++r) {
    for (std::size_t b = 0; b < parts.blocks; b += most) {
      const std::size_t count = std::min(most, parts.blocks - b);
      assembleBlocks(view, parts, r, b, count, piece.data());
      type.dequantize(piece.data(), values, count * type.blockElements);
      values += count * type.blockElements;
    }
  }
}

TensorView sliceRows(const TensorView& view, std::int64_t first, std::int64_t rows) {
  TensorView slice = view;
  slice.shape = {{rows, view.shape.columns(), 1, 1}, 2};
  if (view.arrangement) {
    Arrangement part = *view.arrangement;
    part.first += first;
    slice.arrangement = std::make_shared<const Arrangement>(std::move(part));
    return slice;
  }
  const std::size_t stored = view.storedRowBytes();
  slice.bytes = view.bytes.subspan(static_cast<std::size_t>(first) * stored, static_cast<std::size_t>(rows) * stored);
  if (!view.apart()) return slice;
  const RowParts parts = partsOf(view);
  const auto from = static_cast<std::size_t>(first / view.planes.rowsPerScale) * parts.scalesPerRow;
  const std::size_t count = scaleRows(slice) * parts.scalesPerRow;
  slice.planes.scales = view.planes.scales.subspan(from * parts.scaleBytes, count * parts.scaleBytes);
  if (parts.sizes.bias != 0) slice.planes.biases = view.planes.biases.subspan(from * parts.sizes.bias, count * parts.sizes.bias);
  return slice;
}

RowPlanes planesOfRow(const TensorView& view, std::size_t row) {
  RowPlanes planes{view.bytes.subspan(row * view.storedRowBytes(), view.storedRowBytes()), {}, {}};
  if (!view.apart()) return planes;
  const RowParts parts = partsOf(view);
  const std::size_t scale = row / static_cast<std::size_t>(view.planes.rowsPerScale) * parts.scalesPerRow;
  planes.scales = view.planes.scales.subspan(scale * parts.scaleBytes, parts.scalesPerRow * parts.scaleBytes);
  if (parts.sizes.bias != 0) planes.biases = view.planes.biases.subspan(scale * parts.sizes.bias, parts.scalesPerRow * parts.sizes.bias);
  return planes;
}

}  // namespace minerva
