// What converters know of each family of Hugging Face folders: the names its tensors get in GGUF, and the keys only it
// has. Data only; hugging_face_source.cpp reads it. A new family: one row in families.cpp.
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

// How one tensor becomes one or two of GGUF.
enum class Form {
  asItIs,
  halves,        // of each expert the upper rows are `name`, the lower `second`
  alternating,   // of each expert the rows are in turn `name` and `second`
  threePerHead,  // q, k and v of each head together become all q, all k, all v
  latent,        // keys and values of latent attention: keys transposed are `name`, values `second`
};

// Names without ".weight" / ".bias"; those of a layer without the layer.
struct Place {
  std::string_view folder, name;
  Form form = Form::asItIs;
  std::string_view second{};
};

// The keys of one file and what they are made from.
struct Keys {
  const nlohmann::json& config;     // config.json, its text_config included
  const model::ModelConfig& model;  // the same, checked and with its defaults
  GgufWriter& writer;
  std::string prefix;  // "llama."

  void set(std::string_view key, int value) { writer.set(prefix + std::string(key), static_cast<std::uint32_t>(value)); }
  void setFloat(std::string_view key, double value) { writer.set(prefix + std::string(key), static_cast<float>(value)); }
  void setFlag(std::string_view key, bool value) { writer.set(prefix + std::string(key), value); }
  void setText(std::string_view key, std::string_view value) { writer.set(prefix + std::string(key), value); }
  // Null where config.json has no such number.
  [[nodiscard]] std::optional<double> number(const char* key) const { return numberIn(config, key); }
  [[nodiscard]] static std::optional<double> numberIn(const nlohmann::json& object, const char* key);
};

struct Family {
  std::string_view modelType;     // config.json
  std::string_view architecture;  // general.architecture
  bool interleaved = false;       // q and k rows are written in pairs (GGUF's llama rotates neighbours)
  std::span<const Place> own{};   // where it differs from placeOf's common names
  int transposedRank = 0;         // tensors of a layer with so many dimensions are stored [inputs, outputs]
  bool appliesWindow = false;     // llama.cpp does
  double ropeBase = 10000;        // where config.json is silent
  Result<void> (*addKeys)(Keys& keys) = nullptr;
};

// Null when there is none of this name.
[[nodiscard]] const Family* findFamily(std::string_view modelType);
// "cohere, gemma, ...", for messages.
[[nodiscard]] std::string convertibleFamilies();

// Null where GGUF has no name for it.
[[nodiscard]] const Place* modelPlaceOf(std::string_view name);
[[nodiscard]] const Place* layerPlaceOf(const Family& family, std::string_view name);
// Of a matrix that is a tensor of its own for each expert: "down_proj".
[[nodiscard]] const Place* expertPlaceOf(std::string_view name);

}  // namespace minerva::convert
