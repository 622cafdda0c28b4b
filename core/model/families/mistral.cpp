// Mistral: Llama's decoder with an optional sliding window (Nemo and Small set an explicit head size). Most of its GGUF
// files declare themselves as "llama". Of the multimodal Mistral Small 3.1 only the text part is read.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillMistral(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.rope.ggufLayout = RopeLayout::interleaved;
  // Ministral 3 scales queries by position, which is not implemented.
  MINERVA_ASSIGN(const auto temperature, reader.number({"attention.temperature_scale", ""}));
  if (temperature.value_or(0) == 0) return fillDecoder(reader, form, config);
  Error error = reader.invalid({"attention.temperature_scale", ""}, "Attention that is scaled by position is not supported", "none",
                               std::to_string(*temperature));
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose a Mistral model without it, such as Mistral 7B or Mistral Small 3.";
  return fail(std::move(error));
}

constexpr std::string_view mistralGgufNames[] = {"mistral3"};
constexpr std::string_view mistralHuggingFaceNames[] = {"mistral", "mistral3"};

}  // namespace

const Family mistralFamily{"mistral", mistralGgufNames, mistralHuggingFaceNames, fillMistral};

}  // namespace minerva::model
