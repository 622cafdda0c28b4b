// 8-bit float weights under scales: value = code * scale. The scale has the shape of the blocks (DeepSeek, Qwen: 128 x 128,
// `weight_scale_inv`, which multiplies in spite of its name), one a row, or one in all (`weight_scale`).
#include "core/format/assemble.h"

#include <algorithm>
#include <optional>

namespace minerva::format {

namespace {

constexpr std::int64_t typeBlock = 128;  // of F8_*_SCALED

std::int64_t blocksOf(std::int64_t size, std::int64_t block) { return (size + block - 1) / block; }

// How the rows and columns of a matrix share the scales; nothing where the scales have no shape that fits.
struct Sharing {
  std::int64_t rows, columns;
};
std::optional<Sharing> sharing(const std::vector<std::int64_t>& weight, const RawTensor& scales, const Quantization& quantization) {
  const std::int64_t rows = weight[0], columns = weight[1];
  const std::vector<std::int64_t>& shape = scales.tensor.shape;
  using Dims = std::vector<std::int64_t>;
  if (shape == Dims{blocksOf(rows, quantization.blockRows), blocksOf(columns, quantization.blockColumns)}) {
    return Sharing{quantization.blockRows, quantization.blockColumns};
  }
  if (shape.empty() || shape == Dims{1} || shape == Dims{1, 1}) return Sharing{rows, columns};
  if (shape == Dims{rows, 1} || shape == Dims{rows}) return Sharing{1, columns};
  return std::nullopt;
}

std::unexpected<Error> unsupported(const RawTensor& weight, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = label(weight) + " has 8-bit floats in a layout this version cannot read",
               .where = *weight.file,
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "Choose the GGUF or the unquantized version of this model."});
}

Result<void> assemble(RawTensor& weight, RawTensor& scales, const Quantization& quantization, ModelFileBuilder& builder) {
  const auto& shape = weight.tensor.shape;
  if (shape.size() != 2 || shape[1] % typeBlock != 0 || weight.tensor.bytes.empty()) return unsupported(weight, "[rows, a multiple of 128]", shapeText(shape));
  const ElementTypeTraits* scaleType = elementTypeOf(scales.tensor);
  if (!scaleType || scaleType->kind != ElementKind::plain) return contradiction(scales, "is no scale", "F32, F16 or BF16", scales.tensor.dtype);
  const auto shared = sharing(shape, scales, quantization);
  if (!shared) {
    return contradiction(scales, "does not fit its weight",
                         shapeText({blocksOf(shape[0], quantization.blockRows), blocksOf(shape[1], quantization.blockColumns)}) + ", one a row or one in all",
                         shapeText(scales.tensor.shape));
  }
  if (shared->columns % typeBlock != 0) return unsupported(weight, "a multiple of 128 columns under one scale", std::to_string(shared->columns));
  TensorView view{.type = weight.tensor.dtype == "F8_E4M3" ? ElementType::F8_E4M3_SCALED : ElementType::F8_E5M2_SCALED,
                  .shape = withColumns(shape, shape[1]),
                  .bytes = weight.tensor.bytes,
                  .planes = {}};
  view.planes = {.scales = scales.tensor.bytes, .biases = {}, .scaleType = scaleType->type, .rowsPerScale = shared->rows, .blocksPerScale = shared->columns / typeBlock};
  weight.taken = scales.taken = true;
  return addAssembled(weight, weight.tensor.name, view, builder);
}

// Scales of activations and of the KV cache: this engine computes both as floats.
bool isActivationScale(std::string_view name) {
  constexpr std::string_view endings[] = {".input_scale", ".activation_scale", ".input_scale_ub", ".k_scale", ".v_scale"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

Result<void> assembleScaledFp8(RawTensors& raw, const Quantization& quantization, ModelFileBuilder& builder) {
  for (RawTensor& weight : raw.all()) {
    if (isActivationScale(weight.tensor.name)) weight.taken = true;
    if (weight.taken || (weight.tensor.dtype != "F8_E4M3" && weight.tensor.dtype != "F8_E5M2")) continue;
    RawTensor* scales = raw.find(weight.tensor.name + "_scale_inv");
    if (!scales) scales = raw.find(weight.tensor.name + "_scale");
    if (!scales) return contradiction(weight, "has no scales", weight.tensor.name + "_scale_inv or _scale", "nothing");
    MINERVA_TRY(assemble(weight, *scales, quantization, builder));
  }
  return {};
}

}  // namespace minerva::format
