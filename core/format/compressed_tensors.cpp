// compressed-tensors' `pack-quantized`: whole numbers of 4 or 8 bits in 32-bit words (core/tensor/packed_integers.h), each with half its
// range added so that none is negative.
//
//   L.weight_packed      I32 [rows, columns / numbers in a word]
//   L.weight_shape       I64 or I32 [2]: rows, columns
//   L.weight_scale       F32, F16 or BF16 [rows, groups]; one group: a row shares its scale
//   L.weight_zero_point  I32 [rows / numbers in a word, groups], packed along the rows; absent: half the range
//   L.weight_g_idx       I32 [columns]: the group of each column
#include "core/format/assemble.h"
#include "core/tensor/packed_integers.h"

#include <cstring>

namespace minerva::format {

namespace {

constexpr std::string_view packedEnding = ".weight_packed";
constexpr std::int64_t wordBits = 32;

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

  // What was added.
  Result<TensorView> add(ModelFileBuilder& builder) {
    PackedIntegers out{.along = PackedWords::alongRows, .words = m_packed.tensor.bytes};
    MINERVA_TRY(readShape(out));
    MINERVA_TRY(readScales(out));
    MINERVA_TRY(readZeros(out));
    if (m_order != nullptr) MINERVA_TRY(readOrder(*m_order, out));
    const TensorView view = unpacked(out);
    for (RawTensor* part : {&m_packed, m_shape, m_scale, m_zero, m_order})
      if (part) part->taken = true;
    MINERVA_TRY(addAssembled(m_packed, m_name, view, builder));
    return view;
  }

 private:
  Result<void> readShape(PackedIntegers& out) const;
  Result<void> readScales(PackedIntegers& out) const;
  Result<void> readZeros(PackedIntegers& out) const;

  RawTensor& m_packed;
  std::string m_name;
  RawTensor *m_shape = nullptr, *m_scale = nullptr, *m_zero = nullptr, *m_order = nullptr;
};

Result<void> PackedWeight::readShape(PackedIntegers& out) const {
  const std::vector<std::int64_t> shape = m_shape ? numbersOf(m_shape->tensor) : std::vector<std::int64_t>();
  if (!m_shape || !m_scale)
    return contradiction(m_packed, "lacks its scales or its shape", m_name + "_scale and " + m_name + "_shape", "nothing");
  const auto& words = m_packed.tensor.shape;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (shape.size() != 2 || words.size() != 2 || shape[0] != words[0] || shape[0] < 1 || shape[1] < 1 || shape[1] > most)
    return contradiction(*m_shape, "does not fit the packed weight", "[" + std::to_string(words.empty() ? 0 : words[0]) + ", columns]",
                         shapeText(shape));
  out.rows = shape[0];
  out.columns = shape[1];
  const std::int64_t bits = words[1] * wordBits / out.columns;
  out.bits = static_cast<int>(bits);
  if ((bits == 4 || bits == 8) && words[1] * wordBits == out.columns * bits) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = label(m_packed) + " is packed in a way this version cannot read",
               .where = *m_packed.file,
               .expected = "4 or 8 bits a weight, and rows of whole words",
               .actual = shapeText(words) + " words for " + shapeText(shape),
               .hint = "Choose the GGUF or the unquantized version of this model."});
}

Result<void> PackedWeight::readScales(PackedIntegers& out) const {
  const auto& shape = m_scale->tensor.shape;
  const ElementTypeTraits* type = elementTypeOf(m_scale->tensor);
  if (!type || type->kind != ElementKind::plain)
    return contradiction(*m_scale, "is not a scale", "F32, F16 or BF16", m_scale->tensor.dtype);
  if (shape.size() != 2 || shape[0] != out.rows || shape[1] < 1 || (!m_order && out.columns % shape[1] != 0))
    return contradiction(*m_scale, "does not fit its weight", "[" + std::to_string(out.rows) + ", groups]", shapeText(shape));
  out.scaleType = type->type;
  out.groups = shape[1];
  out.scales = m_scale->tensor.bytes;
  return {};
}

Result<void> PackedWeight::readZeros(PackedIntegers& out) const {
  if (!m_zero) return {};
  const std::int64_t inWord = wordBits / out.bits;
  const std::vector<std::int64_t> expected{(out.rows + inWord - 1) / inWord, out.groups};
  if (m_zero->tensor.dtype != "I32" || m_zero->tensor.shape != expected)
    return contradiction(*m_zero, "does not fit its weight", "I32 " + shapeText(expected),
                         m_zero->tensor.dtype + " " + shapeText(m_zero->tensor.shape));
  out.zeros = m_zero->tensor.bytes;
  return {};
}

}  // namespace

Result<void> assembleCompressedTensors(RawTensors& raw, ModelFileBuilder& builder) {
  int asFloats = 0;
  for (RawTensor& packed : raw.all()) {
    if (packed.taken || packed.tensor.dtype != "I32" || !packed.tensor.name.ends_with(packedEnding)) continue;
    MINERVA_ASSIGN(const TensorView view, PackedWeight(raw, packed).add(builder));
    if (!view.apart()) ++asFloats;
  }
  warnOfFloats(asFloats, builder);
  return {};
}

}  // namespace minerva::format
