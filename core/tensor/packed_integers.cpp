#include "core/tensor/packed_integers.h"

#include "core/tensor/arrangement.h"
#include "core/tensor/transpose.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace minerva {

namespace {

constexpr std::size_t wordBytes = sizeof(std::uint32_t), wordBits = 32;
constexpr std::size_t rowsInWord = 8;                                              // AWQ
constexpr std::array<std::size_t, rowsInWord> placeOfRow{0, 4, 1, 5, 2, 6, 3, 7};  // AWQ: which digit of a word has a row's code

std::uint32_t wordAt(std::span<const std::byte> words, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, words.data() + index * wordBytes, wordBytes);
  return word;
}

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Zeros of a group.
class Zeros {
 public:
  Zeros(const PackedIntegers& packed, std::size_t group)
      : m_packed(packed), m_group(group), m_bits(index(packed.bits)), m_first(group * index(packed.rows) * m_bits / wordBits) {
    for (std::size_t bit = 0; packed.zerosAreLess && bit < wordBits * m_ones.size(); bit += m_bits)
      m_ones[bit / wordBits] |= std::uint32_t{1} << (bit % wordBits);
  }
  [[nodiscard]] float of(std::size_t row) const {
    const std::uint32_t mask = (1U << m_bits) - 1;
    if (m_packed.zeros.empty()) return static_cast<float>(1U << (m_bits - 1));
    if (m_packed.along == PackedWords::acrossRows)
      return static_cast<float>(wordAt(m_packed.zeros, m_first + row / rowsInWord) >> (m_bits * placeOfRow[row % rowsInWord]) & mask);
    if (m_packed.along == PackedWords::alongRows) {
      const std::size_t inWord = wordBits / m_bits;
      return static_cast<float>(wordAt(m_packed.zeros, row / inWord * index(m_packed.groups) + m_group) >> (row % inWord * m_bits) & mask);
    }
    const std::size_t bit = row * m_bits, word = bit / wordBits, shift = bit % wordBits;
    std::uint64_t digits = stored(word);
    if (shift + m_bits > wordBits) digits |= std::uint64_t{stored(word + 1)} << wordBits;
    return static_cast<float>(digits >> shift & mask);
  }

 private:
  // One is added to all zeros of a word at once, or of three words that numbers of 3 bits share, so that what it carries is what writing
  // the first format borrowed where a zero was 0.
  [[nodiscard]] std::uint32_t stored(std::size_t word) const {
    const std::size_t together = m_bits == 3 ? m_ones.size() : 1;
    std::uint64_t sum = 0;
    for (std::size_t at = word - word % together; at <= word; ++at)
      sum = (sum >> wordBits) + wordAt(m_packed.zeros, m_first + at) + m_ones[at % m_ones.size()];
    return static_cast<std::uint32_t>(sum);
  }
  const PackedIntegers& m_packed;
  std::size_t m_group, m_bits, m_first;   // m_first: its first word, if groups follow each other
  std::array<std::uint32_t, 3> m_ones{};  // in the place of each number of three words
};

// to[j] = digit j of each word, those of word i in digit i.
void transposeDigits(std::array<std::uint32_t, rowsInWord>& words) {
  constexpr std::array<std::uint32_t, 3> masks{0x0f0f0f0fU, 0x00ff00ffU, 0x0000ffffU};
  for (std::size_t step = 0; step < masks.size(); ++step) {
    const std::size_t apart = std::size_t{1} << step, shift = 4 * apart;
    for (std::size_t i = 0; i < rowsInWord; ++i) {
      if ((i & apart) != 0) continue;
      const std::uint32_t change = (words[i] >> shift ^ words[i + apart]) & masks[step];
      words[i] ^= change << shift;
      words[i + apart] ^= change;
    }
  }
}

// AWQ's codes of rows [first, first + rows), in tiles that stay in the first cache on both sides.
void transposeAcrossRows(const PackedIntegers& packed, std::size_t first, std::size_t rows, std::byte* out) {
  constexpr std::size_t tileColumns = 64, tileWords = 16;
  const std::size_t columns = index(packed.columns), perColumn = index(packed.rows) / rowsInWord, rowBytes = columns / 2;
  const std::size_t firstWord = first / rowsInWord, lastWord = (first + rows - 1) / rowsInWord + 1;
  const auto turn = [&](std::size_t column, std::size_t word) {
    std::array<std::uint32_t, rowsInWord> words;
    for (std::size_t i = 0; i < rowsInWord; ++i) words[i] = wordAt(packed.words, (column + i) * perColumn + word);
    transposeDigits(words);
    for (std::size_t r = 0; r < rowsInWord; ++r) {
      const std::size_t row = word * rowsInWord + r;
      if (row >= first && row < first + rows) std::memcpy(out + (row - first) * rowBytes + column / 2, &words[placeOfRow[r]], wordBytes);
    }
  };
  for (std::size_t column0 = 0; column0 < columns; column0 += tileColumns) {
    const std::size_t lastColumn = std::min(columns, column0 + tileColumns);
    for (std::size_t word0 = firstWord; word0 < lastWord; word0 += tileWords) {
      for (std::size_t column = column0; column < lastColumn; column += rowsInWord)
        for (std::size_t word = word0; word < std::min(lastWord, word0 + tileWords); ++word) turn(column, word);
    }
  }
}

// The codes of rows [first, first + rows), each row a stream of bits, which is how MLX stores them.
void putCodes(const PackedIntegers& packed, std::size_t first, std::size_t rows, std::byte* out) {
  if (packed.along == PackedWords::acrossRows) return transposeAcrossRows(packed, first, rows, out);
  const std::size_t words = index(packed.columns * packed.bits) / wordBits;
  if (packed.along == PackedWords::alongRows) {
    std::memcpy(out, packed.words.data() + first * words * wordBytes, rows * words * wordBytes);
    return;
  }
  transposeWords<std::uint32_t>(packed.words.data() + first * wordBytes, index(packed.rows) * wordBytes, words, rows, out);
}

// use(row, group, scale, zero) for rows [first, first + rows).
template <class Use>
void eachScale(const PackedIntegers& packed, std::size_t first, std::size_t rows, Use use) {
  const ElementTypeTraits& type = traits(packed.scaleType);
  const std::size_t groups = index(packed.groups), ofRow = packed.along == PackedWords::alongRows ? groups : 1;
  const std::size_t ofGroup = packed.along == PackedWords::alongRows ? 1 : index(packed.rows);
  for (std::size_t group = 0; group < groups; ++group) {
    const Zeros zeros(packed, group);
    for (std::size_t r = 0; r < rows; ++r) {
      float scale = 0;
      type.dequantize(packed.scales.data() + ((first + r) * ofRow + group * ofGroup) * type.blockBytes, &scale, 1);
      use(r, group, scale, zeros.of(first + r));
    }
  }
}

// Of scales and biases in MLX's type: half the range times a scale is exact in the scale's type; another zero need not be.
ElementType scaleTypeOf(const PackedIntegers& packed) { return packed.zeros.empty() ? packed.scaleType : ElementType::F32; }

// In MLX's type: a scale and a bias, -zero * scale, for each of its groups.
TensorView affineRows(const PackedIntegers& packed, ElementType type, std::size_t first, std::size_t rows,
                      std::vector<std::byte>& storage) {
  const std::size_t ofType = index(packed.columns) / traits(type).blockElements, per = ofType / index(packed.groups);
  const ElementTypeTraits& number = traits(scaleTypeOf(packed));
  const std::size_t codes = rows * index(packed.columns * packed.bits) / 8, numbers = rows * ofType * number.blockBytes;
  storage.resize(codes + 2 * numbers);
  putCodes(packed, first, rows, storage.data());
  std::byte *scales = storage.data() + codes, *biases = scales + numbers;
  eachScale(packed, first, rows, [&](std::size_t row, std::size_t group, float scale, float zero) {
    const float bias = -zero * scale;
    for (std::size_t i = 0; i < per; ++i) {
      const std::size_t at = (row * ofType + group * per + i) * number.blockBytes;
      number.quantize(&scale, scales + at, 1);
      number.quantize(&bias, biases + at, 1);
    }
  });
  const std::span<const std::byte> all = storage;
  TensorView out{type, {{static_cast<std::int64_t>(rows), packed.columns, 1, 1}, 2}, all.first(codes)};
  out.planes = {.scales = all.subspan(codes, numbers), .biases = all.subspan(codes + numbers)};
  return out;
}

std::size_t groupOf(const PackedIntegers& packed, std::size_t column) {
  if (packed.order.empty()) return column / index(packed.columns / packed.groups);
  return std::min(std::size_t{wordAt(packed.order, column)}, index(packed.groups) - 1);  // the file may have changed
}

// In a float's type: the values.
TensorView valueRows(const PackedIntegers& packed, ElementType type, std::size_t first, std::size_t rows, std::vector<std::byte>& storage) {
  const std::size_t columns = index(packed.columns), groups = index(packed.groups), bits = index(packed.bits), rowBits = columns * bits;
  std::vector<std::byte> codes(rows * rowBits / 8 + wordBytes);  // a number may be asked for with what follows the last byte
  putCodes(packed, first, rows, codes.data());
  std::vector<float> scales(rows * groups), zeros(rows * groups), values(columns);
  eachScale(packed, first, rows, [&](std::size_t row, std::size_t group, float scale, float zero) {
    scales[row * groups + group] = scale;
    zeros[row * groups + group] = zero;
  });
  const ElementTypeTraits& to = traits(type);
  storage.resize(rows * columns * to.blockBytes);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t bit = r * rowBits + c * bits, scale = r * groups + groupOf(packed, c);
      std::uint16_t two = 0;
      std::memcpy(&two, codes.data() + bit / 8, sizeof two);
      values[c] = (static_cast<float>(two >> (bit % 8) & ((1U << bits) - 1)) - zeros[scale]) * scales[scale];
    }
    to.quantize(values.data(), storage.data() + r * columns * to.blockBytes, columns);
  }
  return {type, {{static_cast<std::int64_t>(rows), packed.columns, 1, 1}, 2}, storage};
}

// MLX's largest group that those of the file consist of.
ElementType typeOf(const PackedIntegers& packed) {
  for (const int group : {128, 64, 32}) {
    if (!packed.order.empty() || packed.columns % packed.groups != 0 || packed.columns / packed.groups % group != 0) continue;
    if (const ElementTypeTraits* affine = mlxType(packed.bits, group, scaleTypeOf(packed))) return affine->type;
  }
  return packed.scaleType;
}

}  // namespace

TensorView unpacked(const PackedIntegers& packed) {
  TensorView view{typeOf(packed), {{packed.rows, packed.columns, 1, 1}, 2}, {}};
  Arrangement arrangement;
  arrangement.packed = std::make_shared<const PackedIntegers>(packed);
  view.arrangement = std::make_shared<const Arrangement>(std::move(arrangement));
  return view;
}

bool wellFormed(const PackedIntegers& packed, ElementType type) {
  constexpr std::int64_t most = std::int64_t{1} << 40, word = wordBits;
  const auto isSize = [](std::int64_t size) { return size >= 1 && size <= most; };
  if (!isSize(packed.rows) || !isSize(packed.columns) || !isSize(packed.groups) || packed.columns > most / packed.rows ||
      packed.groups > packed.columns || (packed.bits != 2 && packed.bits != 3 && packed.bits != 4 && packed.bits != 8))
    return false;
  const bool along = packed.along == PackedWords::alongRows;
  if (packed.along == PackedWords::acrossRows && (packed.bits != 4 || packed.columns % std::int64_t{rowsInWord} != 0)) return false;
  if (packed.columns * packed.bits % word != 0 || (along ? packed.bits % 4 != 0 : packed.rows * packed.bits % word != 0)) return false;
  const std::int64_t inWord = word / packed.bits;
  const std::size_t zeros =
      along ? index((packed.rows + inWord - 1) / inWord * packed.groups) * wordBytes : index(packed.groups * packed.rows * packed.bits) / 8;
  const ElementTypeTraits& scale = traits(packed.scaleType);
  const bool sizes = packed.words.size() == index(packed.rows * packed.columns * packed.bits) / 8 &&
                     (packed.zeros.size() == zeros || (along && packed.zeros.empty())) && scale.kind == ElementKind::plain &&
                     packed.scales.size() == index(packed.groups * packed.rows) * scale.blockBytes;
  if (!sizes || type != typeOf(packed)) return false;
  if (packed.order.empty()) return packed.columns % packed.groups == 0;
  if (packed.order.size() != index(packed.columns) * wordBytes) return false;
  for (std::size_t c = 0; c < index(packed.columns); ++c)
    if (wordAt(packed.order, c) >= index(packed.groups)) return false;
  return true;
}

TensorView inOrder(const PackedIntegers& packed, ElementType type, std::size_t first, std::size_t rows, std::vector<std::byte>& storage) {
  const bool isAffine = traits(type).parts.codes != 0;
  return isAffine ? affineRows(packed, type, first, rows, storage) : valueRows(packed, type, first, rows, storage);
}

std::vector<std::span<const std::byte>> sourceOf(const PackedIntegers& packed, std::size_t first, std::size_t rows) {
  if (packed.along != PackedWords::alongRows) return {packed.words, packed.scales, packed.zeros};  // parts of each column
  const auto part = [&](std::span<const std::byte> bytes) {
    const std::size_t each = bytes.size() / index(packed.rows);
    return bytes.subspan(first * each, rows * each);
  };
  std::vector<std::span<const std::byte>> source{part(packed.words), part(packed.scales)};
  if (!packed.zeros.empty()) source.push_back(packed.zeros);
  return source;
}

}  // namespace minerva
