// K-EXAONE: norms of queries and keys, and experts chosen by biased sigmoids. Most layers have a sliding window; those without it are not
// rotated.
#include "core/model/families/deepseek.h"
#include "core/model/families/exaone.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

constexpr Key exaoneMixtures{"", "is_moe_layer"}, exaoneKinds{"", "mlp_layer_types"}, exaoneDense{"", "first_k_dense_replace"};

// Which layers are dense: by a list of the kinds, as Transformers has it, else by the list of published folders, else the first ones.
Result<void> readExaoneDenseLayers(const Reader& reader, int layers, ExpertForm& experts) {
  if (reader.isGguf()) return {};
  const nlohmann::json* mixtures = reader.json(exaoneMixtures);
  if (!reader.json(exaoneKinds) && !mixtures) {
    if (!reader.json(exaoneDense)) experts.firstDense = 1;
    return {};
  }
  experts.firstDense = 0;
  if (reader.json(exaoneKinds)) return {};
  const bool valid = mixtures->is_array() && mixtures->size() == static_cast<std::size_t>(layers) &&
                     std::ranges::all_of(*mixtures, [](const nlohmann::json& one) { return one.is_boolean(); });
  if (!valid) {
    return fail(reader.invalid(exaoneMixtures, "Which layers are mixtures of experts is not valid",
                               "a list of " + std::to_string(layers) + " of true and false",
                               mixtures->is_array() ? std::to_string(mixtures->size()) + " entries" : mixtures->type_name()));
  }
  for (int i = 0; i < layers; ++i)
    if (!(*mixtures)[static_cast<std::size_t>(i)].get<bool>()) experts.denseLayers.push_back(i);
  return {};
}

// Published folders name the selection bias otherwise than Transformers and MLX do.
Result<ExpertForm> exaoneExperts(const Reader& reader, int layers) {
  constexpr std::string_view publishedBias = "model.layers.#.mlp.e_score_correction_bias";
  MINERVA_ASSIGN(ExpertForm experts, biasedExperts(reader));
  experts.count.huggingFace = "num_experts";
  MINERVA_ASSIGN(experts.sharedSize, sharedExpertsSize(reader, {"expert_shared_count", "num_shared_experts"}, experts.feedForward));
  for (int i = 0; i < layers; ++i)
    if (reader.hasNamed(reader.nameOf(TensorName{"", publishedBias}, i, ""))) experts.selectionBias.huggingFace = publishedBias;
  MINERVA_TRY(readExaoneDenseLayers(reader, layers, experts));
  return experts;
}

Result<void> fillExaoneMoe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.headNorms = HeadNorms::shared;
  form.window = {};
  form.defaultEpsilon = 1e-5;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  MINERVA_ASSIGN(const ExpertForm experts, exaoneExperts(reader, layers));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readExaoneWindows(reader, config);
}

constexpr std::string_view exaoneMoeGgufNames[] = {"exaone-moe"};
constexpr std::string_view exaoneMoeHuggingFaceNames[] = {"exaone_moe"};

}  // namespace

const Family exaoneMoeFamily{"exaone-moe", exaoneMoeGgufNames, exaoneMoeHuggingFaceNames, fillExaoneMoe};

}  // namespace minerva::model
