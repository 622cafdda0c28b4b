#include "core/model/families/decoder_values.h"

#include <algorithm>

namespace minerva::model {

namespace {

// GGUF's list of which layers have a window; null if there is none.
const format::MetadataArray* storedPattern(const Reader& reader, Key key) {
  const auto& entries = reader.file().metadata().entries();
  const auto entry = reader.isGguf() ? entries.find(reader.nameOf(key)) : entries.end();
  return entry == entries.end() ? nullptr : std::get_if<format::MetadataArray>(&entry->second.value);
}

// Folders that Transformers saved earlier have other names for two kinds.
std::string_view presentName(std::string_view kind) {
  if (kind == "mamba") return "linear_attention";
  return kind == "attention" ? "full_attention" : kind;
}

}  // namespace

Error unsupported(Error error) {
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another model, or a version of this one without it.";
  return error;
}

Result<std::vector<int>> layerKinds(const Reader& reader, std::string_view keyName, int layers, std::span<const std::string_view> kinds) {
  const Key key{"", keyName};
  std::vector<int> found;
  const nlohmann::json* types = reader.json(key);
  if (!types) return found;
  // The list may go on for layers that only predict further tokens.
  MINERVA_ASSIGN(const auto predicting, reader.integer({"", "num_nextn_predict_layers"}));
  const auto wanted = static_cast<std::size_t>(layers),
             most = wanted + static_cast<std::size_t>(std::max<std::int64_t>(0, predicting.value_or(0)));
  if (!types->is_array() || types->size() < wanted || (types->size() != wanted && types->size() != most)) {
    return fail(reader.invalid(key, "The layer types are not valid", "a list of " + std::to_string(layers),
                               types->is_array() ? std::to_string(types->size()) + " entries" : types->type_name()));
  }
  for (std::size_t i = 0; i < wanted; ++i) {
    const nlohmann::json& type = (*types)[i];
    const auto kind = std::ranges::find(kinds, type.is_string() ? presentName(type.get_ref<const std::string&>()) : std::string_view());
    if (kind == kinds.end()) {
      std::string known;
      for (const std::string_view name : kinds) known += (known.empty() ? "" : " or ") + std::string(name);
      return fail(unsupported(reader.invalid(key, "A layer type is not supported", known,
                                             type.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80))));
    }
    found.push_back(static_cast<int>(kind - kinds.begin()));
  }
  return found;
}

Result<Activation> readActivation(const Reader& reader, Key key, Activation otherwise) {
  MINERVA_ASSIGN(const auto name, reader.string(key));
  if (!name) return otherwise;
  if (*name == "silu" || *name == "swish") return Activation::silu;
  if (*name == "relu") return Activation::relu;
  if (*name == "relu2") return Activation::reluSquared;
  if (*name == "gelu") return Activation::geluErf;
  if (*name == "gelu_new" || *name == "gelu_pytorch_tanh" || *name == "gelu_fast") return Activation::geluTanh;
  return fail(unsupported(
      reader.invalid(key, "This activation is not supported", "silu, relu, relu2, gelu, gelu_new, gelu_fast or gelu_pytorch_tanh", *name)));
}

Result<std::vector<bool>> slidingLayers(const Reader& reader, int layers, int pattern) {
  const Key key{"attention.sliding_window_pattern", ""};
  std::vector<bool> sliding;
  if (const format::MetadataArray* list = storedPattern(reader, key)) {
    if (list->type != format::MetadataType::boolean || list->count < static_cast<std::size_t>(layers)) {
      return fail(reader.invalid(key, "The layer types are not valid", "a list of " + std::to_string(layers),
                                 std::to_string(list->count) + " entries"));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) sliding.push_back(list->bytes[i] != std::byte{0});
    return sliding;
  }
  constexpr std::string_view kinds[] = {"sliding_attention", "full_attention"};
  MINERVA_ASSIGN(const std::vector<int> stated, layerKinds(reader, "layer_types", layers, kinds));
  for (int i = 0; i < layers; ++i) {
    sliding.push_back(stated.empty() ? pattern <= 0 || (i + 1) % pattern != 0 : stated[static_cast<std::size_t>(i)] == 0);
  }
  return sliding;
}

Result<void> refuseIfSet(const Reader& reader, std::string_view keyName, const char* meaning) {
  const Key key{"", keyName};
  const nlohmann::json* value = reader.json(key);
  if (!value || *value == false || *value == 0 || (value->is_structured() && value->empty())) return {};
  return fail(unsupported(reader.invalid(key, std::string(meaning) + " is not supported", "none",
                                         value->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80))));
}

}  // namespace minerva::model
