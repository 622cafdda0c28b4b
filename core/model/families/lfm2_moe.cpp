// LFM2 with a mixture of experts behind its first layers.
#include "core/model/families/family.h"
#include "core/model/families/lfm2.h"

#include <algorithm>

namespace minerva::model {

namespace {

Result<void> fillLfm2Moe(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(DecoderForm form, lfm2Form(reader));
  ExpertForm experts;
  experts.scoring = Scoring::sigmoid;
  experts.selection = Reader::Bias::optional;
  experts.selectionBias.huggingFace = "model.layers.#.feed_forward.expert_bias";
  experts.router.huggingFace = "model.layers.#.feed_forward.gate";
  experts.stacked = "model.layers.#.feed_forward.switch_mlp.";
  experts.gate = "model.layers.#.feed_forward.experts.@.w1";
  experts.up = "model.layers.#.feed_forward.experts.@.w3";
  experts.down = "model.layers.#.feed_forward.experts.@.w2";
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(true);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "routed_scaling_factor"}, 1e6, 1.0));
  MINERVA_ASSIGN(const auto dense, reader.integer({"leading_dense_block_count", "num_dense_layers"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(dense.value_or(0), 0, Limits::layers));
  form.experts = &experts;
  return fillLfm2Layers(reader, form, config);
}

constexpr std::string_view lfm2MoeGgufNames[] = {"lfm2moe"};
constexpr std::string_view lfm2MoeHuggingFaceNames[] = {"lfm2_moe"};

}  // namespace

const Family lfm2MoeFamily{"lfm2-moe", lfm2MoeGgufNames, lfm2MoeHuggingFaceNames, fillLfm2Moe};

}  // namespace minerva::model
