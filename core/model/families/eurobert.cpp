// EuroBERT: Llama in both directions.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

namespace minerva::model {

namespace {

Result<void> fillEuroBert(Reader& reader, ModelConfig& config) {
  MINERVA_TRY(refuseRanking(reader));
  poolAnyway(config);
  DecoderForm form;
  form.defaultEpsilon = 1e-5;
  form.window = {};
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (LayerConfig& layer : config.layers) layer.visible.bidirectional = true;
  return {};
}

constexpr std::string_view euroBertNames[] = {"eurobert"};

}  // namespace

const Family euroBertFamily{"eurobert", euroBertNames, euroBertNames, fillEuroBert};

}  // namespace minerva::model
