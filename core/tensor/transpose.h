// Transposition of matrices of words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace minerva {

// to[c][r] = from[r][c], in tiles that stay in the first cache on both sides.
template <class Word>
void transposeWords(const std::byte* from, std::size_t fromBytes, std::size_t rows, std::size_t columns, std::byte* to) {
  constexpr std::size_t tile = 32;
  for (std::size_t c0 = 0; c0 < columns; c0 += tile) {
    const std::size_t lastColumn = std::min(columns, c0 + tile);
    for (std::size_t r0 = 0; r0 < rows; r0 += tile) {
      const std::size_t lastRow = std::min(rows, r0 + tile);
      for (std::size_t c = c0; c < lastColumn; ++c) {
        std::byte* out = to + c * rows * sizeof(Word);
        for (std::size_t r = r0; r < lastRow; ++r) {
          std::memcpy(out + r * sizeof(Word), from + r * fromBytes + c * sizeof(Word), sizeof(Word));
        }
      }
    }
  }
}

}  // namespace minerva
