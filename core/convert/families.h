// Per-family conversion tables for Hugging Face folders: GGUF tensor names, and metadata keys specific to the family.
// Data only, applied by hugging_face_source.cpp. A new family is one row in families.cpp.
#pragma once

#include "core/base/error.h"
#include "core/convert/gguf_writer.h"
#include "core/model/model_config.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace minerva::convert {

// How one source tensor maps to one or two GGUF tensors.
enum class Form {
  asItIs,
  halves,        // per expert, the first half of the rows is `name`, the second half `second`
  alternating,   // per expert, rows alternate between `name` and `second`
  threePerHead,  // rows grouped per head as q, k, v are regrouped as all q, all k, all v
  latent,        // kv_b of latent attention: transposed keys become `name`, values `second`
};

// Names exclude ".weight" / ".bias" and, for layer tensors, the layer prefix.
struct Place {
  std::string_view folder, name;
  Form form = Form::asItIs;
  std::string_view second{};
};

// The metadata of the file being written, and the sources it is derived from.
struct Keys {
  const nlohmann::json& config;     // config.json, with text_config merged in
  const model::ModelConfig& model;  // the same, validated and with defaults applied
  GgufWriter& writer;
  std::string prefix;  // "llama."

  void set(std::string_view key, int value) { writer.set(prefix + std::string(key), static_cast<std::uint32_t>(value)); }
  void setFloat(std::string_view key, double value) { writer.set(prefix + std::string(key), static_cast<float>(value)); }
  void setFlag(std::string_view key, bool value) { writer.set(prefix + std::string(key), value); }
  void setText(std::string_view key, std::string_view value) { writer.set(prefix + std::string(key), value); }
  // nullopt if config.json has no such number.
  [[nodiscard]] std::optional<double> number(const char* key) const { return numberIn(config, key); }
  [[nodiscard]] static std::optional<double> numberIn(const nlohmann::json& object, const char* key);
};

struct Family {
  std::string_view modelType;     // config.json
  std::string_view architecture;  // general.architecture
  bool interleaved = false;       // permute q and k rows: GGUF's llama applies rope to adjacent pairs
  std::span<const Place> own{};   // overrides of placeOf's common names
  int transposedRank = 0;         // layer tensors of this rank are stored transposed: [inputs, outputs]
  bool appliesWindow = false;     // llama.cpp applies sliding_window for this family
  double ropeBase = 10000;        // if config.json does not set one
  Result<void> (*addKeys)(Keys& keys) = nullptr;
};

// Null if the model type is not in the table.
[[nodiscard]] const Family* findFamily(std::string_view modelType);
// "cohere, gemma, ...", for error messages.
[[nodiscard]] std::string convertibleFamilies();

// Null if GGUF has no counterpart.
[[nodiscard]] const Place* modelPlaceOf(std::string_view name);
[[nodiscard]] const Place* layerPlaceOf(const Family& family, std::string_view name);
// For experts stored one tensor each: the place of, for example, "down_proj".
[[nodiscard]] const Place* expertPlaceOf(std::string_view name);

}  // namespace minerva::convert
