// FP8 weights with scales: value = code * scale. Scales are per block (DeepSeek, Qwen: 128 x 128, `weight_scale_inv`, a
// multiplier despite its name), per row, or per tensor (`weight_scale`). A stack of expert matrices has such scales for
// each matrix, or one for all. Weights that have scales are scaled whatever config.json says: some tools keep their settings elsewhere.
#include "core/format/assemble.h"

#include <algorithm>
#include <optional>

namespace minerva::format {

namespace {

using Dims = std::vector<std::int64_t>;

std::int64_t blocksOf(std::int64_t size, std::int64_t block) { return (size + block - 1) / block; }

// How rows and columns of a matrix (of each matrix of a stack) share scales; nullopt if the shape of the scales does not
// fit.
struct Sharing {
  std::int64_t rows, columns;
};
std::optional<Sharing> sharing(const Dims& weight, const Dims& scales, const Quantization& quantization) {
  const std::int64_t rows = weight.end()[-2], columns = weight.back();
  const Dims stack(weight.begin(), weight.end() - 2);
  const auto stackOf = [&](std::initializer_list<std::int64_t> each) {
    Dims shape = stack;
    shape.insert(shape.end(), each);
    return shape;
  };
  if (scales == stackOf({blocksOf(rows, quantization.blockRows), blocksOf(columns, quantization.blockColumns)}))
    return Sharing{stack.empty() ? quantization.blockRows : std::min(quantization.blockRows, rows), quantization.blockColumns};
  if (scales == stackOf({rows, 1}) || scales == stackOf({rows})) return Sharing{1, columns};
  if (!stack.empty() && (scales == stack || scales == stackOf({1, 1}))) return Sharing{rows, columns};
  std::int64_t all = rows;
  for (const std::int64_t matrices : stack) all *= matrices;
  if (scales.empty() || scales == Dims{1} || scales == Dims{1, 1}) return Sharing{all, columns};
  return std::nullopt;
}

// The element type whose blocks divide the columns and never span two scales; nullopt if there is none.
std::optional<ElementType> typeFor(const RawTensor& weight, std::int64_t columnsPerScale) {
  const bool e4m3 = weight.tensor.dtype == "F8_E4M3";
  for (const ElementType type : {e4m3 ? ElementType::F8_E4M3_SCALED : ElementType::F8_E5M2_SCALED,
                                 e4m3 ? ElementType::F8_E4M3_SCALED32 : ElementType::F8_E5M2_SCALED32}) {
    const std::int64_t block = traits(type).blockElements;
    if (weight.tensor.shape.back() % block == 0 && columnsPerScale % block == 0) return type;
  }
  return std::nullopt;
}

std::unexpected<Error> unsupportedShape(const RawTensor& weight, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = label(weight) + " has 8-bit floats in a layout this version cannot read",
               .where = *weight.file,
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "Choose the GGUF or the unquantized version of this model."});
}

Result<void> assembleScaled(RawTensor& weight, RawTensor& scales, const Quantization& quantization, ModelFileBuilder& builder) {
  const Dims& shape = weight.tensor.shape;
  if (shape.size() < 2 || shape.size() > 4 || weight.tensor.bytes.empty())
    return unsupportedShape(weight, "[.., rows, columns]", shapeText(shape));
  const ElementTypeTraits* scaleType = elementTypeOf(scales.tensor);
  if (!scaleType || scaleType->kind != ElementKind::plain)
    return contradiction(scales, "is not a scale", "F32, F16 or BF16", scales.tensor.dtype);
  const auto shared = sharing(shape, scales.tensor.shape, quantization);
  if (!shared) {
    Dims blocks = shape;
    blocks.end()[-2] = blocksOf(shape.end()[-2], quantization.blockRows);
    blocks.back() = blocksOf(shape.back(), quantization.blockColumns);
    return contradiction(scales, "does not fit its weight", shapeText(blocks) + ", one per row or one in all",
                         shapeText(scales.tensor.shape));
  }
  const auto type = typeFor(weight, shared->columns);
  if (!type) {
    return unsupportedShape(weight, "columns, and columns per scale, in multiples of 32",
                            std::to_string(shape.back()) + " and " + std::to_string(shared->columns));
  }
  // Rows are numbered across the stack, so a block of rows must not span two matrices.
  if (shape.size() > 2 && shared->rows < shape.end()[-2] && shape.end()[-2] % shared->rows != 0)
    return unsupportedShape(weight, "rows in multiples of " + std::to_string(shared->rows), shapeText(shape));
  TensorView view{.type = *type, .shape = withColumns(shape, shape.back()), .bytes = weight.tensor.bytes, .planes = {}};
  view.planes = {.scales = scales.tensor.bytes,
                 .biases = {},
                 .scaleType = scaleType->type,
                 .rowsPerScale = shared->rows,
                 .blocksPerScale = shared->columns / traits(*type).blockElements};
  weight.taken = scales.taken = true;
  return addAssembled(weight, weight.tensor.name, view, builder);
}

// Scales of activations and of the KV cache, which this engine does not quantize to FP8.
bool isActivationScale(std::string_view name) {
  constexpr std::string_view endings[] = {".input_scale", ".activation_scale", ".input_scale_ub", ".k_scale",   ".v_scale",
                                          ".kv_scale",    ".q_scale",          ".output_scale",   ".qscale_act"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

Result<void> assembleScaledFp8(RawTensors& raw, const Quantization& quantization, ModelFileBuilder& builder) {
  bool isScaled = quantization.method == Quantization::Method::fp8;
  for (RawTensor& weight : raw.all()) {
    if (weight.taken || (weight.tensor.dtype != "F8_E4M3" && weight.tensor.dtype != "F8_E5M2")) continue;
    RawTensor* scales = raw.find(weight.tensor.name + "_scale_inv");
    if (!scales) scales = raw.find(weight.tensor.name + "_scale");
    if (scales) {
      isScaled = true;
      MINERVA_TRY(assembleScaled(weight, *scales, quantization, builder));
    } else if (quantization.method == Quantization::Method::fp8) {
      return contradiction(weight, "has no scales", weight.tensor.name + "_scale_inv or _scale", "nothing");
    }
  }
  for (RawTensor& tensor : raw.all())
    if (isScaled && isActivationScale(tensor.tensor.name)) tensor.taken = true;
  return {};
}

}  // namespace minerva::format
