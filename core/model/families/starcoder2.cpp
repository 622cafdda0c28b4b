// StarCoder 2: layer norms and biases everywhere, an ungated feed-forward.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillStarcoder2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.up.huggingFace = "model.layers.#.mlp.c_fc";
  form.down.huggingFace = "model.layers.#.mlp.c_proj";
  form.epsilon = {"attention.layer_norm_epsilon", "norm_epsilon"};
  form.defaultEpsilon = 1e-5;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.activation = Activation::geluTanh;
  form.gated = false;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view starcoder2Names[] = {"starcoder2"};

}  // namespace

const Family starcoder2Family{"starcoder2", starcoder2Names, starcoder2Names, fillStarcoder2};

}  // namespace minerva::model
