// Orion 14B: Llama's decoder with layer norms.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillOrion(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.epsilon = {"attention.layer_norm_epsilon", "rms_norm_eps"};  // config.json calls the layer norm's so
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  if (reader.json({"", "max_sequence_length"})) form.context.huggingFace = "max_sequence_length";
  return fillDecoder(reader, form, config);
}

constexpr std::string_view orionNames[] = {"orion"};

}  // namespace

const Family orionFamily{"orion", orionNames, orionNames, fillOrion};

}  // namespace minerva::model
