// Llama 1 to 3.x and models with the same architecture: TinyLlama, SmolLM, Falcon 3, InternLM 3, XVERSE, Yi, DeepSeek's distilled
// models. In both directions for vectors of texts: llama-embed-nemotron. Mixtral's GGUF files declare themselves as "llama" too.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

namespace minerva::model {

namespace {

Result<void> fillLlama(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.rope.ggufLayout = RopeLayout::interleaved;
  ExpertForm experts;
  experts.feedForward = {"feed_forward_length", ""};
  MINERVA_ASSIGN(const auto count, reader.integer({"expert_count", ""}));
  if (count.value_or(0) > 0) form.experts = &experts;
  const bool embeds = reader.architecture() == "llama-embed" || reader.architecture() == "llama_bidirec";
  if (embeds) poolAnyway(config);
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (LayerConfig& layer : config.layers) layer.visible.bidirectional = embeds;
  return {};
}

constexpr std::string_view llamaGgufNames[] = {"llama", "llama-embed", "xverse"};
constexpr std::string_view llamaHuggingFaceNames[] = {"llama", "llama_bidirec", "internlm3", "xverse"};

}  // namespace

const Family llamaFamily{"llama", llamaGgufNames, llamaHuggingFaceNames, fillLlama};

}  // namespace minerva::model
