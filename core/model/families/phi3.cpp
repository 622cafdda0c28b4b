// Phi 3, 3.5, 4 and 4-mini: q, k and v in one tensor, gate and up in another; LongRoPE in the long-context versions.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillPhi3(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.defaultEpsilon = 1e-5;
  form.ggufUpHoldsGate = true;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view phi3Names[] = {"phi3"};

}  // namespace

const Family phi3Family{"phi3", phi3Names, phi3Names, fillPhi3};

}  // namespace minerva::model
