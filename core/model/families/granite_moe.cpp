// Granite 3 MoE, also with a shared expert beside the routed ones (GraniteMoeShared).
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/granite.h"

namespace minerva::model {

namespace {

Result<void> fillGraniteMoe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  constexpr Key sharedKey{"expert_shared_feed_forward_length", "shared_intermediate_size"};
  MINERVA_ASSIGN(const auto shared, reader.integer(sharedKey));
  int sharedSize = 0;
  if (shared.value_or(0) != 0) {
    MINERVA_ASSIGN(sharedSize, reader.count(sharedKey, Limits::feedForward));
  }
  const ExpertForm experts = graniteExperts(sharedSize);
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readGraniteScales(reader, config);
}

constexpr std::string_view graniteMoeGgufNames[] = {"granitemoe"};
constexpr std::string_view graniteMoeHuggingFaceNames[] = {"granitemoe", "granitemoeshared"};

}  // namespace

const Family graniteMoeFamily{"granite-moe", graniteMoeGgufNames, graniteMoeHuggingFaceNames, fillGraniteMoe};

}  // namespace minerva::model
