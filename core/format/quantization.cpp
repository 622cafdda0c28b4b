#include "core/format/quantization.h"

#include "core/format/readable.h"
#include "core/format/text_config.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace minerva::format {

namespace {

using Json = nlohmann::json;

// Combinations MLX supports; the first row of each mode is its default.
struct MlxRow {
  MlxMode mode;
  int bits, group;
};
constexpr MlxRow mlxRows[] = {
    {MlxMode::affine, 4, 64},  {MlxMode::affine, 4, 32},  {MlxMode::affine, 4, 128}, {MlxMode::affine, 2, 32},  {MlxMode::affine, 2, 64},
    {MlxMode::affine, 2, 128}, {MlxMode::affine, 3, 32},  {MlxMode::affine, 3, 64},  {MlxMode::affine, 3, 128}, {MlxMode::affine, 5, 32},
    {MlxMode::affine, 5, 64},  {MlxMode::affine, 5, 128}, {MlxMode::affine, 6, 32},  {MlxMode::affine, 6, 64},  {MlxMode::affine, 6, 128},
    {MlxMode::affine, 8, 32},  {MlxMode::affine, 8, 64},  {MlxMode::affine, 8, 128}, {MlxMode::mxfp4, 4, 32},   {MlxMode::mxfp8, 8, 32},
    {MlxMode::nvfp4, 4, 16},
};
constexpr MlxMode mlxModes[] = {MlxMode::affine, MlxMode::mxfp4, MlxMode::mxfp8, MlxMode::nvfp4};
constexpr const char* otherHint = "Choose the GGUF, the MLX or the unquantized version of this model.";

const char* expectedOf(MlxMode mode) {
  switch (mode) {
    case MlxMode::affine: return "2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128";
    case MlxMode::mxfp4: return "4 bits in groups of 32 for mxfp4";
    case MlxMode::mxfp8: return "8 bits in groups of 32 for mxfp8";
    case MlxMode::nvfp4: return "4 bits in groups of 16 for nvfp4";
  }
  return "";
}

std::string shown(const Json& value) { return readable(value.dump(-1, ' ', false, Json::error_handler_t::replace)); }

const Json* entry(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::unexpected<Error> invalid(const std::string& where, std::string what, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::corrupt,
               .what = std::move(what),
               .where = where,
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "The model's files contradict each other; download them again."});
}

// where: "PATH, quantization" or "PATH, quantization, model.layers.0.mlp.down_proj".
class MlxReader {
 public:
  explicit MlxReader(std::string where) : m_where(std::move(where)) {}

  Result<Quantization> read(const Json& json) {
    if (!json.is_object())
      return invalid(m_where, "The MLX quantization is not an object", "{\"group_size\": ..., \"bits\": ...}", shown(json));
    for (const char* key : {"group_size", "bits"}) {
      if (!entry(json, key)) return invalid(m_where, "The MLX quantization lacks " + std::string(key), "group_size and bits", shown(json));
    }
    Quantization out(Quantization::Method::mlx);
    MINERVA_ASSIGN(out.mlx, readLayer(json, m_where));
    for (const auto& [key, value] : json.items()) MINERVA_TRY(readOverride(key, value, out));
    return out;
  }

 private:
  Result<void> readOverride(const std::string& key, const Json& value, Quantization& out) const {
    constexpr std::string_view own[] = {"group_size", "bits", "mode", "quant_method"};
    if (std::ranges::find(own, key) != std::end(own)) return {};
    if (value.is_object()) {
      MINERVA_ASSIGN(out.mlxLayers[key], readLayer(value, m_where + ", " + readable(key)));
    } else if (value.is_boolean()) {
      out.mlxLayers[key] = value.get<bool>() ? std::optional(out.mlx) : std::nullopt;
    } else {
      out.warnings.push_back(m_where + ": \"" + readable(key) + "\": " + shown(value) + " is not known and is ignored");
    }
    return {};
  }

  static Result<MlxLayer> readLayer(const Json& json, const std::string& where) {
    MINERVA_ASSIGN(const MlxMode mode, readMode(json, where));
    const auto* const defaults = std::ranges::find(mlxRows, mode, &MlxRow::mode);
    MlxLayer layer{mode, defaults->bits, defaults->group};
    MINERVA_ASSIGN(layer.bits, readNumber(json, "bits", layer.bits, where));
    MINERVA_ASSIGN(layer.group, readNumber(json, "group_size", layer.group, where));
    const bool known = std::ranges::any_of(
        mlxRows, [&](const MlxRow& row) { return row.mode == mode && row.bits == layer.bits && row.group == layer.group; });
    if (known) return layer;
    return invalid(where, "MLX has no such quantization", expectedOf(mode), toString(layer));
  }

  static Result<MlxMode> readMode(const Json& json, const std::string& where) {
    const Json* mode = entry(json, "mode");
    if (!mode) return MlxMode::affine;
    const auto found = std::ranges::find_if(mlxModes, [&](MlxMode known) { return *mode == name(known); });
    if (found != std::end(mlxModes)) return *found;
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This mode of MLX quantization is not known",
                 .where = where + ", mode",
                 .expected = "affine, mxfp4, mxfp8 or nvfp4",
                 .actual = shown(*mode),
                 .hint = otherHint});
  }

  static Result<int> readNumber(const Json& json, const char* key, int otherwise, const std::string& where) {
    const Json* value = entry(json, key);
    if (!value) return otherwise;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= 1024) return value->get<int>();
    return invalid(where + ", " + key, "A number in the MLX quantization is not valid", "a whole number of at least 1", shown(*value));
  }

  std::string m_where;
};

std::unexpected<Error> unsupportedMethod(const std::string& where, std::string actual) {
  return fail({.kind = ErrorKind::unsupported,
               .what = "This quantization of SafeTensors is not supported",
               .where = where,
               .expected = "mxfp4, fp8, gptq, awq, pack-quantized, or MLX",
               .actual = std::move(actual),
               .hint = otherHint});
}

Result<Quantization> readFp8(const Json& json, const std::string& where) {
  Quantization out(Quantization::Method::fp8);
  const Json* block = entry(json, "weight_block_size");
  if (!block) return out;
  const auto side = [](const Json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 && value.get<std::uint64_t>() <= 65536;
  };
  if (!block->is_array() || block->size() != 2 || !side((*block)[0]) || !side((*block)[1])) {
    return invalid(where + ", weight_block_size", "The block size of the FP8 weights is not valid", "two whole numbers", shown(*block));
  }
  out.blockRows = (*block)[0].get<std::int64_t>();
  out.blockColumns = (*block)[1].get<std::int64_t>();
  return out;
}

// compressed-tensors: 8-bit floats, one code an element. A naive format may hold integers as well, which the groups of layers say.
bool holdsFloats(const Json& json) {
  const Json* format = entry(json, "format");
  if (!format || (*format != "float-quantized" && *format != "naive-quantized")) return false;
  const Json* groups = entry(json, "config_groups");
  return !groups || std::ranges::all_of(*groups, [](const Json& group) {
    const Json* weights = group.is_object() ? entry(group, "weights") : nullptr;
    return weights && weights->is_object() && weights->value("type", Json()) == "float" && weights->value("num_bits", Json()) == 8;
  });
}

std::string stringAt(const Json& json, const char* key) {
  const Json* value = entry(json, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

// The method whose tensors the folder has, if they are in a form that this version reads.
std::optional<Quantization> readPackedIntegers(const std::string& method, const Json& json) {
  std::string as = method, form = stringAt(json, "checkpoint_format");
  if (form.empty()) form = stringAt(json, method == "awq" ? "version" : "format");
  if (method == "auto-round" || method == "intel/auto-round") {  // "auto_round:auto_gptq", "auto_round:auto_awq"
    const std::string packing = stringAt(json, "packing_format");
    as = packing.ends_with("gptq") ? "gptq" : packing.ends_with("awq") ? "awq" : "";
    form.clear();
  }
  std::ranges::transform(form, form.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (as == "awq" && (form.empty() || form == "gemm")) return Quantization(Quantization::Method::awq);
  if (as != "gptq" || (!form.empty() && form != "gptq" && form != "gptq_v2") || json.value("is_marlin_format", Json()) == true) return {};
  Quantization out(Quantization::Method::gptq);
  out.zerosAreLess = form != "gptq_v2";
  out.ordered = json.value("desc_act", Json()) == true;
  return out;
}

Result<Quantization> readPublished(const Json& json, const std::string& where) {
  const Json* method = json.is_object() ? entry(json, "quant_method") : nullptr;
  if (!json.is_object()) return unsupportedMethod(where, shown(json));
  if (!method && entry(json, "bits") && entry(json, "group_size")) return MlxReader(where).read(json);
  if (!method || !method->is_string()) return unsupportedMethod(where, shown(json));
  const auto& named = method->get_ref<const std::string&>();
  if (named == "mxfp4") return Quantization();
  if (named == "fp8" || named == "fbgemm_fp8") return readFp8(json, where);
  if (named == "compressed-tensors" && holdsFloats(json)) return Quantization(Quantization::Method::fp8);
  const Json* format = entry(json, "format");
  if (named == "compressed-tensors" && format && *format == "pack-quantized") return Quantization();  // told by its tensors
  if (auto columns = readPackedIntegers(named, json)) return *columns;
  const Json* algorithm = entry(json, "quant_algo");
  if (named == "modelopt" && algorithm && *algorithm == "FP8") return Quantization(Quantization::Method::fp8);
  std::string actual = "quant_method \"" + readable(named) + "\"";
  for (const char* key : {"format", "quant_algo", "checkpoint_format", "version", "packing_format"})
    if (const Json* more = entry(json, key)) actual += std::string(", ") + key + " " + shown(*more);
  return unsupportedMethod(where, actual);
}

}  // namespace

const char* name(MlxMode mode) {
  switch (mode) {
    case MlxMode::affine: return "affine";
    case MlxMode::mxfp4: return "mxfp4";
    case MlxMode::mxfp8: return "mxfp8";
    case MlxMode::nvfp4: return "nvfp4";
  }
  return "unknown";
}

std::string toString(const MlxLayer& layer) {
  return std::to_string(layer.bits) + " bits in groups of " + std::to_string(layer.group) + ", " + name(layer.mode);
}

std::optional<MlxLayer> Quantization::mlxLayer(std::string_view layer) const {
  const auto own = mlxLayers.find(layer);
  return own == mlxLayers.end() ? std::optional(mlx) : own->second;
}

Result<Quantization> readQuantization(const Json& config, const std::string& where) {
  if (!config.is_object()) return Quantization();
  if (const Json* mlx = entry(config, "quantization")) return MlxReader(where + ", quantization").read(*mlx);
  for (const char* key : {"quantization_config", "compression_config"})  // the latter of older compressed-tensors
    if (const Json* published = entry(config, key)) return readPublished(*published, where + ", " + key);
  std::string path = where;
  if (const Json* text = textConfigOf(config, &path)) return readQuantization(*text, path);
  return Quantization();
}

}  // namespace minerva::format
