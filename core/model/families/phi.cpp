// Phi 1, 1.5 and 2: parallel blocks with one shared layer norm, partial rope, biases.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillPhi(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.o.huggingFace = "model.layers.#.self_attn.dense";
  form.qNorm.huggingFace = "model.layers.#.self_attn.q_layernorm";
  form.kNorm.huggingFace = "model.layers.#.self_attn.k_layernorm";
  form.feedForwardNorm = {};
  form.up.huggingFace = "model.layers.#.mlp.fc1";
  form.down.huggingFace = "model.layers.#.mlp.fc2";
  form.outputNorm.huggingFace = "model.final_layernorm";
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.activation = Activation::geluTanh;
  form.gated = false;
  form.rope.defaultPartial = 0.5;
  MINERVA_ASSIGN(const auto headNorms, reader.boolean({"", "qk_layernorm"}));
  if (headNorms.value_or(false)) form.headNorms = HeadNorms::shared;
  config.parallelBlocks = true;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view phiGgufNames[] = {"phi2"};
constexpr std::string_view phiHuggingFaceNames[] = {"phi"};

}  // namespace

const Family phiFamily{"phi", phiGgufNames, phiHuggingFaceNames, fillPhi};

}  // namespace minerva::model
