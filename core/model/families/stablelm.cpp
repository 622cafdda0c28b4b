// StableLM 2: layer norms, rope on a quarter of each head; the 12B model has parallel blocks and q and k norms per head.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/tensor/arrangement.h"

namespace minerva::model {

namespace {

// Joins the per-head norms, which the file stores as one tensor each.
Result<NormWeights> joinedNorms(Reader& reader, int layer, const char* role, int heads, int headDim) {
  std::vector<TensorView> parts;
  for (int h = 0; h < heads; ++h) {
    const std::string stem = "model.layers.#.self_attn." + std::string(role) + "_layernorm.norms." + std::to_string(h);
    MINERVA_ASSIGN(const TensorView view, reader.tensor({"", stem}, layer, vectorShape(headDim)));
    if (!parts.empty() && view.type != parts.front().type)
      return fail(
          reader.invalid({"", "torch_dtype"}, "The norms of the heads differ in type", "one type", std::string(traits(view.type).name)));
    parts.push_back(view);
  }
  return NormWeights{joined(std::move(parts), matrixShape(heads, headDim)), {}};
}

Result<void> fillStablelm(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::optional;
  form.rope.defaultPartial = 0.25;
  MINERVA_ASSIGN(const auto parallel, reader.boolean({"use_parallel_residual", "use_parallel_residual"}));
  config.parallelBlocks = parallel.value_or(false);
  if (config.parallelBlocks && !reader.has(form.feedForwardNorm, 0)) form.feedForwardNorm = {};
  const bool ggufNorms = reader.isGguf() && reader.has(form.qNorm, 0);
  if (ggufNorms) form.headNorms = HeadNorms::own;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const auto headNorms, reader.boolean({"", "qk_layernorm"}));
  if (!headNorms.value_or(false)) return {};
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    MINERVA_ASSIGN(layer.qNorm.weights, joinedNorms(reader, static_cast<int>(i), "q", layer.headCount, layer.headDim));
    MINERVA_ASSIGN(layer.kNorm.weights, joinedNorms(reader, static_cast<int>(i), "k", layer.kvHeadCount, layer.headDim));
  }
  return {};
}

constexpr std::string_view stablelmNames[] = {"stablelm"};

}  // namespace

const Family stablelmFamily{"stablelm", stablelmNames, stablelmNames, fillStablelm};

}  // namespace minerva::model
