// Mistral: Llama's decoder with an optional sliding window. Most GGUF files of it call themselves "llama".
#include "core/model/families/family.h"
#include "core/model/families/llama.h"

namespace minerva::model {

namespace {

Result<void> fillMistral(Reader& reader, ModelConfig& config) {
  // Ministral 3 scales queries by their position, which this decoder does not do.
  MINERVA_ASSIGN(const auto temperature, reader.number({"attention.temperature_scale", ""}));
  if (temperature.value_or(0) == 0) return fillLlamaLike(reader, config);
  Error error = reader.invalid({"attention.temperature_scale", ""}, "Attention that is scaled by position is not supported", "none", std::to_string(*temperature));
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose a Mistral model without it, such as Mistral 7B or Mistral Small 3.";
  return fail(std::move(error));
}

constexpr std::string_view ggufNames[] = {"mistral3"};
constexpr std::string_view huggingFaceNames[] = {"mistral"};

}  // namespace

const Family mistralFamily{"mistral", ggufNames, huggingFaceNames, fillMistral};

}  // namespace minerva::model
