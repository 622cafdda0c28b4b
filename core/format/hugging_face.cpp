#include "core/format/hugging_face.h"

#include "core/format/json_reader.h"
#include "core/format/readable.h"
#include "core/format/safetensors.h"

#include <algorithm>
#include <set>

namespace minerva::format {

namespace {

using Json = nlohmann::json;
using Path = std::filesystem::path;

constexpr const char* indexName = "model.safetensors.index.json";
constexpr const char* singleName = "model.safetensors";

bool isThere(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class FolderReader {
 public:
  FolderReader(Path folder, ModelFileBuilder& builder) : m_folder(std::move(folder)), m_builder(builder) {}

  Result<void> readCompanions();
  Result<void> refuseQuantized() const;
  Result<void> readWeights(const Path& named);

 private:
  Result<Json> readObject(const char* name) const;
  Result<std::string_view> mapText(const char* name);
  Result<void> readTemplate();
  Result<void> readIndexed(const Json& index);
  Result<void> readShard(const Path& path, const std::map<std::string, std::string>* wanted);
  Result<void> addTensor(const SafeTensor& tensor, const std::string& where);
  Result<Path> onlyWeightFile() const;

  Path m_folder;
  ModelFileBuilder& m_builder;
};

// Null where the file is absent.
Result<Json> FolderReader::readObject(const char* name) const {
  const Path path = m_folder / name;
  if (!isThere(path)) return Json();
  MINERVA_ASSIGN(const MappedFile map, MappedFile::open(path));
  MINERVA_ASSIGN(Json json, parseJson(textOf(map.bytes()), path.string()));
  if (json.is_object()) return json;
  return fail({.kind = ErrorKind::corrupt,
               .what = std::string(name) + " is not a JSON object",
               .where = path.string(),
               .expected = "an object",
               .actual = json.type_name()});
}

Result<std::string_view> FolderReader::mapText(const char* name) {
  const Path path = m_folder / name;
  if (!isThere(path)) return std::string_view();
  MINERVA_ASSIGN(MappedFile map, MappedFile::open(path));
  return textOf(m_builder.keep(std::move(map)));
}

Result<void> FolderReader::readTemplate() {
  HuggingFaceFiles& files = m_builder.huggingFace();
  MINERVA_ASSIGN(const std::string_view jinja, mapText("chat_template.jinja"));
  if (!jinja.empty()) {
    files.chatTemplate = jinja;
    return {};
  }
  const auto entry = files.tokenizerConfig.is_object() ? files.tokenizerConfig.find("chat_template") : files.tokenizerConfig.end();
  if (!files.tokenizerConfig.is_object() || entry == files.tokenizerConfig.end()) return {};
  if (entry->is_string()) files.chatTemplate = entry->get<std::string>();
  if (!entry->is_array()) return {};
  for (const Json& named : *entry) {
    if (!named.is_object()) continue;
    const auto name = named.find("name");
    const auto text = named.find("template");
    if (name != named.end() && text != named.end() && *name == "default" && text->is_string()) files.chatTemplate = text->get<std::string>();
  }
  return {};
}

Result<void> FolderReader::readCompanions() {
  HuggingFaceFiles& files = m_builder.huggingFace();
  MINERVA_ASSIGN(files.config, readObject("config.json"));
  MINERVA_ASSIGN(files.tokenizerConfig, readObject("tokenizer_config.json"));
  if (auto generation = readObject("generation_config.json")) files.generationConfig = std::move(*generation);
  else m_builder.warn("generation_config.json is ignored: " + generation.error().message());
  MINERVA_ASSIGN(files.tokenizerJson, mapText("tokenizer.json"));
  MINERVA_ASSIGN(files.tokenizerModel, mapText("tokenizer.model"));
  return readTemplate();
}

Result<void> FolderReader::refuseQuantized() const {
  const Json& config = m_builder.huggingFace().config;
  if (!config.is_object()) return {};
  const std::string where = (m_folder / "config.json").string();
  if (const auto mlx = config.find("quantization"); mlx != config.end() && !mlx->is_null()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "MLX quantization is not supported yet",
                 .where = where,
                 .expected = "SafeTensors with F32, F16 or BF16 weights, or GGUF",
                 .actual = "\"quantization\": " + readable(mlx->dump()),
                 .hint = "Choose the GGUF or the unquantized version of this model."});
  }
  if (const auto other = config.find("quantization_config"); other != config.end() && !other->is_null()) {
    const auto method = other->is_object() ? other->find("quant_method") : other->end();
    const bool named = other->is_object() && method != other->end() && method->is_string();
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This quantization of SafeTensors is not supported yet",
                 .where = where,
                 .expected = "SafeTensors with F32, F16 or BF16 weights, or GGUF",
                 .actual = named ? readable(method->get<std::string>()) : readable(other->dump()),
                 .hint = "Choose the GGUF or the unquantized version of this model."});
  }
  return {};
}

Result<Path> FolderReader::onlyWeightFile() const {
  if (isThere(m_folder / singleName)) return m_folder / singleName;
  std::vector<Path> found;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(m_folder, problem)) {
    if (entry.path().extension() == ".safetensors") found.push_back(entry.path());
  }
  if (found.size() == 1) return found.front();
  return fail({.kind = ErrorKind::notFound,
               .what = found.empty() ? "The folder holds no model weights" : "The folder holds several weight files and no index",
               .where = m_folder.string(),
               .expected = found.empty() ? "a .gguf file, model.safetensors or model.safetensors.index.json" : indexName,
               .actual = found.empty() ? "" : std::to_string(found.size()) + " .safetensors files",
               .hint = "Download the missing files of the model."});
}

Result<void> FolderReader::readWeights(const Path& named) {
  MINERVA_ASSIGN(const Json index, readObject(indexName));
  bool indexed = index.is_object();
  if (indexed && !named.empty()) {
    const auto map = index.find("weight_map");
    const std::string name = named.filename().string();
    indexed = map != index.end() && map->is_object() && std::ranges::any_of(*map, [&](const Json& shard) { return shard == name; });
  }
  if (indexed) return readIndexed(index);
  if (!named.empty()) return readShard(named, nullptr);
  MINERVA_ASSIGN(const Path only, onlyWeightFile());
  return readShard(only, nullptr);
}

Result<void> FolderReader::readIndexed(const Json& index) {
  const std::string where = (m_folder / indexName).string();
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object() || map->empty()) {
    return fail({.kind = ErrorKind::corrupt, .what = "The index names no tensors", .where = where, .expected = "a weight_map with an entry a tensor"});
  }
  std::map<std::string, std::string> shardOf;
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : map->items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : std::string();
    if (name.empty() || name == "." || name == ".." || name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos) {
      return fail({.kind = ErrorKind::corrupt,
                   .what = "The index gives tensor " + readable(tensor) + " a file outside the model's folder or none",
                   .where = where,
                   .expected = "the plain name of a file in the same folder",
                   .actual = readable(shard.dump(-1, ' ', false, Json::error_handler_t::replace))});
    }
    shardOf[tensor] = name;
    shards.insert(name);
  }
  for (const std::string& shard : shards) {
    if (!isThere(m_folder / shard)) {
      return fail({.kind = ErrorKind::notFound,
                   .what = "A part of the model is missing",
                   .where = (m_folder / shard).string(),
                   .expected = std::to_string(shards.size()) + " parts named by " + indexName,
                   .hint = "Download the missing file into the same folder."});
    }
    MINERVA_TRY(readShard(m_folder / shard, &shardOf));
  }
  for (const auto& [tensor, shard] : shardOf) {
    if (m_builder.has(tensor)) continue;
    return fail({.kind = ErrorKind::corrupt,
                 .what = "Tensor " + readable(tensor) + " is not in the part the index names",
                 .where = (m_folder / shard).string(),
                 .hint = "The parts belong to different versions of the model; download them again."});
  }
  return {};
}

// wanted: the index (tensor -> file); null: every tensor of the file.
Result<void> FolderReader::readShard(const Path& path, const std::map<std::string, std::string>* wanted) {
  const std::string where = path.string();
  MINERVA_ASSIGN(MappedFile map, MappedFile::open(path));
  const auto bytes = m_builder.keep(std::move(map));
  m_builder.countWeightBytes(bytes.size());
  MINERVA_ASSIGN(const SafeTensorsFile file, readSafeTensors(bytes, where));
  for (const std::string& warning : file.warnings) m_builder.warn(warning);
  for (const SafeTensor& tensor : file.tensors) {
    if (wanted) {
      const auto entry = wanted->find(tensor.name);
      if (entry == wanted->end() || entry->second != path.filename()) {
        m_builder.warn(where + ": tensor " + readable(tensor.name) + " is not in the index");
        continue;
      }
    }
    MINERVA_TRY(addTensor(tensor, where));
  }
  return {};
}

// Tables some checkpoints carry that no engine reads: they are computed.
bool isComputedBuffer(std::string_view name) {
  constexpr std::string_view endings[] = {"position_ids", "masked_bias", "attn.bias", "attention.bias", "inv_freq"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

Result<void> FolderReader::addTensor(const SafeTensor& tensor, const std::string& where) {
  const ElementTypeTraits* type = elementTypeOf(tensor);
  const std::string label = "Tensor " + readable(tensor.name);
  if (!type && !isComputedBuffer(tensor.name)) {
    const bool packed = tensor.dtype == "U32" && tensor.name.ends_with(".weight");
    return fail({.kind = ErrorKind::unsupported,
                 .what = packed ? label + " is packed as MLX packs quantized weights, which is not supported yet"
                                : label + " is stored in a type this version cannot read",
                 .where = where,
                 .expected = "F32, F16 or BF16",
                 .actual = tensor.dtype,
                 .hint = "Choose the GGUF or the unquantized version of this model."});
  }
  if (!type || tensor.shape.size() > 4 || tensor.bytes.empty()) {
    m_builder.warn(label + " is left out: " + tensor.dtype + ", " + std::to_string(tensor.shape.size()) + " dimensions");
    return {};
  }
  TensorView view{type->type, {}, tensor.bytes};
  view.shape.rank = static_cast<int>(std::max<std::size_t>(tensor.shape.size(), 1));  // a scalar becomes [1]
  std::ranges::copy(tensor.shape, view.shape.dims.begin());
  if (m_builder.add(tensor.name, view)) return {};
  return fail({.kind = ErrorKind::corrupt, .what = label + " is there twice", .where = where});
}

}  // namespace

Result<void> readHuggingFace(const Path& folder, const Path& weights, ModelFileBuilder& builder) {
  FolderReader reader(folder, builder);
  MINERVA_TRY(reader.readCompanions());
  MINERVA_TRY(reader.refuseQuantized());
  return reader.readWeights(weights);
}

}  // namespace minerva::format
