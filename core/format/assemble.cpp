#include "core/format/assemble.h"

#include "core/format/readable.h"

#include <algorithm>
#include <cstring>

namespace minerva::format {

namespace {

constexpr std::size_t maxRank = 4;

// Buffers that some checkpoints store although engines compute them.
bool isComputedBuffer(std::string_view name) {
  constexpr std::string_view endings[] = {"position_ids", "masked_bias", "attn.bias", "attention.bias", "inv_freq"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

Result<void> addPlain(const RawTensor& raw, ModelFileBuilder& builder) {
  const SafeTensor& tensor = raw.tensor;
  const ElementTypeTraits* type = elementTypeOf(tensor);
  if (!type && !isComputedBuffer(tensor.name)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = label(raw) + " is stored in a type this version cannot read",
                 .where = *raw.file,
                 .expected = "F32, F16, BF16, F8_E4M3 or F8_E5M2",
                 .actual = tensor.dtype,
                 .hint = "Choose the GGUF or the unquantized version of this model."});
  }
  if (!type || tensor.shape.size() > maxRank || tensor.bytes.empty()) {
    builder.warn(label(raw) + " is left out: " + tensor.dtype + " " + shapeText(tensor.shape));
    return {};
  }
  TensorView view{.type = type->type, .shape = {}, .bytes = tensor.bytes, .planes = {}};
  view.shape.rank = static_cast<int>(std::max<std::size_t>(tensor.shape.size(), 1));  // a scalar becomes [1]
  std::ranges::copy(tensor.shape, view.shape.dims.begin());
  return addAssembled(raw, tensor.name, view, builder);
}

}  // namespace

std::unexpected<Error> contradiction(const RawTensor& raw, std::string what, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::corrupt,
               .what = label(raw) + " " + what,
               .where = *raw.file,
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "The model's files contradict each other; download them again."});
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size() && i < 8; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() > 8 ? ", ...]" : "]");
}

std::string label(const RawTensor& raw) { return "Tensor " + readable(raw.tensor.name); }

std::string_view stemOf(std::string_view name, std::string_view ending) {
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : std::string_view();
}

Shape withColumns(const std::vector<std::int64_t>& shape, std::int64_t columns) {
  Shape out;
  out.rank = static_cast<int>(std::clamp<std::size_t>(shape.size(), 1, maxRank));
  std::copy_n(shape.begin(), std::min(shape.size(), maxRank), out.dims.begin());
  out.dims[static_cast<std::size_t>(out.rank - 1)] = columns;
  return out;
}

Result<void> addAssembled(const RawTensor& raw, std::string name, const TensorView& view, ModelFileBuilder& builder) {
  if (!wellFormed(view)) {  // callers have validated it; kernels rely on it, so check once more
    return contradiction(raw, "does not have the size that its type and shape require",
                         std::string(traits(view.type).name) + " " + toString(view.shape),
                         std::to_string(view.bytes.size()) + " bytes, " + std::to_string(view.planes.scales.size()) + " of scales, " +
                             std::to_string(view.planes.biases.size()) + " of biases");
  }
  if (builder.add(std::move(name), view)) return {};
  return contradiction(raw, "occurs twice", {}, {});
}

Result<void> readOrder(const RawTensor& order, PackedIntegers& packed) {
  const SafeTensor& tensor = order.tensor;
  if (tensor.dtype != "I32" || tensor.shape != std::vector<std::int64_t>{packed.columns})
    return contradiction(order, "does not fit its weight", "I32 [" + std::to_string(packed.columns) + "]",
                         tensor.dtype + " " + shapeText(tensor.shape));
  bool follows = packed.columns % packed.groups == 0;
  for (std::int64_t i = 0; i < packed.columns; ++i) {
    std::int32_t group = 0;
    std::memcpy(&group, tensor.bytes.data() + static_cast<std::size_t>(i) * sizeof group, sizeof group);
    if (group < 0 || group >= packed.groups)
      return contradiction(order, "has no valid group for column " + std::to_string(i), "0 to " + std::to_string(packed.groups - 1),
                           std::to_string(group));
    follows = follows && group == i / (packed.columns / packed.groups);
  }
  if (!follows) packed.order = tensor.bytes;
  return {};
}

void warnOfFloats(int count, ModelFileBuilder& builder) {
  if (count == 0) return;
  builder.warn(std::to_string(count) +
               " matrices have groups of columns that do not follow each other (desc_act) or are no multiples of 32; they are loaded as "
               "plain floats, which take more memory");
}

Result<void> assembleTensors(RawTensors& raw, const Quantization& quantization, const std::string& configPath, ModelFileBuilder& builder) {
  for (const std::string& warning : quantization.warnings) builder.warn(warning);
  MINERVA_TRY(assembleMlx(raw, quantization, configPath, builder));
  MINERVA_TRY(assembleMxfp4Blocks(raw, builder));
  MINERVA_TRY(assembleCompressedTensors(raw, builder));
  MINERVA_TRY(assembleGptqAndAwq(raw, quantization, builder));
  MINERVA_TRY(assembleScaledFp8(raw, quantization, builder));
  for (RawTensor& rest : raw.all()) {
    if (!rest.taken) MINERVA_TRY(addPlain(rest, builder));
  }
  return {};
}

}  // namespace minerva::format
