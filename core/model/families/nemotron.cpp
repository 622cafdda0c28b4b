// Nemotron 3 and 4 (dense), Minitron, Nemotron Mini: layer norms, rope on half of each head, a feed-forward without a gate but with the
// square of a ReLU. SafeTensors and MLX files store the norms' weights less 1.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillNemotron(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.epsilon = {"attention.layer_norm_epsilon", "norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.activation = Activation::reluSquared;
  form.gated = false;
  form.rope.defaultPartial = 0.5;
  if (!reader.isGguf()) config.normPlus = 1;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view nemotronNames[] = {"nemotron"};

}  // namespace

const Family nemotronFamily{"nemotron", nemotronNames, nemotronNames, fillNemotron};

}  // namespace minerva::model
