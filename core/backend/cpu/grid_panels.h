// Blocks of the grid types (IQ1, IQ2, IQ3; core/tensor/types/grids.cpp has their layout in files) as panels: for 16 rows in all the bytes
// of 16 blocks, in the order in which kernels/grids.h reads them. Each function puts one block into its row (panels.h).
//   header: 16 halves d (IQ1_M has d elsewhere), then words of the block's remaining bytes, each word for all 16 rows:
//           IQ2_XS 8 bytes of scales; IQ2_S 8 of high bits, 8 of scales; IQ3_S 8 of high bits, 4 of scales;
//           IQ1_S 16 of high bits and scales; IQ1_M 16 of high bits, 8 of scales and d
//   codes:  for each 32 columns a word of four grid bytes (IQ3: two words), then, but for IQ1, a word of signs: bit j + 4 h of byte i is
//           the sign of column 8 j + 4 h + i. Where a sign is the parity of seven others, its place has a bit of the scale (XXS) or of the
//           number of the grid's entry (IQ2_XS): bit 28 + j.
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
