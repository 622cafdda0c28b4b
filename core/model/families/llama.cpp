// Llama 1 to 3.x and models with the same architecture: TinyLlama, SmolLM, Falcon 3, Yi, DeepSeek's distilled models.
// Mixtral's GGUF files declare themselves as "llama" too.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillLlama(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.rope.ggufLayout = RopeLayout::interleaved;
  ExpertForm experts;
  experts.feedForward = {"feed_forward_length", ""};
  MINERVA_ASSIGN(const auto count, reader.integer({"expert_count", ""}));
  if (count.value_or(0) > 0) form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view llamaGgufNames[] = {"llama"};
constexpr std::string_view llamaHuggingFaceNames[] = {"llama"};

}  // namespace

const Family llamaFamily{"llama", llamaGgufNames, llamaHuggingFaceNames, fillLlama};

}  // namespace minerva::model
