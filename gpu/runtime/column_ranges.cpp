#include "gpu/runtime/column_ranges.h"

#include "gpu/runtime/weight_layout.h"

#include <algorithm>

namespace minerva::gpu {

namespace {

std::uint32_t roundsOf(std::uint32_t workgroups, std::uint32_t cores) { return (workgroups + cores - 1) / cores; }

}  // namespace

ColumnRanges columnRanges(const RangesChoice& choice, const ResultTiles& tiles, std::uint32_t blocks, std::uint64_t room) {
  if (tiles.count == 0 || tiles.count >= choice.cores || blocks * blockColumns < choice.from) return {};
  const std::uint64_t floats = std::uint64_t{tiles.count} * tiles.rows * tiles.tokens;
  const std::uint32_t wanted = 2 * choice.cores / tiles.count;
  const std::uint32_t longEnough = blocks * blockColumns / std::max(choice.least, blockColumns);
  const std::uint64_t most = std::min({std::uint64_t{wanted}, std::uint64_t{longEnough}, room / floats});
  if (most < 2) return {};
  const auto each = static_cast<std::uint32_t>((blocks + most - 1) / most);
  const std::uint32_t count = (blocks + each - 1) / each;
  // A round of ranges takes a part of the time of the one round of whole columns.
  if (roundsOf(tiles.count * count, choice.cores) >= count) return {};
  return {.count = count, .blocks = each, .floats = count * floats};
}

push::Matvec splitOperands(push::Matvec& product, const ColumnRanges& ranges, std::uint64_t partial) {
  const std::uint32_t stored = product.groups * groupRows;
  push::Matvec sum = product;
  sum.x = partial;
  sum.xStride = stored;
  sum.xPlace = product.n * stored;
  sum.places = ranges.count;
  product.out_ = partial;
  product.rows = product.outStride = stored;
  product.outPlace = product.n * stored;
  product.xPlace = 0;
  product.places = ranges.count;
  product.columns = ranges.blocks * blockColumns;
  product.hasBias = 0;
  product.scale = 1;
  return sum;
}

}  // namespace minerva::gpu
