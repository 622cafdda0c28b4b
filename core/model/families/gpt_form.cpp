#include "core/model/families/gpt_form.h"

namespace minerva::model {

Result<void> fillGptForm(const Reader& reader, DecoderForm& form) {
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_epsilon"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.gated = false;
  if (reader.isGguf()) return {};
  MINERVA_ASSIGN(const int hidden, reader.count(form.hidden, Limits::hidden));
  form.defaultFeedForward = 4 * hidden;
  return {};
}

}  // namespace minerva::model
