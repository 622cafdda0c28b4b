// What packing a block into its row of a panel (panels.h) is made of.
#pragma once

#include "core/backend/cpu/panels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace minerva::cpu {

inline constexpr std::size_t wordBytes = 4;
inline constexpr std::size_t lineBytes = panelRows * wordBytes;  // one word for each of 16 rows
inline constexpr std::size_t halfFields = 2 * panelRows;         // a half for each

inline std::uint32_t loadWord(const std::byte* from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}
inline void storeWord(std::uint32_t word, std::size_t row, std::byte* line) { std::memcpy(line + row * wordBytes, &word, sizeof word); }

// Copies `words` 32-bit words of one row into the row's lane.
inline void scatterWords(const std::byte* from, std::size_t words, std::size_t row, std::byte* lines) {
  std::byte* to = lines + row * wordBytes;
  for (std::size_t w = 0; w < words; ++w) std::memcpy(to + w * lineBytes, from + w * wordBytes, wordBytes);
}

// Copies a header field of Bytes bytes to the row's position among the 16 rows.
template <std::size_t Bytes>
void placeField(const std::byte* from, std::size_t row, std::byte* field) {
  std::memcpy(field + row * Bytes, from, Bytes);
}

}  // namespace minerva::cpu
