#include "core/backend/cpu/panels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace minerva::cpu {

namespace {

constexpr std::size_t wordBytes = 4;
constexpr std::size_t lineBytes = panelRows * wordBytes;  // a word of 16 rows

std::size_t alignLine(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// `words` 32-bit words of one row into the row's lane.
void scatterWords(const std::byte* from, std::size_t words, std::size_t row, std::byte* lines) {
  std::byte* to = lines + row * wordBytes;
  for (std::size_t w = 0; w < words; ++w) std::memcpy(to + w * lineBytes, from + w * wordBytes, wordBytes);
}

// A header field of Bytes bytes into the row's place among 16.
template <std::size_t Bytes>
void placeField(const std::byte* from, std::size_t row, std::byte* field) {
  std::memcpy(field + row * Bytes, from, Bytes);
}

// Fifth bits of 32 codes, bit e for element e, to the order of the words: byte i, bit g for element 4g + i.
std::uint32_t groupHighBits(std::uint32_t bits) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    std::uint32_t x = bits >> i & 0x11111111u;
    x = (x | x >> 3) & 0x03030303u;
    x = (x | x >> 6) & 0x000f000fu;
    x = (x | x >> 12) & 0xffu;
    word |= x << (8 * i);
  }
  return word;
}

using PackBlock = void (*)(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes);

void packQ8(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  std::array<std::byte, 32> unsignedCodes;  // the kernels want codes from 0 up: 128 is added by turning the top bit
  for (std::size_t i = 0; i < 32; ++i) unsignedCodes[i] = block[2 + i] ^ std::byte{0x80};
  scatterWords(unsignedCodes.data(), 8, row, codes);
}

template <bool HasMinimum, bool HasHighBits>
void packNibbles(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  if constexpr (HasMinimum) placeField<2>(block + 2, row, header + 32);
  const std::byte* rest = block + (HasMinimum ? 4 : 2);
  if constexpr (HasHighBits) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, rest, sizeof bits);
    bits = groupHighBits(bits);
    std::memcpy(codes + 4 * lineBytes + row * wordBytes, &bits, sizeof bits);
    rest += sizeof bits;
  }
  scatterWords(rest, 4, row, codes);
}

std::uint32_t loadWord(const std::byte* from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}
void storeWord(std::uint32_t word, std::size_t row, std::byte* line) {
  std::memcpy(line + row * wordBytes, &word, sizeof word);
}

// The nibbles of a block whose word g is the low (shift 0) or high (4) half of from[g], paired as formats.h wants them.
void placeNibbles(const std::byte* from, unsigned shift, std::size_t row, std::byte* lines) {
  constexpr std::uint32_t mask = 0x0f0f0f0fu;
  for (std::size_t g = 0; g < 4; ++g) {
    const std::uint32_t low = loadWord(from + g * wordBytes) >> shift & mask;
    const std::uint32_t high = loadWord(from + (g + 4) * wordBytes) >> shift & mask;
    storeWord(low | high << 4, row, lines + g * lineBytes);
  }
}

// Q4_K and Q5_K: half d, half dmin, 12 bytes of 6-bit scales and minima, (Q5_K: 32 bytes of fifth bits,) 128 of nibbles.
template <int Bits>
void packGrouped(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  placeField<2>(block + 2, row, header + 32);
  scatterWords(block + 4, 3, row, header + 64);
  const std::byte* nibbles = block + (Bits == 5 ? 48 : 16);
  for (unsigned sub = 0; sub < 8; ++sub) {
    std::byte* lines = codes + sub * Bits * lineBytes;
    placeNibbles(nibbles + sub / 2 * 32, 4 * (sub % 2), row, lines);
    if constexpr (Bits != 5) continue;
    std::uint32_t fifth = 0;
    for (unsigned g = 0; g < 8; ++g) fifth |= (loadWord(block + 16 + g * wordBytes) >> sub & 0x01010101u) << g;
    storeWord(fifth, row, lines + 4 * lineBytes);
  }
}

// Q6_K: 128 bytes of low nibbles, 64 of high bit pairs, 16 signed scales, half d; in two parts of four blocks each.
void packQ6(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block + 208, row, header);
  for (std::size_t s = 0; s < 16; ++s) placeField<1>(block + 192 + s, row, header + 32 + 16 * s);
  for (unsigned sub = 0; sub < 8; ++sub) {
    const unsigned part = sub / 4, quarter = sub % 4;
    std::byte* lines = codes + sub * 6 * lineBytes;
    placeNibbles(block + part * 64 + quarter % 2 * 32, quarter / 2 * 4, row, lines);
    const std::byte* pairs = block + 128 + part * 32;
    for (unsigned half = 0; half < 2; ++half) {
      std::uint32_t word = 0;
      for (unsigned f = 0; f < 4; ++f) word |= (loadWord(pairs + (half * 4 + f) * wordBytes) >> (2 * quarter) & 0x03030303u) << (2 * f);
      storeWord(word, row, lines + (4 + half) * lineBytes);
    }
  }
}

struct Recipe {
  PanelLayout layout;
  PackBlock pack;  // null: floats
};

constexpr std::size_t halves = 2 * panelRows;

Recipe recipe(ElementType type) {
  switch (type) {
    case ElementType::F32: return {{32, 0, 32 * lineBytes}, nullptr};
    case ElementType::F16: return {{32, 0, 16 * lineBytes}, nullptr};
    case ElementType::BF16: return {{32, 0, 16 * lineBytes}, nullptr};
    case ElementType::Q8_0: return {{32, halves, 8 * lineBytes}, packQ8};
    case ElementType::Q4_0: return {{32, halves, 4 * lineBytes}, packNibbles<false, false>};
    case ElementType::Q4_1: return {{32, 2 * halves, 4 * lineBytes}, packNibbles<true, false>};
    case ElementType::Q5_0: return {{32, halves, 5 * lineBytes}, packNibbles<false, true>};
    case ElementType::Q5_1: return {{32, 2 * halves, 5 * lineBytes}, packNibbles<true, true>};
    case ElementType::Q4_K: return {{256, 2 * halves + 3 * lineBytes, 32 * lineBytes}, packGrouped<4>};
    case ElementType::Q5_K: return {{256, 2 * halves + 3 * lineBytes, 40 * lineBytes}, packGrouped<5>};
    case ElementType::Q6_K: return {{256, halves + 16 * panelRows, 48 * lineBytes}, packQ6};
    default: return {{0, 0, 0}, nullptr};
  }
}

void packFloats(const TensorView& matrix, std::size_t first, std::size_t rows, std::byte* panel) {
  const std::size_t rowBytes = matrix.rowBytes();
  const std::size_t words = rowBytes / wordBytes;
  // Sixteen words at a time: one line of every row, so that neither side of the transposition leaves the first cache.
  constexpr std::size_t tile = 16;
  for (std::size_t w = 0; w < words; w += tile) {
    const std::size_t count = std::min(tile, words - w);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::byte* row = matrix.bytes.data() + (first + r) * rowBytes;
      if (count == tile) {
        scatterWords(row + w * wordBytes, tile, r, panel + w * lineBytes);
      } else {
        scatterWords(row + w * wordBytes, count, r, panel + w * lineBytes);
      }
    }
  }
  const std::size_t tail = rowBytes % wordBytes;  // an odd number of 16-bit columns
  for (std::size_t r = 0; tail != 0 && r < rows; ++r) {
    const std::byte* last = matrix.bytes.data() + (first + r) * rowBytes + words * wordBytes;
    std::memcpy(panel + words * lineBytes + r * wordBytes, last, tail);
  }
}

}  // namespace

bool hasPanels(ElementType type) { return recipe(type).layout.groupColumns != 0; }

PanelLayout panelLayout(ElementType type) { return recipe(type).layout; }

std::size_t panelBytes(ElementType type, std::size_t columns) {
  const PanelLayout layout = panelLayout(type);
  const std::size_t groups = (columns + layout.groupColumns - 1) / layout.groupColumns;
  return alignLine(groups * layout.headerBytes) + alignLine(groups * layout.codeBytes);
}

void packPanel(const TensorView& matrix, std::size_t index, std::byte* panel) {
  const Recipe how = recipe(matrix.type);
  const auto columns = static_cast<std::size_t>(matrix.shape.columns());
  const std::size_t first = index * panelRows;
  const std::size_t rows = std::min<std::size_t>(panelRows, static_cast<std::size_t>(matrix.shape.rows()) - first);
  const std::size_t groups = (columns + how.layout.groupColumns - 1) / how.layout.groupColumns;
  const bool whole = rows == panelRows && columns % how.layout.groupColumns == 0;
  if (!whole) std::memset(panel, 0, panelBytes(matrix.type, columns));
  if (how.pack == nullptr) {
    packFloats(matrix, first, rows, panel);
    return;
  }
  const std::size_t blockBytes = traits(matrix.type).blockBytes;
  std::byte* codes = panel + alignLine(groups * how.layout.headerBytes);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t r = 0; r < rows; ++r) {
      how.pack(matrix.row(first + r) + g * blockBytes, r, panel + g * how.layout.headerBytes,
               codes + g * how.layout.codeBytes);
    }
  }
}

}  // namespace minerva::cpu
