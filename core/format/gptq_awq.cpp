// Matrices that GPTQ and AWQ quantized (core/tensor/packed_integers.h). Bits, groups and rows are what the tensors' shapes say, since
// layers may differ; config.json tells which of the two it is, and how zeros are stored.
//
//   L.qweight  I32 [columns * bits / 32, rows]; AWQ [columns, rows / 8]
//   L.qzeros   I32 [groups, rows * bits / 32]
//   L.scales   F16, BF16 or F32 [groups, rows]
//   L.g_idx    I32 [columns]: the group of each column; only read if config.json says that columns may be in another order (desc_act)
#include "core/format/assemble.h"
#include "core/tensor/packed_integers.h"

#include <algorithm>

namespace minerva::format {

namespace {

constexpr std::int64_t bitsOfWord = 32;

class QuantizedLayer {
 public:
  QuantizedLayer(RawTensors& raw, RawTensor& words, const Quantization& quantization)
      : m_words(words), m_stem(stemOf(words.tensor.name, ".qweight")), m_quantization(quantization) {
    m_scales = raw.find(m_stem + ".scales");
    m_zeros = raw.find(m_stem + ".qzeros");
    m_order = raw.find(m_stem + ".g_idx");
  }

  // What was added.
  Result<TensorView> add(ModelFileBuilder& builder) {
    MINERVA_ASSIGN(PackedIntegers packed, readShapes());
    if (m_order != nullptr && m_quantization.ordered) MINERVA_TRY(readOrder(*m_order, packed));
    const TensorView view = unpacked(packed);
    for (RawTensor* part : {&m_words, m_scales, m_zeros, m_order})
      if (part != nullptr) part->taken = true;
    MINERVA_TRY(addAssembled(m_words, m_stem + ".weight", view, builder));
    return view;
  }

 private:
  [[nodiscard]] Result<PackedIntegers> readShapes() const;

  RawTensor& m_words;
  std::string m_stem;
  const Quantization& m_quantization;
  RawTensor *m_scales = nullptr, *m_zeros = nullptr, *m_order = nullptr;
};

Result<PackedIntegers> QuantizedLayer::readShapes() const {
  if (m_scales == nullptr || m_zeros == nullptr)
    return contradiction(m_words, "lacks its scales or zeros", m_stem + ".scales and " + m_stem + ".qzeros", "nothing");
  const SafeTensor &words = m_words.tensor, &scales = m_scales->tensor, &zeros = m_zeros->tensor;
  const ElementTypeTraits* type = elementTypeOf(scales);
  if (type == nullptr || type->kind != ElementKind::plain)
    return contradiction(*m_scales, "is not a scale", "F32, F16 or BF16", scales.dtype);
  for (const RawTensor* part : {static_cast<const RawTensor*>(&m_words), static_cast<const RawTensor*>(m_zeros)})
    if (part->tensor.dtype != "I32" || part->tensor.shape.size() != 2)
      return contradiction(*part, "is no matrix of words", "I32 [.., ..]", part->tensor.dtype + " " + shapeText(part->tensor.shape));
  if (scales.shape.size() != 2 || scales.shape[0] < 1 || scales.shape[1] < 1)
    return contradiction(*m_scales, "is no matrix", "[groups, rows]", shapeText(scales.shape));
  PackedIntegers packed{.scaleType = type->type, .words = words.bytes, .scales = scales.bytes, .zeros = zeros.bytes};
  const bool isAwq = m_quantization.method == Quantization::Method::awq;
  packed.along = isAwq ? PackedWords::acrossRows : PackedWords::downColumns;
  packed.zerosAreLess = m_quantization.zerosAreLess;
  packed.groups = scales.shape[0];
  packed.rows = scales.shape[1];
  const std::int64_t bits = zeros.shape[1] * bitsOfWord / packed.rows;
  if (zeros.shape[0] != packed.groups || zeros.shape[1] * bitsOfWord != packed.rows * bits ||
      (isAwq ? bits != 4 : bits != 2 && bits != 3 && bits != 4 && bits != 8)) {
    return contradiction(*m_zeros, "does not fit its scales",
                         "[" + std::to_string(packed.groups) + ", " + std::to_string(packed.rows) + " numbers of " +
                             (isAwq ? "4 bits]" : "2, 3, 4 or 8 bits]"),
                         shapeText(zeros.shape));
  }
  packed.bits = static_cast<int>(bits);
  packed.columns = isAwq ? words.shape[0] : words.shape[0] * bitsOfWord / bits;
  const std::int64_t across = isAwq ? packed.rows * bits / bitsOfWord : packed.rows;
  if (words.shape[1] != across || packed.columns < 1 || packed.columns * bits % bitsOfWord != 0 ||
      (!isAwq && words.shape[0] * bitsOfWord != packed.columns * bits)) {
    return contradiction(m_words, "does not fit its scales", "[.., " + std::to_string(across) + "] of whole words", shapeText(words.shape));
  }
  if ((m_order == nullptr || !m_quantization.ordered) && packed.columns % packed.groups != 0)
    return contradiction(*m_scales, "does not fit its weight", "groups that divide " + std::to_string(packed.columns) + " columns",
                         shapeText(scales.shape));
  return packed;
}

// AWQ divides what some activations give by factors of their own, where a model's next matrix does not follow its previous one directly.
Result<void> refuseScaledActivations(RawTensors& raw) {
  const auto found = std::ranges::find_if(raw.all(), [](const RawTensor& one) { return one.tensor.name.ends_with(".act.scales"); });
  if (found == raw.all().end()) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = label(*found) + " scales activations, which is not supported",
               .where = *found->file,
               .hint = "Choose the GGUF or the unquantized version of this model."});
}

}  // namespace

Result<void> assembleGptqAndAwq(RawTensors& raw, const Quantization& quantization, ModelFileBuilder& builder) {
  if (quantization.method != Quantization::Method::gptq && quantization.method != Quantization::Method::awq) return {};
  MINERVA_TRY(refuseScaledActivations(raw));
  int asFloats = 0;
  for (RawTensor& words : raw.all()) {
    if (words.taken || stemOf(words.tensor.name, ".qweight").empty()) continue;
    MINERVA_ASSIGN(const TensorView view, QuantizedLayer(raw, words, quantization).add(builder));
    if (!view.apart()) ++asFloats;
  }
  warnOfFloats(asFloats, builder);
  return {};
}

}  // namespace minerva::format
