// Command A+ and North Mini (Cohere): Command-R7B's layers, which read the same norm for attention and feed-forward, with mixtures of
// experts and a shared expert whose result and theirs are averaged. The first layers may be dense; those are rotated though they have no
// window.
#include "core/model/families/cohere.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

Result<void> readDenseOfCohere(const Reader& reader, ExpertForm& experts) {
  MINERVA_TRY(readDenseLayers(reader, experts));
  if (reader.json({"", "mlp_layer_types"})) return {};
  MINERVA_ASSIGN(const auto stated, reader.integer({"leading_dense_block_count", "first_k_dense_replace"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(stated.value_or(0), 0, Limits::layers));
  return {};
}

Result<ExpertForm> cohereExperts(const Reader& reader) {
  ExpertForm experts;
  experts.feedForward.huggingFace = "intermediate_size";
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
  const char* scoringKey = reader.json({"", "expert_selection_fn"}) ? "expert_selection_fn" : "moe_gate_act";
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, scoringKey, reader.isGguf() ? Scoring::sigmoid : Scoring::softmax));
  // A softmax is one of the chosen experts alone.
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(!reader.isGguf()) || (!reader.isGguf() && experts.scoring == Scoring::softmax);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", ""}, 1e6, 1.0));
  const char* countKey = reader.json({"", "num_shared_experts"}) ? "num_shared_experts" : "moe_num_shared_experts";
  MINERVA_ASSIGN(experts.sharedSize, sharedExpertsSize(reader, {"expert_shared_count", countKey}, experts.feedForward));
  MINERVA_TRY(readDenseOfCohere(reader, experts));
  return experts;
}

// Whether the result of a mixture is the mean of the routed experts' and the shared one's. GGUF has no key for another way.
Result<bool> areAveraged(const Reader& reader, const ExpertForm& experts) {
  constexpr Key key{"", "shared_expert_combination_strategy"};
  MINERVA_ASSIGN(const auto stated, reader.string(key));
  const std::string way = stated.value_or("average");
  if (way == "average" || way == "sum") return way == "average" && experts.sharedSize > 0;
  Error error = reader.invalid(key, "This combination with the shared expert is not supported", "average or sum", way);
  error.kind = ErrorKind::unsupported;
  return fail(std::move(error));
}

Result<void> readLayersOfCohere(Reader& reader, const ExpertForm& experts, ModelConfig& config) {
  MINERVA_ASSIGN(const bool averaged, areAveraged(reader, experts));
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context, 4096));
  MINERVA_ASSIGN(const int pattern, reader.count({"", "sliding_window_pattern"}, Limits::layers, 4));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), pattern));
  MINERVA_ASSIGN(const int densePattern, reader.count({"", "prefix_dense_sliding_window_pattern"}, Limits::layers, 1));
  const bool listed = reader.isGguf() || reader.json({"", "layer_types"});
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    const int number = static_cast<int>(i);
    const bool dense = !isMixture(experts, number);
    // Without a list the first mixture begins the pattern anew.
    const bool byPattern = dense ? (number + 1) % densePattern != 0 : (number - experts.firstDense + 1) % pattern != 0;
    const bool slides = listed ? sliding[i] : byPattern;
    layer.visible.window = slides ? window : 0;
    if (!slides && !(dense && densePattern == 1)) layer.rope = -1;
    if (averaged && !dense) layer.feedForwardResultScale = 0.5F;
  }
  return {};
}

Result<void> fillCohere2Moe(Reader& reader, ModelConfig& config) {
  DecoderForm form = cohereForm();
  constexpr Key rms{"attention.layer_norm_rms_epsilon", "rms_norm_eps"};
  MINERVA_ASSIGN(const auto stated, reader.number(rms));
  if (stated.value_or(0) > 0) {
    form.norm = NormKind::rms;
    form.epsilon = rms;
  }
  if (!reader.isGguf() && reader.json({"", "prefix_dense_intermediate_size"}))
    form.feedForward.huggingFace = "prefix_dense_intermediate_size";
  MINERVA_ASSIGN(const ExpertForm experts, cohereExperts(reader));
  form.experts = &experts;
  MINERVA_TRY(fillCohereLike(reader, form, config));
  return readLayersOfCohere(reader, experts, config);
}

constexpr std::string_view cohere2MoeGgufNames[] = {"cohere2moe"};
constexpr std::string_view cohere2MoeHuggingFaceNames[] = {"cohere2_moe"};

}  // namespace

const Family cohere2MoeFamily{"command-a-plus", cohere2MoeGgufNames, cohere2MoeHuggingFaceNames, fillCohere2Moe};

}  // namespace minerva::model
