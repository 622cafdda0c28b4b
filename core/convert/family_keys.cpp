#include "core/convert/family_keys.h"

#include <utility>

namespace minerva::convert {

void Keys::setNumbers(std::string_view key, const std::vector<std::int32_t>& values, bool list) {
  const bool same = std::ranges::all_of(values, [&](std::int32_t value) { return value == values.front(); });
  if (same && !list) return set(key, values.empty() ? 0 : values.front());
  writer.set(prefix + std::string(key), std::span<const std::int32_t>(values));
}

std::optional<double> Keys::numberIn(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_number() ? std::nullopt : std::optional(found->get<double>());
}

std::optional<double> Keys::ofRope(const char* key, int rope) const {
  const auto list = config.find(key);
  if (list == config.end() || !list->is_array()) return std::nullopt;
  for (std::size_t i = 0; i < std::min(list->size(), model.layers.size()); ++i) {
    if (model.layers[i].rope == rope && (*list)[i].is_number()) return (*list)[i].get<double>();
  }
  return std::nullopt;
}

nlohmann::json Keys::ropeParameters() const {
  nlohmann::json parameters;
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    if (config.contains(name) && config[name].is_object()) parameters = config[name];
  }
  return parameters.is_object() && parameters.contains("full_attention") ? parameters["full_attention"] : parameters;
}

void addLeadingDense(Keys& keys) {
  const auto mixture = std::ranges::find_if(keys.model.layers, &model::LayerConfig::hasExperts);
  keys.set("leading_dense_block_count", static_cast<int>(mixture - keys.model.layers.begin()));
}

void addSharedExpertSize(Keys& keys) {
  const model::LayerConfig* mixture = keys.firstMixture();
  if (mixture && mixture->experts.sharedSize > 0) keys.set("expert_shared_feed_forward_length", mixture->experts.sharedSize);
}

void addSharedExpertCount(Keys& keys) {
  if (const model::LayerConfig* mixture = keys.firstMixture())
    keys.set("expert_shared_count", mixture->experts.sharedSize / mixture->experts.feedForwardSize);
}

void addExpertWeights(Keys& keys) {
  const model::LayerConfig* mixture = keys.firstMixture();
  if (!mixture) return;
  keys.setFloat("expert_weights_scale", mixture->experts.scale);
  keys.setFlag("expert_weights_norm", mixture->experts.normalised);
}

void addExpertGroups(Keys& keys) {
  const model::LayerConfig* mixture = keys.firstMixture();
  if (!mixture) return;
  keys.set("expert_group_count", mixture->experts.groups);
  keys.set("expert_group_used_count", mixture->experts.groupsUsed);
}

void addSigmoids(Keys& keys) {
  constexpr int softmax = 1, sigmoid = 2;
  if (const model::LayerConfig* mixture = keys.firstMixture())
    keys.set("expert_gating_func", mixture->experts.scoring == model::Scoring::sigmoid ? sigmoid : softmax);
}

Result<void> addBiasedExperts(Keys& keys) {
  const model::LayerConfig* mixture = keys.firstMixture();
  addLeadingDense(keys);
  if (!mixture) return {};
  addExpertGroups(keys);
  addSigmoids(keys);
  addSharedExpertCount(keys);
  addExpertWeights(keys);
  return {};
}

void addWindowPattern(Keys& keys) {
  std::vector<bool> sliding;
  for (const model::LayerConfig& layer : keys.model.layers) sliding.push_back(layer.visible.window > 0);
  if (std::ranges::find(sliding, true) != sliding.end()) keys.setFlags("attention.sliding_window_pattern", sliding);
}

void addSlidingRope(Keys& keys, const char* key) {
  double base = keys.number(key).value_or(10000);
  const auto parameters = keys.config.find("rope_parameters");
  if (parameters != keys.config.end() && parameters->is_object() && parameters->contains("sliding_attention")) {
    base = Keys::numberIn((*parameters)["sliding_attention"], "rope_theta").value_or(base);
  }
  keys.setFloat("rope.freq_base_swa", base);
}

Result<void> addGraniteScales(Keys& keys) {
  constexpr std::pair<const char*, const char*> names[] = {{"embedding_multiplier", "embedding_scale"},
                                                           {"residual_multiplier", "residual_scale"},
                                                           {"logits_scaling", "logit_scale"},
                                                           {"attention_multiplier", "attention.scale"}};
  for (const auto& [config, gguf] : names) {
    if (const auto value = keys.number(config)) keys.setFloat(gguf, *value);
  }
  return {};
}

std::unexpected<Error> cannotBeStated(std::string what, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = std::move(what),
               .where = {},
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "Use the model as it is; Minerva runs its folder."});
}

}  // namespace minerva::convert
