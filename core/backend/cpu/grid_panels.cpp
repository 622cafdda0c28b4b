#include "core/backend/cpu/grid_panels.h"

#include "core/backend/cpu/panel_words.h"

#include <cstdint>

namespace minerva::cpu {

namespace {

// Signs in the order of the columns, bit 8 j + 4 h + i, in that of the words: i and j change places, first their upper bits.
std::uint32_t orderedSigns(std::uint32_t signs) {
  const auto swap = [&](unsigned distance, std::uint32_t lower) {
    const std::uint32_t moved = (signs ^ signs >> distance) & lower;
    signs ^= moved ^ moved << distance;
  };
  swap(14, 0x0000ccccu);
  swap(7, 0x00aa00aau);
  return signs;
}

std::uint32_t byteAt(const std::byte* from) { return std::to_integer<std::uint32_t>(*from); }
std::uint32_t load16(const std::byte* from) { return byteAt(from) | byteAt(from + 1) << 8; }

// Four times seven signs, and four bits in the places of the parities.
std::uint32_t sevenSigns(std::uint32_t signs, std::uint32_t fourBits) {
  const std::uint32_t columns = (signs & 0x7fu) | (signs << 1 & 0x7f00u) | (signs << 2 & 0x7f0000u) | (signs << 3 & 0x7f000000u);
  return orderedSigns(columns) | fourBits << 28;
}

}  // namespace

void packIq2Xxs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  for (std::size_t sub = 0; sub < 8; ++sub) {
    const std::uint32_t signs = loadWord(block + 6 + 8 * sub);
    storeWord(loadWord(block + 2 + 8 * sub), row, codes + 2 * sub * lineBytes);
    storeWord(sevenSigns(signs, signs >> 28), row, codes + (2 * sub + 1) * lineBytes);
  }
}

void packIq2Xs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  scatterWords(block + 66, 2, row, header + halfFields);
  for (std::size_t sub = 0; sub < 8; ++sub) {
    std::uint32_t numbers = 0, highBits = 0, signs = 0;
    for (unsigned j = 0; j < 4; ++j) {
      const std::uint32_t code = load16(block + 2 + 8 * sub + std::size_t{2} * j);
      numbers |= (code & 0xffu) << (8 * j);
      highBits |= (code >> 8 & 1u) << j;
      signs |= code >> 9 << (7 * j);
    }
    storeWord(numbers, row, codes + 2 * sub * lineBytes);
    storeWord(sevenSigns(signs, highBits), row, codes + (2 * sub + 1) * lineBytes);
  }
}

void packIq2S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  scatterWords(block + 66, 4, row, header + halfFields);
  for (std::size_t sub = 0; sub < 8; ++sub) {
    storeWord(loadWord(block + 2 + 4 * sub), row, codes + 2 * sub * lineBytes);
    storeWord(orderedSigns(loadWord(block + 34 + 4 * sub)), row, codes + (2 * sub + 1) * lineBytes);
  }
}

void packIq3Xxs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  for (std::size_t sub = 0; sub < 8; ++sub) {
    const std::uint32_t signs = loadWord(block + 66 + 4 * sub);
    scatterWords(block + 2 + 8 * sub, 2, row, codes + 3 * sub * lineBytes);
    storeWord(sevenSigns(signs, signs >> 28), row, codes + (3 * sub + 2) * lineBytes);
  }
}

void packIq3S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  scatterWords(block + 66, 2, row, header + halfFields);
  scatterWords(block + 106, 1, row, header + halfFields + 2 * lineBytes);
  for (std::size_t sub = 0; sub < 8; ++sub) {
    scatterWords(block + 2 + 8 * sub, 2, row, codes + 3 * sub * lineBytes);
    storeWord(orderedSigns(loadWord(block + 74 + 4 * sub)), row, codes + (3 * sub + 2) * lineBytes);
  }
}

void packIq1S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  scatterWords(block + 34, 4, row, header + halfFields);
  scatterWords(block + 2, 8, row, codes);
}

void packIq1M(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  scatterWords(block + 32, 6, row, header);
  scatterWords(block, 8, row, codes);
}

}  // namespace minerva::cpu
