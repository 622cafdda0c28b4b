// Metadata keys of a converted folder, from its config: helpers for the families' rows (families.h).
#pragma once

#include "core/base/error.h"
#include "core/convert/gguf_writer.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::convert {

// The metadata of the file being written, and the sources it is derived from.
struct Keys {
  const nlohmann::json& config;     // config.json, with text_config merged in
  const model::ModelConfig& model;  // the same, validated and with defaults applied
  const format::ModelFile& file;
  GgufWriter& writer;
  std::string prefix;  // "llama."

  void set(std::string_view key, int value) { writer.set(prefix + std::string(key), static_cast<std::uint32_t>(value)); }
  void setFloat(std::string_view key, double value) { writer.set(prefix + std::string(key), static_cast<float>(value)); }
  void setFlag(std::string_view key, bool value) { writer.set(prefix + std::string(key), value); }
  void setFlags(std::string_view key, const std::vector<bool>& values) { writer.set(prefix + std::string(key), values); }
  void setText(std::string_view key, std::string_view value) { writer.set(prefix + std::string(key), value); }
  // One number if all are the same and no list is demanded, else a list.
  void setNumbers(std::string_view key, const std::vector<std::int32_t>& values, bool list = false);
  // nullopt if config.json has no such number.
  [[nodiscard]] std::optional<double> number(const char* key) const { return numberIn(config, key); }
  [[nodiscard]] static std::optional<double> numberIn(const nlohmann::json& object, const char* key);
  // The entry of a list of config.json for the first layer with this rope; nullopt if there is no such list.
  [[nodiscard]] std::optional<double> ofRope(const char* key, int rope) const;
  // rope_scaling or, since Transformers 5, rope_parameters; of models with several, that of the full layers. Null: none.
  [[nodiscard]] nlohmann::json ropeParameters() const;

  // The first layer for which this is true; null: none.
  template <class Test>
  [[nodiscard]] const model::LayerConfig* firstLayer(Test test) const {
    const auto found = std::ranges::find_if(model.layers, test);
    return found == model.layers.end() ? nullptr : &*found;
  }
  [[nodiscard]] const model::LayerConfig* firstMixture() const { return firstLayer(&model::LayerConfig::hasExperts); }
};

// How the family's readers understand rope keys.
struct RopeRules {
  double base = 10000;  // if config.json does not set one
  const char* baseKey = "rope_theta";
  double yarnLogFactor = 0.1;       // multiplies mscale_all_dim in rope.scaling.yarn_log_multiplier
  bool wholeYarnMagnitude = false;  // attn_factor is YaRN's whole magnitude, elsewhere what multiplies it
  const char* basesKey = nullptr;   // a list of bases by layer
  bool statesHead = false;          // rope.dimension_count is the size of a head; readers know which share is rotated
};

// Numbers that differ between layers are lists in any case. Otherwise one number stands for all layers, or a list has 0 for layers
// without attention, or also for those without a feed-forward; and a third has 0 query heads for layers without attention, unless a matrix
// is in its place.
enum class LayerLists { whereTheyDiffer, ofAttention, ofAttentionAndFeedForward, ofAllHeadsAndFeedForward };

// The model has experts from this layer on.
void addLeadingDense(Keys& keys);
void addSharedExpertSize(Keys& keys);
void addSharedExpertCount(Keys& keys);
// Scale and normalization of the experts' shares.
void addExpertWeights(Keys& keys);
void addExpertGroups(Keys& keys);
// That experts are scored by sigmoids.
void addSigmoids(Keys& keys);
// All of these except the size of the shared expert, and the groups: DeepSeek-V3 and what is like it.
Result<void> addBiasedExperts(Keys& keys);
void addWindowPattern(Keys& keys);
// The base of the layers with a window: rope_parameters.sliding_attention, else this key of config.json, else 10000.
void addSlidingRope(Keys& keys, const char* key);
// Granite's multipliers.
Result<void> addGraniteScales(Keys& keys);

[[nodiscard]] std::unexpected<Error> cannotBeStated(std::string what, std::string expected, std::string actual);

}  // namespace minerva::convert
