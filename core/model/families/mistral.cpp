// Mistral: Llama's decoder with an optional sliding window (Nemo and Small set an explicit head size); Ministral 3 also scales
// queries by their position. Most GGUF files of the older models declare themselves as "llama". Of the multimodal ones only the
// text part is read.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillMistral(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const QueryTemperature temperature, readQueryTemperature(reader));
  for (LayerConfig& layer : config.layers) layer.temperature = temperature;
  return {};
}

constexpr std::string_view mistralGgufNames[] = {"mistral3"};
constexpr std::string_view mistralHuggingFaceNames[] = {"mistral", "mistral3", "ministral3"};

}  // namespace

const Family mistralFamily{"mistral", mistralGgufNames, mistralHuggingFaceNames, fillMistral};

}  // namespace minerva::model
