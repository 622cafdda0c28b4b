// Splits the columns of a product into ranges among workgroups where it has fewer tiles than the device has cores.
#pragma once

#include "gpu/runtime/tuning.h"
#include "gpu/shaders/shared/push.h"

namespace minerva::gpu {

// Tiles of the result are multiplied by each range in a workgroup of their own, and matmul_join.comp adds what they store.
struct ColumnRanges {
  std::uint32_t count = 1;
  std::uint32_t blocks = 0;  // of 32 columns; the last range may have fewer
  std::uint64_t floats = 0;  // that partial sums take at most, the same for all numbers of tokens that have the same tiles
};

// Tiles of a result, of `rows` by `tokens` elements each.
struct ResultTiles {
  std::uint32_t count = 0, rows = 0, tokens = 0;
};

// As many ranges as give each core about two workgroups, if that takes less time than the tiles without them, which leave cores idle.
// blocks: of 32 columns; room: floats that there are for partial sums.
[[nodiscard]] ColumnRanges columnRanges(const RangesChoice& choice, const ResultTiles& tiles, std::uint32_t blocks, std::uint64_t room);

// Makes a product's operands those of its partial sums at this address, and returns those of their sum, which has the product's epilogue.
[[nodiscard]] push::Matvec splitOperands(push::Matvec& product, const ColumnRanges& ranges, std::uint64_t partial);

// Floats that partial sums may take: those of two tiles of 64 x 32 for each of 256 cores.
inline constexpr std::uint32_t partialSums = 1 << 20;

}  // namespace minerva::gpu
