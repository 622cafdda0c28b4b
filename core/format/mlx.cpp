// MLX's quantized layers (mlx.nn.quantize, mlx.core.quantize): codes in little-endian 32-bit words, one bit stream per row,
// first code in the lowest bits; one scale, and in affine mode one bias, per group of codes.
#include "core/format/assemble.h"

#include "core/format/readable.h"

#include <algorithm>
#include <span>

namespace minerva::format {

namespace {

constexpr std::string_view weightEnding = ".weight";

class MlxAssembler {
 public:
  MlxAssembler(RawTensors& raw, const Quantization& quantization, const std::string& configPath, ModelFileBuilder& builder)
      : m_raw(raw), m_quantization(quantization), m_configPath(configPath), m_builder(builder) {}

  Result<void> run() {
    for (RawTensor& raw : m_raw.all()) {
      const std::string layer(stemOf(raw.tensor.name, weightEnding));
      if (layer.empty() || raw.taken) continue;
      if (raw.tensor.dtype == "U32" || m_raw.find(layer + ".scales")) MINERVA_TRY(assemble(raw, layer));
    }
    MINERVA_TRY(checkLeftovers());
    return checkNamedLayers();
  }

 private:
  Result<void> assemble(RawTensor& weight, const std::string& layer);
  Result<MlxLayer> settings(const RawTensor& weight, const std::string& layer) const;
  Result<Shape> denseShape(const RawTensor& weight, const MlxLayer& layer) const;
  Result<RawTensor*> part(const RawTensor& weight, const std::string& name, const MlxLayer& layer, const Shape& dense,
                          std::span<const std::string_view> dtypes) const;
  Result<void> checkLeftovers();
  Result<void> checkNamedLayers();

  RawTensors& m_raw;
  const Quantization& m_quantization;
  const std::string& m_configPath;
  ModelFileBuilder& m_builder;
};

Result<MlxLayer> MlxAssembler::settings(const RawTensor& weight, const std::string& layer) const {
  const auto refuse = [&](const char* what, const char* expected, const char* actual) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = label(weight) + what,
                 .where = m_configPath,
                 .expected = expected,
                 .actual = actual,
                 .hint = "The model's files contradict each other; download them again."});
  };
  if (m_quantization.method != Quantization::Method::mlx) {
    return refuse(" is packed as MLX packs weights, but config.json does not say how",
                  "\"quantization\": {\"group_size\": ..., \"bits\": ...}", "nothing");
  }
  const auto settings = m_quantization.mlxLayer(layer);
  if (!settings) return refuse(" is packed, but config.json says that its layer is not", "no .scales, a float weight", "packed codes");
  return *settings;
}

// The logical shape of packed weights.
Result<Shape> MlxAssembler::denseShape(const RawTensor& weight, const MlxLayer& layer) const {
  const auto& shape = weight.tensor.shape;
  if (weight.tensor.dtype != "U32")
    return contradiction(weight, "has scales, but is not packed", "U32 for " + toString(layer), weight.tensor.dtype);
  if (shape.size() < 2 || shape.size() > 3 || weight.tensor.bytes.empty()) {
    return contradiction(weight, "has a shape that packed weights cannot have", "[rows, words] or [experts, rows, words]",
                         shapeText(shape));
  }
  const std::int64_t bits = shape.back() * 32;  // cannot overflow: validated shapes have fewer than 2^60 elements
  if (bits % layer.bits != 0 || bits / layer.bits % layer.group != 0) {
    return contradiction(weight, "has rows that are not whole groups",
                         "a multiple of " + std::to_string(layer.group * layer.bits) + " bits for " + toString(layer),
                         std::to_string(bits) + " bits");
  }
  return withColumns(shape, bits / layer.bits);
}

Result<RawTensor*> MlxAssembler::part(const RawTensor& weight, const std::string& name, const MlxLayer& layer, const Shape& dense,
                                      std::span<const std::string_view> dtypes) const {
  RawTensor* found = m_raw.find(name);
  const Shape expected = withColumns(weight.tensor.shape, dense.columns() / layer.group);
  if (!found)
    return contradiction(weight, "is packed, but there is no " + readable(name), toString(expected) + " for " + toString(layer), "nothing");
  if (std::ranges::find(dtypes, std::string_view(found->tensor.dtype)) == dtypes.end()) {
    std::string known;
    for (const std::string_view dtype : dtypes) known += (known.empty() ? "" : " or ") + std::string(dtype);
    return contradiction(*found, "has a type that contradicts config.json or its layer", known + " for " + toString(layer),
                         found->tensor.dtype);
  }
  if (found->tensor.shape.size() != weight.tensor.shape.size() ||
      withColumns(found->tensor.shape, found->tensor.shape.back()) != expected) {
    return contradiction(*found, "does not have the shape that its layer's codes and config.json require",
                         toString(expected) + " for " + toString(layer), shapeText(found->tensor.shape));
  }
  found->taken = true;
  return found;
}

ElementType planesType(MlxMode mode) {
  return mode == MlxMode::mxfp4   ? ElementType::MXFP4_PLANES
         : mode == MlxMode::mxfp8 ? ElementType::MXFP8_PLANES
                                  : ElementType::NVFP4_PLANES;
}

Result<void> MlxAssembler::assemble(RawTensor& weight, const std::string& layer) {
  MINERVA_ASSIGN(const MlxLayer how, settings(weight, layer));
  TensorView view;
  view.bytes = weight.tensor.bytes;
  MINERVA_ASSIGN(view.shape, denseShape(weight, how));
  const bool affine = how.mode == MlxMode::affine;
  static constexpr std::string_view floats[] = {"F32", "F16", "BF16"}, bytes[] = {"U8"};
  MINERVA_ASSIGN(const RawTensor* scales,
                 part(weight, layer + ".scales", how, view.shape,
                      affine ? std::span<const std::string_view>(floats) : std::span<const std::string_view>(bytes)));
  view.planes.scales = scales->tensor.bytes;
  if (affine) {
    const std::string_view same[] = {scales->tensor.dtype};
    MINERVA_ASSIGN(const RawTensor* biases, part(weight, layer + ".biases", how, view.shape, same));
    view.planes.biases = biases->tensor.bytes;
    const ElementTypeTraits* type = mlxType(how.bits, how.group, findElementType(scales->tensor.dtype)->type);
    if (!type) return contradiction(weight, "is packed in a way this version cannot read", {}, toString(how));
    view.type = type->type;
  } else {
    if (const RawTensor* biases = m_raw.find(layer + ".biases")) {
      return contradiction(*biases, "contradicts config.json", "no biases for " + toString(how),
                           biases->tensor.dtype + " " + shapeText(biases->tensor.shape));
    }
    view.type = planesType(how.mode);
  }
  weight.taken = true;
  return addAssembled(weight, weight.tensor.name, view, m_builder);
}

// Scales and biases without codes.
Result<void> MlxAssembler::checkLeftovers() {
  if (m_quantization.method != Quantization::Method::mlx) return {};
  for (const RawTensor& raw : m_raw.all()) {
    if (raw.taken || !(raw.tensor.name.ends_with(".scales") || raw.tensor.name.ends_with(".biases"))) continue;
    return contradiction(raw, "belongs to no packed weight", "a .weight with U32 codes and .scales beside it", "nothing");
  }
  return {};
}

// Per-layer settings in config.json must refer to existing layers.
Result<void> MlxAssembler::checkNamedLayers() {
  for (const auto& [layer, settings] : m_quantization.mlxLayers) {
    const RawTensor* weight = m_raw.find(layer + std::string(weightEnding));
    if (!weight) {
      m_builder.warn(m_configPath + ": the quantization names a layer that does not exist: " + readable(layer));
    } else if (settings && !weight->taken) {
      return contradiction(*weight, "is not packed, but config.json says that it is", "U32 codes and .scales for " + toString(*settings),
                           weight->tensor.dtype);
    }
  }
  return {};
}

}  // namespace

Result<void> assembleMlx(RawTensors& raw, const Quantization& quantization, const std::string& configPath, ModelFileBuilder& builder) {
  return MlxAssembler(raw, quantization, configPath, builder).run();
}

}  // namespace minerva::format
