// Maincoder: Llama's decoder, whose queries and keys are normalised after their rotation.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillMaincoder(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.headNorms = HeadNorms::shared;
  form.window = {};
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (LayerConfig& layer : config.layers) layer.normsRotated = true;
  return {};
}

constexpr std::string_view maincoderNames[] = {"maincoder"};

}  // namespace

const Family maincoderFamily{"maincoder", maincoderNames, maincoderNames, fillMaincoder};

}  // namespace minerva::model
