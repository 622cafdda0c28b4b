#include "core/convert/hugging_face_rope.h"

#include <cmath>
#include <numbers>

namespace minerva::convert {

namespace {

using Json = nlohmann::json;

std::string typeOf(const Json& scaling) {
  const char* key = scaling.contains("rope_type") ? "rope_type" : "type";
  return scaling.contains(key) && scaling[key].is_string() ? scaling[key].get<std::string>() : "default";
}

SourceTensor factorTensor(const char* name, std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {.name = name, .parts = {}, .shape = {.dims = {count, 1, 1, 1}, .rank = 1}, .values = std::move(values)};
}

// GGUF stores Llama 3 scaling as a tensor of frequency divisors: of `dimension`, and behind them 1 up to `stored`.
SourceTensor llama3Factors(const Json& scaling, double base, int dimension, int stored) {
  const double factor = Keys::numberIn(scaling, "factor").value_or(8), low = Keys::numberIn(scaling, "low_freq_factor").value_or(1);
  const double high = Keys::numberIn(scaling, "high_freq_factor").value_or(4);
  const double original = Keys::numberIn(scaling, "original_max_position_embeddings").value_or(8192);
  std::vector<float> values;
  for (int i = 0; i < dimension / 2; ++i) {
    const double turns = original * std::pow(base, -2.0 * i / dimension) / (2 * std::numbers::pi);
    double divisor = 1;
    if (turns < low) {
      divisor = factor;
    } else if (turns <= high) {
      const double kept = (turns - low) / (high - low);
      divisor = 1 / ((1 - kept) / factor + kept);
    }
    values.push_back(static_cast<float>(divisor));
  }
  values.resize(static_cast<std::size_t>(stored / 2), 1.0F);
  return factorTensor("rope_freqs.weight", std::move(values));
}

// LongRope has a short and a long set of divisors; ModelConfig has validated their presence and length.
void addLongRope(Keys& keys, const Json& scaling, const model::Rope& rope, std::vector<SourceTensor>& tensors) {
  keys.set("rope.scaling.original_context_length", rope.switchLength);
  keys.setFloat("rope.scaling.attn_factor", rope.magnitude);
  tensors.push_back(factorTensor("rope_factors_long.weight", scaling["long_factor"].get<std::vector<float>>()));
  tensors.push_back(factorTensor("rope_factors_short.weight", scaling["short_factor"].get<std::vector<float>>()));
}

// The rotated pairs of "proportional" ropes; GGUF says with an immense divisor that the others are not rotated.
SourceTensor proportionalFactors(const model::Rope& rope, double factor) {
  constexpr float never = 1e30F;
  std::vector<float> values;
  for (const float frequency : rope.frequencies) values.push_back(frequency > 0 ? static_cast<float>(factor) : never);
  return factorTensor("rope_freqs.weight", std::move(values));
}

void addYarn(Keys& keys, const RopeRules& rules, const Json& scaling, double factor) {
  const auto number = [&](const char* key) { return Keys::numberIn(scaling, key); };
  keys.set("rope.scaling.original_context_length",
           static_cast<int>(number("original_max_position_embeddings").value_or(keys.model.contextLength)));
  keys.setFloat("rope.scaling.yarn_beta_fast", number("beta_fast").value_or(32));
  keys.setFloat("rope.scaling.yarn_beta_slow", number("beta_slow").value_or(1));
  // DeepSeek-V2's mscale_all_dim times 0.1, the factor of the logarithm in YaRN; Mistral's as it is.
  if (const auto strength = number("mscale_all_dim"); strength && *strength > 0)
    keys.setFloat("rope.scaling.yarn_log_multiplier", rules.yarnLogFactor * *strength);
  // GGUF readers multiply attn_factor by YaRN's own 0.1 ln(factor) + 1, so divide that out.
  const double own = factor > 1 && !rules.wholeYarnMagnitude ? 0.1 * std::log(factor) + 1 : 1;
  if (const auto magnitude = number("attention_factor")) keys.setFloat("rope.scaling.attn_factor", *magnitude / own);
}

}  // namespace

Result<void> describeRope(Keys& keys, const Family& family, std::vector<SourceTensor>& tensors) {
  if (keys.model.ropes.empty()) return {};
  const model::Rope& rope = keys.model.ropes.front();
  const Json scaling = keys.ropeParameters();
  double base = keys.number(family.rope.baseKey).value_or(keys.number("rotary_emb_base").value_or(family.rope.base));
  if (scaling.is_object()) base = Keys::numberIn(scaling, "rope_theta").value_or(base);
  base *= keys.number("rope_ratio").value_or(1);  // ChatGLM's
  // HunYuan's context is extended by a larger base.
  const auto alpha = scaling.is_object() ? Keys::numberIn(scaling, "alpha") : std::nullopt;
  if (family.rope.basesKey != nullptr) base = keys.ofRope(family.rope.basesKey, 0).value_or(base);
  if (alpha && rope.dimension > 2) base *= std::pow(*alpha, rope.dimension / (rope.dimension - 2.0));
  const int headDim = family.rope.statesHead ? keys.model.layers.front().headDim : rope.dimension;
  keys.set("rope.dimension_count", headDim);
  keys.setFloat("rope.freq_base", base);
  if (alpha) keys.setText("rope.scaling.type", "none");
  if (!scaling.is_object()) return {};
  const std::string type = typeOf(scaling);
  const double factor = Keys::numberIn(scaling, "factor").value_or(1);
  // mrope: positions of images, no scaling.
  if (type == "default" || type == "none" || type == "dynamic" || type == "mrope") return {};
  if (type == "proportional") {
    tensors.push_back(proportionalFactors(rope, factor));
  } else if (type == "longrope" || type == "su") {
    addLongRope(keys, scaling, rope, tensors);
  } else if (type == "llama3") {
    tensors.push_back(llama3Factors(scaling, base, rope.dimension, headDim));
  } else if (type == "linear" || type == "yarn") {
    keys.setText("rope.scaling.type", type);
    keys.setFloat("rope.scaling.factor", factor);
    if (type == "yarn") addYarn(keys, family.rope, scaling, factor);
  } else {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This rope scaling cannot be stored in a GGUF file",
                 .where = {},
                 .expected = "linear, llama3, yarn or longrope",
                 .actual = type});
  }
  return {};
}

}  // namespace minerva::convert
