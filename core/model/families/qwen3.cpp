// Qwen 3: no biases; q and k are normalised per head. Of Qwen 3 VL, the text model (see qwen2.cpp).
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/qwen.h"

namespace minerva::model {

namespace {

Result<void> fillQwen3(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.headNorms = HeadNorms::shared;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readQwenWindows(reader, config);
}

constexpr std::string_view qwen3GgufNames[] = {"qwen3", "qwen3vl"};
constexpr std::string_view qwen3HuggingFaceNames[] = {"qwen3", "qwen3_vl"};

}  // namespace

const Family qwen3Family{"qwen3", qwen3GgufNames, qwen3HuggingFaceNames, fillQwen3};

}  // namespace minerva::model
