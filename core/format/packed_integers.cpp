// compressed-tensors' `pack-quantized`: whole numbers of 4 or 8 bits in 32-bit words, first number in the lowest bits, each with half its
// range added so that none is negative. Value = (code - zero) * scale, the zero of a group being that half unless it is stored. The words
// are MLX's, so a weight becomes one of its affine types; only the biases, -zero * scale, are not in the file.
//
//   L.weight_packed      I32 [rows, columns / numbers in a word]
//   L.weight_shape       I64 or I32 [2]: rows, columns
//   L.weight_scale       F32, F16 or BF16 [rows, groups]; one group: a row shares its scale
//   L.weight_zero_point  I32 [rows / numbers in a word, groups], packed along the rows; absent: half the range
//   L.weight_g_idx       I32 [columns]: the group of each column
#include "core/format/assemble.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace minerva::format {

namespace {

constexpr std::string_view packedEnding = ".weight_packed";
constexpr std::int64_t wordBits = 32;

std::unexpected<Error> unreadable(const RawTensor& raw, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = label(raw) + " is packed in a way this version cannot read",
               .where = *raw.file,
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "Choose the GGUF or the unquantized version of this model."});
}

// The whole numbers of an I32 or I64 tensor; empty if it is of another type.
std::vector<std::int64_t> numbersOf(const SafeTensor& tensor) {
  const std::size_t size = tensor.dtype == "I64" ? 8 : tensor.dtype == "I32" ? 4 : 0;
  std::vector<std::int64_t> numbers(size == 0 ? 0 : tensor.bytes.size() / size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::int32_t narrow = 0;
    std::memcpy(size == 4 ? static_cast<void*>(&narrow) : &numbers[i], tensor.bytes.data() + i * size, size);
    if (size == 4) numbers[i] = narrow;
  }
  return numbers;
}

class PackedWeight {
 public:
  PackedWeight(RawTensors& raw, RawTensor& packed)
      : m_packed(packed), m_name(packed.tensor.name.substr(0, packed.tensor.name.size() - packedEnding.size()) + ".weight") {
    m_shape = raw.find(m_name + "_shape");
    m_scale = raw.find(m_name + "_scale");
    m_zero = raw.find(m_name + "_zero_point");
    m_order = raw.find(m_name + "_g_idx");
  }

  Result<void> add(ModelFileBuilder& builder) {
    MINERVA_TRY(readShape());
    MINERVA_TRY(readGroups());
    MINERVA_TRY(checkZeros());
    MINERVA_TRY(checkOrder());
    TensorView view{
        .type = m_type->type, .shape = {.dims = {m_rows, m_columns, 1, 1}, .rank = 2}, .bytes = m_packed.tensor.bytes, .planes = {}};
    auto [scales, biases] = planes();
    view.planes.scales = scales.empty() ? m_scale->tensor.bytes : builder.keepBytes(std::move(scales));
    view.planes.biases = builder.keepBytes(std::move(biases));
    for (RawTensor* part : {&m_packed, m_shape, m_scale, m_zero, m_order})
      if (part) part->taken = true;
    return addAssembled(m_packed, m_name, view, builder);
  }

 private:
  Result<void> readShape();
  Result<void> readGroups();
  Result<void> checkZeros() const;
  Result<void> checkOrder() const;
  [[nodiscard]] std::pair<std::vector<std::byte>, std::vector<std::byte>> planes() const;
  [[nodiscard]] float zeroOf(std::int64_t row, std::int64_t group) const;

  RawTensor& m_packed;
  std::string m_name;
  RawTensor *m_shape = nullptr, *m_scale = nullptr, *m_zero = nullptr, *m_order = nullptr;
  std::int64_t m_rows = 0, m_columns = 0, m_bits = 0;
  std::int64_t m_stored = 0, m_groups = 0;  // scales of a row: in the file, and here
  const ElementTypeTraits *m_scaleType = nullptr, *m_type = nullptr;
};

Result<void> PackedWeight::readShape() {
  const std::vector<std::int64_t> shape = m_shape ? numbersOf(m_shape->tensor) : std::vector<std::int64_t>();
  if (!m_shape || !m_scale)
    return contradiction(m_packed, "lacks its scales or its shape", m_name + "_scale and " + m_name + "_shape", "nothing");
  const auto& words = m_packed.tensor.shape;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (shape.size() != 2 || words.size() != 2 || shape[0] != words[0] || shape[0] < 1 || shape[1] < 1 || shape[1] > most)
    return contradiction(*m_shape, "does not fit the packed weight", "[" + std::to_string(words.empty() ? 0 : words[0]) + ", columns]",
                         shapeText(shape));
  m_rows = shape[0];
  m_columns = shape[1];
  m_bits = words[1] * wordBits / m_columns;
  if ((m_bits == 4 || m_bits == 8) && words[1] * wordBits == m_columns * m_bits) return {};
  return unreadable(m_packed, "4 or 8 bits a weight, and rows of whole words", shapeText(words) + " words for " + shapeText(shape));
}

// The largest group of MLX's that those of the file consist of.
Result<void> PackedWeight::readGroups() {
  const auto& shape = m_scale->tensor.shape;
  m_scaleType = elementTypeOf(m_scale->tensor);
  if (!m_scaleType || m_scaleType->kind != ElementKind::plain)
    return contradiction(*m_scale, "is not a scale", "F32, F16 or BF16", m_scale->tensor.dtype);
  if (shape.size() != 2 || shape[0] != m_rows || shape[1] < 1 || m_columns % shape[1] != 0)
    return contradiction(*m_scale, "does not fit its weight", "[" + std::to_string(m_rows) + ", groups]", shapeText(shape));
  m_stored = shape[1];
  for (const int group : {128, 64, 32}) {
    if (m_columns / m_stored % group != 0) continue;
    m_groups = m_columns / group;
    // Half the range times a scale is exact in the scale's type; another zero need not be.
    m_type = mlxType(static_cast<int>(m_bits), group, m_zero ? ElementType::F32 : m_scaleType->type);
    return {};
  }
  return unreadable(m_packed, "groups of multiples of 32", std::to_string(m_columns / m_stored));
}

Result<void> PackedWeight::checkZeros() const {
  if (!m_zero) return {};
  const std::int64_t inWord = wordBits / m_bits;
  const std::vector<std::int64_t> expected{(m_rows + inWord - 1) / inWord, m_stored};
  if (m_zero->tensor.dtype == "I32" && m_zero->tensor.shape == expected) return {};
  return contradiction(*m_zero, "does not fit its weight", "I32 " + shapeText(expected),
                       m_zero->tensor.dtype + " " + shapeText(m_zero->tensor.shape));
}

Result<void> PackedWeight::checkOrder() const {
  if (!m_order) return {};
  const std::vector<std::int64_t> groups = numbersOf(m_order->tensor);
  bool inOrder = std::ssize(groups) == m_columns;
  for (std::int64_t i = 0; inOrder && i < m_columns; ++i) inOrder = groups[static_cast<std::size_t>(i)] == i / (m_columns / m_stored);
  if (inOrder) return {};
  return unreadable(m_packed, "groups of columns that follow each other", "groups in the order of activations");
}

float PackedWeight::zeroOf(std::int64_t row, std::int64_t group) const {
  if (!m_zero) return static_cast<float>(1 << (m_bits - 1));
  const std::int64_t inWord = wordBits / m_bits;
  std::uint32_t word = 0;
  std::memcpy(&word, m_zero->tensor.bytes.data() + static_cast<std::size_t>(row / inWord * m_stored + group) * sizeof word, sizeof word);
  return static_cast<float>(word >> (row % inWord * m_bits) & ((1U << m_bits) - 1));
}

// Scales, empty if those of the file are meant, and biases.
std::pair<std::vector<std::byte>, std::vector<std::byte>> PackedWeight::planes() const {
  const ElementTypeTraits& to = m_zero ? traits(ElementType::F32) : *m_scaleType;
  const std::int64_t perStored = m_groups / m_stored;
  const auto count = static_cast<std::size_t>(m_rows * m_groups);
  const bool own = m_zero || perStored > 1;
  std::vector<std::byte> scales(own ? count * to.blockBytes : 0), biases(count * to.blockBytes);
  std::size_t at = 0;
  for (std::int64_t row = 0; row < m_rows; ++row) {
    for (std::int64_t group = 0; group < m_groups; ++group, at += to.blockBytes) {
      const std::int64_t stored = group / perStored;
      float scale = 0;
      m_scaleType->dequantize(m_scale->tensor.bytes.data() + static_cast<std::size_t>(row * m_stored + stored) * m_scaleType->blockBytes,
                              &scale, 1);
      const float bias = -zeroOf(row, stored) * scale;
      if (own) to.quantize(&scale, scales.data() + at, 1);
      to.quantize(&bias, biases.data() + at, 1);
    }
  }
  return {std::move(scales), std::move(biases)};
}

}  // namespace

Result<void> assemblePackedIntegers(RawTensors& raw, ModelFileBuilder& builder) {
  for (RawTensor& packed : raw.all()) {
    const std::string_view name = packed.tensor.name;
    if (!packed.taken && packed.tensor.dtype == "I32" && name.ends_with(packedEnding)) MINERVA_TRY(PackedWeight(raw, packed).add(builder));
  }
  return {};
}

}  // namespace minerva::format
