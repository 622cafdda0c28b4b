// Command-R and R+ (R+ has q and k norms with separate weights per head).
#include "core/model/families/cohere.h"

#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillCohere(Reader& reader, ModelConfig& config) {
  DecoderForm form = cohereForm();
  MINERVA_ASSIGN(const auto headNorms, reader.boolean({"", "use_qk_norm"}));
  if (headNorms.value_or(false) || (reader.isGguf() && reader.has(form.qNorm, 0))) form.headNorms = HeadNorms::own;
  return fillCohereLike(reader, form, config);
}

constexpr std::string_view cohereGgufNames[] = {"command-r"};
constexpr std::string_view cohereHuggingFaceNames[] = {"cohere"};

}  // namespace

DecoderForm cohereForm() {
  DecoderForm form;
  form.feedForwardNorm = {};
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.norm = NormKind::layer;
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  return form;
}

Result<void> fillCohereLike(Reader& reader, const DecoderForm& form, ModelConfig& config) {
  config.parallelBlocks = true;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const double scale, reader.positive({"logit_scale", "logit_scale"}, 1e6, 0.0625));
  config.logitScale = static_cast<float>(scale);
  return {};
}

const Family cohereFamily{"command-r", cohereGgufNames, cohereHuggingFaceNames, fillCohere};

}  // namespace minerva::model
