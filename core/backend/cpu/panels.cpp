#include "core/backend/cpu/panels.h"

#include "core/backend/cpu/grid_panels.h"
#include "core/backend/cpu/kernels.h"
#include "core/backend/cpu/panel_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minerva::cpu {

namespace {

std::size_t alignLine(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// Reorders the fifth bits of 32 codes from bit e for element e to the order of the words: byte i, bit g for element 4g + i.
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

// A scale of ScaleBytes bytes, and Columns signed bytes from From on. Kernels need unsigned codes: flipping the top bit adds 128.
template <std::size_t ScaleBytes, std::size_t From, std::size_t Columns>
void packBytes(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<ScaleBytes>(block, row, header);
  for (std::size_t g = 0; g < Columns / 4; ++g) storeWord(loadWord(block + From + g * wordBytes) ^ 0x80808080u, row, codes + g * lineBytes);
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

// Pairs the nibbles of a block as kernels/formats.h requires; word g is the low (shift 0) or high (shift 4) half of from[g].
void placeNibbles(const std::byte* from, unsigned shift, std::size_t row, std::byte* lines) {
  constexpr std::uint32_t mask = 0x0f0f0f0fu;
  for (std::size_t g = 0; g < 4; ++g) {
    const std::uint32_t low = loadWord(from + g * wordBytes) >> shift & mask;
    const std::uint32_t high = loadWord(from + (g + 4) * wordBytes) >> shift & mask;
    storeWord(low | high << 4, row, lines + g * lineBytes);
  }
}

// Q4_K and Q5_K: half d, half dmin, 12 bytes of 6-bit scales and minima, (Q5_K: 32 bytes of fifth bits,) 128 bytes of
// nibbles.
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

// Q6_K: 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 signed scales, half d; in two parts of four blocks each.
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

// The codes of a block of 32 columns, one byte each in eight words; packWords stores them in Bits lines (kernels/formats.h).
using Words = std::array<std::uint32_t, 8>;

template <unsigned Bits>
void packWords(const Words& words, std::size_t row, std::byte* lines) {
  const auto gather = [&](std::size_t line, std::size_t from, std::size_t count, unsigned shift, std::uint32_t mask, unsigned step) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < count; ++i) word |= (words[from + i] >> shift & mask) << (step * i);
    storeWord(word, row, lines + line * lineBytes);
  };
  constexpr std::uint32_t one = 0x01010101u, pair = 0x03030303u, nibble = 0x0f0f0f0fu;
  if constexpr (Bits == 8) {
    for (std::size_t g = 0; g < 8; ++g) storeWord(words[g], row, lines + g * lineBytes);
  } else if constexpr (Bits < 4) {
    gather(0, 0, 4, 0, pair, 2);
    gather(1, 4, 4, 0, pair, 2);
    if constexpr (Bits == 3) gather(2, 0, 8, 2, one, 1);
  } else {
    for (std::size_t g = 0; g < 4; ++g) storeWord((words[g] & nibble) | (words[g + 4] & nibble) << 4, row, lines + g * lineBytes);
    if constexpr (Bits == 5) gather(4, 0, 8, 4, one, 1);
    if constexpr (Bits == 6) {
      gather(4, 0, 4, 4, pair, 2);
      gather(5, 4, 4, 4, pair, 2);
    }
  }
}

// Q2_K and Q3_K: two-bit codes, in two halfFields of four blocks of 32 that share 32 bytes; third bits: one byte for eight
// blocks.
template <unsigned Bits>
void packPairs(const std::byte* pairs, const std::byte* thirds, std::size_t row, std::byte* codes) {
  for (unsigned sub = 0; sub < 8; ++sub) {
    Words words;
    for (std::size_t g = 0; g < 8; ++g) {
      words[g] = loadWord(pairs + sub / 4 * 32 + g * wordBytes) >> (2 * (sub % 4)) & 0x03030303u;
      if constexpr (Bits == 3) words[g] |= (loadWord(thirds + g * wordBytes) >> sub & 0x01010101u) << 2;
    }
    packWords<Bits>(words, row, codes + sub * Bits * lineBytes);
  }
}

void packQ2(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block + 80, row, header);
  placeField<2>(block + 82, row, header + 32);
  scatterWords(block, 4, row, header + 64);
  packPairs<2>(block + 16, nullptr, row, codes);
}

void packQ3(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block + 108, row, header);
  scatterWords(block + 96, 3, row, header + 32);
  packPairs<3>(block + 32, block, row, codes);
}

// IQ4_NL, MXFP4: a scale of Bytes bytes, then 16 bytes of nibbles.
template <std::size_t Bytes>
void packTable(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<Bytes>(block, row, header);
  scatterWords(block + Bytes, 4, row, codes);
}

void packIq4Xs(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  placeField<2>(block + 2, row, header + 32);
  scatterWords(block + 4, 1, row, header + 64);
  for (std::size_t sub = 0; sub < 8; ++sub) scatterWords(block + 8 + sub * 16, 4, row, codes + sub * 4 * lineBytes);
}

// Expands four nibbles, in order, to four bytes.
std::uint32_t spreadNibbles(std::uint32_t codes) {
  return (codes & 0xfu) | (codes & 0xf0u) << 4 | (codes & 0xf00u) << 8 | (codes & 0xf000u) << 12;
}
Words wordsInOrder(const std::byte* nibbles) {
  Words words;
  for (std::size_t g = 0; g < 4; ++g) {
    const std::uint32_t codes = loadWord(nibbles + g * wordBytes);
    words[2 * g] = spreadNibbles(codes & 0xffffu);
    words[2 * g + 1] = spreadNibbles(codes >> 16);
  }
  return words;
}

void packPlanesMxfp4(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<1>(block + 16, row, header);
  packWords<4>(wordsInOrder(block), row, codes);
}

// Two blocks of 8 bytes of nibbles and a scale each.
void packPlanesNvfp4(const std::byte* blocks, std::size_t row, std::byte* header, std::byte* codes) {
  std::array<std::byte, 16> nibbles;
  std::memcpy(nibbles.data(), blocks, 8);
  std::memcpy(nibbles.data() + 8, blocks + 9, 8);
  placeField<1>(blocks + 8, row, header);
  placeField<1>(blocks + 17, row, header + 16);
  packWords<4>(wordsInOrder(nibbles.data()), row, codes);
}

// ggml's block of 64 elements forms two groups; in each of its four runs of 16, the low nibbles have the first eight
// elements.
void packNvfp4(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  for (std::size_t group = 0; group < 2; ++group) {
    Words words;
    for (std::size_t run = 0; run < 2; ++run) {
      placeField<1>(block + group * 2 + run, row, header + group * 32 + run * 16);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::uint32_t word = loadWord(block + 4 + (group * 2 + run) * 8 + i * wordBytes);
        words[run * 4 + i] = word & 0x0f0f0f0fu;
        words[run * 4 + 2 + i] = word >> 4 & 0x0f0f0f0fu;
      }
    }
    packWords<4>(words, row, codes + group * 4 * lineBytes);
  }
}

void packTq1(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block + 52, row, header);
  scatterWords(block, 13, row, codes);
}

void packTq2(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block + 64, row, header);
  packPairs<2>(block, nullptr, row, codes);
}

// Expands four two-bit codes, in order, to the bytes of one word.
std::uint32_t spreadPairs(std::uint32_t byte) { return (byte & 3u) | (byte & 12u) << 6 | (byte & 48u) << 12 | (byte & 192u) << 18; }
void packQ2InOrder(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  for (std::size_t sub = 0; sub < 2; ++sub) {
    Words words;
    for (std::size_t g = 0; g < 8; ++g) words[g] = spreadPairs(std::to_integer<std::uint32_t>(block[2 + sub * 8 + g]));
    packWords<2>(words, row, codes + sub * 2 * lineBytes);
  }
}

void packQ1(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  placeField<2>(block, row, header);
  for (std::size_t sub = 0; sub < 4; ++sub) storeWord(groupHighBits(loadWord(block + 2 + sub * wordBytes)), row, codes + sub * lineBytes);
}

// 8-bit floats: Columns codes, then a scale of Bytes bytes.
template <std::size_t Columns, std::size_t Bytes>
void packSmallFloats(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  if constexpr (Bytes != 0) placeField<Bytes>(block + Columns, row, header);
  for (std::size_t g = 0; g < Columns / wordBytes; ++g) {
    const std::uint32_t word = loadWord(block + g * wordBytes);
    storeWord((word & 0xff0000ffu) | (word >> 8 & 0xff00u) | (word & 0xff00u) << 8, row, codes + g * lineBytes);
  }
}

// Unpacks 32 consecutive codes of Bits bits.
template <unsigned Bits>
Words wordsOfStream(const std::byte* from) {
  Words words;
  if constexpr (Bits == 8) {
    for (std::size_t g = 0; g < 8; ++g) words[g] = loadWord(from + g * wordBytes);
  } else if constexpr (Bits == 4) {
    words = wordsInOrder(from);
  } else {
    constexpr std::uint64_t mask = (1u << Bits) - 1;
    for (std::size_t eight = 0; eight < 4; ++eight) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from + eight * Bits, Bits);
      const auto four = [&](std::uint64_t x) {
        return static_cast<std::uint32_t>((x & mask) | (x >> Bits & mask) << 8 | (x >> (2 * Bits) & mask) << 16 |
                                          (x >> (3 * Bits) & mask) << 24);
      };
      words[2 * eight] = four(bits);
      words[2 * eight + 1] = four(bits >> (4 * Bits));
    }
  }
  return words;
}

// MLX: a group of consecutive codes, then scale and bias of ScaleBytes bytes each.
template <unsigned Bits, std::size_t Columns, std::size_t ScaleBytes>
void packAffine(const std::byte* block, std::size_t row, std::byte* header, std::byte* codes) {
  constexpr std::size_t codeBytes = Columns * Bits / 8;
  placeField<ScaleBytes>(block + codeBytes, row, header);
  placeField<ScaleBytes>(block + codeBytes + ScaleBytes, row, header + panelRows * ScaleBytes);
  for (std::size_t sub = 0; sub < Columns / 32; ++sub) {
    packWords<Bits>(wordsOfStream<Bits>(block + sub * 4 * Bits), row, codes + sub * Bits * lineBytes);
  }
}

// Whether one of these 8-bit floats is not: those whose magnitude is from Least on.
template <std::size_t Count, std::uint32_t Least>
bool hasNotFinite(const std::byte* codes) {
  std::uint32_t carries = 0;
  for (std::size_t w = 0; w < Count / wordBytes; ++w)
    carries |= (loadWord(codes + w * wordBytes) & 0x7f7f7f7fu) + (0x80 - Least) * 0x01010101u;
  return (carries & 0x80808080u) != 0;
}
bool hasScaleNotFinite(const std::byte* nvfp4Blocks) {  // as packPlanesNvfp4 takes them
  return (std::to_integer<int>(nvfp4Blocks[8]) & 0x7f) == 0x7f || (std::to_integer<int>(nvfp4Blocks[17]) & 0x7f) == 0x7f;
}

struct Recipe {
  PanelLayout layout{0, 0, 0};
  PackBlock pack = nullptr;     // null: floats
  std::size_t unitColumns = 0;  // columns per call of pack(), if more than one group
  AffinePrefix prefix{};
  bool (*notFinite)(const std::byte* block) = nullptr;  // null: its codes and scales always are, or kernels notice
};

// 8-bit floats: so many codes for one scale.
template <std::size_t Columns, std::size_t ScaleBytes, std::uint32_t LeastNotFinite>
constexpr Recipe smallFloats{{Columns, panelRows* ScaleBytes, Columns / wordBytes* lineBytes, lineBytes},
                             packSmallFloats<Columns, ScaleBytes>,
                             0,
                             {},
                             hasNotFinite<Columns, LeastNotFinite>};
constexpr std::uint32_t e4m3Nan = 0x7f, e5m2Infinity = 0x7c;

template <unsigned Bits, std::size_t Columns, std::size_t ScaleBytes>
constexpr Recipe affine(AffineScales scales) {
  constexpr std::uint32_t shift = Columns == 32 ? 0 : Columns == 64 ? 1 : 2;
  return {{Columns, 2 * panelRows * ScaleBytes, Columns / 32 * Bits * lineBytes, lineBytes},
          packAffine<Bits, Columns, ScaleBytes>,
          0,
          {shift, scales}};
}

// Indexed by scale type, in the order of the enumerators of AffineScales.
template <unsigned Bits, std::size_t Columns>
constexpr std::array<Recipe, 3> affineGroup{affine<Bits, Columns, 2>(AffineScales::half), affine<Bits, Columns, 2>(AffineScales::brain),
                                            affine<Bits, Columns, 4>(AffineScales::single)};
template <unsigned Bits>
Recipe affineOf(std::size_t index) {
  return index < 3 ? affineGroup<Bits, 32>[index] : index < 6 ? affineGroup<Bits, 64>[index - 3] : affineGroup<Bits, 128>[index - 6];
}

Recipe affineRecipe(ElementType type) {
  const std::size_t index = static_cast<std::size_t>(type) - static_cast<std::size_t>(ElementType::MLX2_G32_F16);
  switch (index / 9) {
    case 0: return affineOf<2>(index % 9);
    case 1: return affineOf<3>(index % 9);
    case 2: return affineOf<4>(index % 9);
    case 3: return affineOf<5>(index % 9);
    case 4: return affineOf<6>(index % 9);
    default: return affineOf<8>(index % 9);
  }
}

Recipe recipe(ElementType type) {
  if (type >= ElementType::MLX2_G32_F16) return affineRecipe(type);
  switch (type) {
    case ElementType::F32: return {{32, 0, 32 * lineBytes}, nullptr};
    case ElementType::F16: return {{32, 0, 16 * lineBytes}, nullptr};
    case ElementType::BF16: return {{32, 0, 16 * lineBytes}, nullptr};
    case ElementType::Q8_0: return {{32, halfFields, 8 * lineBytes}, packBytes<2, 2, 32>};
    case ElementType::Q8_1: return {{32, halfFields, 8 * lineBytes}, packBytes<2, 4, 32>};
    case ElementType::Q8_K: return {{256, 4 * panelRows, 64 * lineBytes}, packBytes<4, 4, 256>};
    case ElementType::Q4_0: return {{32, halfFields, 4 * lineBytes}, packNibbles<false, false>};
    case ElementType::Q4_1: return {{32, 2 * halfFields, 4 * lineBytes}, packNibbles<true, false>};
    case ElementType::Q5_0: return {{32, halfFields, 5 * lineBytes}, packNibbles<false, true>};
    case ElementType::Q5_1: return {{32, 2 * halfFields, 5 * lineBytes}, packNibbles<true, true>};
    case ElementType::Q2_K: return {{256, 2 * halfFields + 4 * lineBytes, 16 * lineBytes}, packQ2};
    case ElementType::Q3_K: return {{256, halfFields + 3 * lineBytes, 24 * lineBytes}, packQ3};
    case ElementType::TQ1_0: return {{256, halfFields, 13 * lineBytes}, packTq1};
    case ElementType::TQ2_0: return {{256, halfFields, 16 * lineBytes}, packTq2};
    case ElementType::Q2_0: return {{64, halfFields, 4 * lineBytes}, packQ2InOrder};
    case ElementType::Q1_0: return {{128, halfFields, 4 * lineBytes}, packQ1};
    case ElementType::Q4_K: return {{256, 2 * halfFields + 3 * lineBytes, 32 * lineBytes}, packGrouped<4>};
    case ElementType::Q5_K: return {{256, 2 * halfFields + 3 * lineBytes, 40 * lineBytes}, packGrouped<5>};
    case ElementType::Q6_K: return {{256, halfFields + 16 * panelRows, 48 * lineBytes}, packQ6};
    case ElementType::IQ4_NL: return {{32, halfFields, 4 * lineBytes}, packTable<2>};
    case ElementType::IQ4_XS: return {{256, 2 * halfFields + lineBytes, 32 * lineBytes}, packIq4Xs};
    case ElementType::IQ2_XXS: return {{256, halfFields, 16 * lineBytes}, packIq2Xxs};
    case ElementType::IQ2_XS: return {{256, halfFields + lineBytes, 17 * lineBytes}, packIq2Xs};
    case ElementType::IQ2_S: return {{256, halfFields + 2 * lineBytes, 18 * lineBytes}, packIq2S};
    case ElementType::IQ3_XXS: return {{256, halfFields, 24 * lineBytes}, packIq3Xxs};
    case ElementType::IQ3_S: return {{256, halfFields + 3 * lineBytes, 24 * lineBytes}, packIq3S};
    case ElementType::IQ1_S: return {{256, halfFields, 12 * lineBytes}, packIq1S};
    case ElementType::IQ1_M: return {{256, 2 * lineBytes, 12 * lineBytes}, packIq1M};
    case ElementType::MXFP4: return {{32, panelRows, 4 * lineBytes}, packTable<1>};
    case ElementType::NVFP4: return {{32, 2 * panelRows, 4 * lineBytes}, packNvfp4, 64};
    case ElementType::MXFP4_PLANES: return {{32, panelRows, 4 * lineBytes}, packPlanesMxfp4};
    case ElementType::NVFP4_PLANES: return {{32, 2 * panelRows, 4 * lineBytes, lineBytes}, packPlanesNvfp4, 0, {}, hasScaleNotFinite};
    case ElementType::MXFP8_PLANES: return smallFloats<32, 1, e4m3Nan>;
    case ElementType::F8_E4M3: return smallFloats<32, 0, e4m3Nan>;
    case ElementType::F8_E5M2: return smallFloats<32, 0, e5m2Infinity>;
    case ElementType::F8_E4M3_SCALED: return smallFloats<128, 4, e4m3Nan>;
    case ElementType::F8_E5M2_SCALED: return smallFloats<128, 4, e5m2Infinity>;
    case ElementType::F8_E4M3_SCALED32: return smallFloats<32, 4, e4m3Nan>;
    case ElementType::F8_E5M2_SCALED32: return smallFloats<32, 4, e5m2Infinity>;
    default: return {};
  }
}

void packFloats(const TensorView& matrix, std::size_t first, std::size_t rows, std::byte* panel) {
  const std::size_t rowBytes = matrix.rowBytes();
  const std::size_t words = rowBytes / wordBytes;
  // Sixteen words at a time, one line of every row, so that source and target of the transposition stay in the L1 cache.
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
  return layout.prefixBytes + alignLine(groups * layout.headerBytes) + alignLine(groups * layout.codeBytes);
}

namespace {

// The rows of a panel as contiguous blocks, each padded with zeros to whole units.
class RowBlocks {
 public:
  RowBlocks(const TensorView& matrix, std::size_t first, std::size_t rows, std::size_t bytes) {
    const bool asStored = !matrix.apart() && bytes == matrix.rowBytes();
    if (!asStored) m_copy.resize(rows * bytes);
    for (std::size_t r = 0; r < rows; ++r) {
      m_rows[r] = asStored ? matrix.row(first + r) : m_copy.data() + r * bytes;
      if (!asStored) assembleRows(matrix, first + r, 1, m_copy.data() + r * bytes);
    }
  }
  [[nodiscard]] const std::byte* row(std::size_t i) const { return m_rows[i]; }

 private:
  std::array<const std::byte*, panelRows> m_rows{};
  std::vector<std::byte> m_copy;
};

}  // namespace

void packPanel(const TensorView& matrix, std::size_t index, std::byte* panel) {
  const Recipe how = recipe(matrix.type);
  const PanelLayout& layout = how.layout;
  const ElementTypeTraits& type = traits(matrix.type);
  const auto columns = static_cast<std::size_t>(matrix.shape.columns());
  const std::size_t first = index * panelRows;
  const std::size_t rows = std::min<std::size_t>(panelRows, static_cast<std::size_t>(matrix.shape.rows()) - first);
  const std::size_t groups = (columns + layout.groupColumns - 1) / layout.groupColumns;
  const bool whole = rows == panelRows && columns % layout.groupColumns == 0;
  if (!whole) std::memset(panel, 0, panelBytes(matrix.type, columns));
  if (type.kind == ElementKind::plain) {
    packFloats(matrix, first, rows, panel);
    return;
  }
  if (layout.prefixBytes != 0) {
    std::memset(panel, 0, layout.prefixBytes);
    std::memcpy(panel, &how.prefix, sizeof how.prefix);
  }
  const std::size_t unitColumns = std::max(how.unitColumns, layout.groupColumns);
  const std::size_t units = (columns + unitColumns - 1) / unitColumns;
  const std::size_t unitBytes = unitColumns / type.blockElements * type.blockBytes;
  std::byte* headers = panel + layout.prefixBytes;
  std::byte* codes = headers + alignLine(groups * layout.headerBytes);
  const std::size_t perUnit = unitColumns / layout.groupColumns;  // groups per unit
  constexpr std::uint32_t notANumber = 0x7fc00000;
  const RowBlocks source(matrix, first, rows, units * unitBytes);
  for (std::size_t u = 0; u < units; ++u) {
    std::byte* header = headers + u * perUnit * layout.headerBytes;
    std::byte* code = codes + u * perUnit * layout.codeBytes;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::byte* block = source.row(r) + u * unitBytes;
      how.pack(block, r, header, code);
      if (how.notFinite != nullptr && how.notFinite(block)) storeWord(notANumber, r, panel);
    }
  }
}

}  // namespace minerva::cpu
