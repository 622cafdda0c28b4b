// Blocks of the grid types (IQ1, IQ2, IQ3; core/tensor/types/grids.cpp has their layout in files) as panels: for 16 rows in all the bytes
// of 16 blocks, in the order in which kernels/grids.h reads them. Each function puts one block into its row (panels.h).
//   header: 16 halves d (IQ1_M has d among its scales), then words, each for all 16 rows: IQ2_XS eight upper nibbles of the scales;
//           IQ2_S eight bytes of scales; IQ3_S eight bytes of high bits, four of scales; IQ1_M eight bytes of scales and d
//   codes:  numbers of the grid's entries and signs.
//           XXS and IQ3_S: for each 32 columns a word of four numbers (IQ3: two words), then a word of signs.
//           The others: for each 64 columns [16 rows][eight numbers of 9, 10 or 11 bits, in order], then words: of signs for each 32
//           columns; IQ1_S eight nibbles (scale, direction of the shift), IQ1_M eight nibbles of directions
// Signs: bit j + 4 h of byte i is that of column 8 j + 4 h + i. Where a sign is the parity of seven others, the four bits from 28 on, which
// would be theirs, are of the scale instead.
#pragma once

#include <cstddef>

namespace minerva::cpu {

void packIq2Xxs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);
void packIq2Xs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);
void packIq2S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);
void packIq3Xxs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);
void packIq3S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);
void packIq1S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);
void packIq1M(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);

}  // namespace minerva::cpu
