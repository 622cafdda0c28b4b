#include "core/backend/cpu/grid_panels.h"

#include "core/backend/cpu/panel_words.h"
#include "core/tensor/half.h"

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
std::uint32_t load16(const std::byte* from) { return loadU16(from); }

// Puts number(i) for the 32 vectors of a block into its row of four runs, each [16 rows][Bits bytes].
template <unsigned Bits, class Number>
void packNumbers(std::size_t row, const Number& number, std::byte* codes) {
  for (std::size_t run = 0; run < 4; ++run) {
    std::byte* to = codes + (run * panelRows + row) * Bits;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      bits |= number(8 * run + i) << held;
      for (held += Bits; held >= 8; held -= 8, bits >>= 8) *to++ = static_cast<std::byte>(bits & 0xffu);
    }
  }
}

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
  const auto code = [&](std::size_t i) { return load16(block + 2 + 2 * i); };
  const auto scales = [&](std::size_t sub) { return byteAt(block + 66 + sub); };
  placeField<2>(block, row, header);
  packNumbers<9>(
      row, [&](std::size_t i) { return code(i) & 0x1ffu; }, codes);
  std::uint32_t upper = 0;
  for (std::size_t sub = 0; sub < 8; ++sub) {
    std::uint32_t signs = 0;
    for (std::size_t j = 0; j < 4; ++j) signs |= code(4 * sub + j) >> 9 << (7 * j);
    storeWord(sevenSigns(signs, scales(sub) & 15u), row, codes + (9 + sub) * lineBytes);
    upper |= scales(sub) >> 4 << (4 * sub);
  }
  storeWord(upper, row, header + halfFields);
}

void packIq2S(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  const auto number = [&](std::size_t i) { return byteAt(block + 2 + i) | (byteAt(block + 66 + i / 4) >> (2 * (i % 4)) & 3u) << 8; };
  placeField<2>(block, row, header);
  scatterWords(block + 74, 2, row, header + halfFields);
  packNumbers<10>(row, number, codes);
  for (std::size_t sub = 0; sub < 8; ++sub) storeWord(orderedSigns(loadWord(block + 34 + 4 * sub)), row, codes + (10 + sub) * lineBytes);
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
  const auto rest = [&](std::size_t sub) { return load16(block + 34 + 2 * sub); };
  placeField<2>(block, row, header);
  packNumbers<11>(
      row, [&](std::size_t i) { return byteAt(block + 2 + i) | (rest(i / 4) >> (3 * (i % 4)) & 7u) << 8; }, codes);
  std::uint32_t nibbles = 0;
  for (std::size_t sub = 0; sub < 8; ++sub) nibbles |= rest(sub) >> 12 << (4 * sub);
  storeWord(nibbles, row, codes + 11 * lineBytes);
}

void packIq1M(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  const auto rest = [&](std::size_t i) { return byteAt(block + 32 + i / 2) >> (4 * (i % 2)); };
  scatterWords(block + 48, 2, row, header);
  packNumbers<11>(
      row, [&](std::size_t i) { return byteAt(block + i) | (rest(i) & 7u) << 8; }, codes);
  std::uint32_t down = 0;
  for (std::size_t i = 0; i < 32; ++i) down |= (rest(i) >> 3 & 1u) << i;
  storeWord(down, row, codes + 11 * lineBytes);
}

}  // namespace minerva::cpu
