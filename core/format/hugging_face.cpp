#include "core/format/hugging_face.h"

#include "core/format/assemble.h"
#include "core/format/folder_files.h"
#include "core/format/json_reader.h"
#include "core/format/numbered_parts.h"
#include "core/format/readable.h"

#include <algorithm>
#include <optional>
#include <set>

namespace minerva::format {

namespace {

using Json = nlohmann::json;
using Path = std::filesystem::path;

constexpr const char* indexName = "model.safetensors.index.json";
constexpr const char* singleName = "model.safetensors";
constexpr std::size_t mostModules = 16;

bool isThere(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

std::string_view textOf(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class FolderReader {
 public:
  FolderReader(Path folder, ModelFileBuilder& builder) : m_folder(std::move(folder)), m_builder(builder) {}

  Result<void> readCompanions();
  Result<void> readWeights(const Path& named);

 private:
  Result<Json> readObject(const Path& name) const;
  Json readOptional(const char* name);
  Result<void> readModules();
  Result<void> readModuleWeights();
  Result<std::string_view> mapText(const char* name);
  Result<void> readTemplate();
  Result<void> readFiles(const Path& named);
  Result<void> readIndexed(const Json& index);
  Result<void> checkIndexed(const std::map<std::string, std::string>& shardOf);
  // before: put before the names of the tensors.
  Result<void> readShard(const Path& path, const std::map<std::string, std::string>* wanted, const std::string& before = {});
  Result<void> readNumbered(const NumberedPart& name);
  Result<Path> foundWeights() const;
  std::optional<Path> weightsInsteadOf(const Json& index) const;

  Path m_folder;
  ModelFileBuilder& m_builder;
  RawTensors m_raw;
  bool m_writtenByMlx = false;  // set from a shard's metadata
};

// Null if the file does not exist.
Result<Json> FolderReader::readObject(const Path& name) const {
  const Path path = m_folder / name;
  if (!isThere(path)) return Json();
  MINERVA_ASSIGN(const MappedFile map, MappedFile::open(path));
  m_builder.noteRead(map);
  MINERVA_ASSIGN(Json json, parseJson(textOf(map.bytes()), path.string(), {.infinities = true}));
  if (json.is_object()) return json;
  return fail({.kind = ErrorKind::corrupt,
               .what = name.filename().string() + " is not a JSON object",
               .where = path.string(),
               .expected = "an object",
               .actual = json.type_name()});
}

// A file whose errors are only worth a warning.
Json FolderReader::readOptional(const char* name) {
  auto object = readObject(name);
  if (object) return std::move(*object);
  m_builder.warn(std::string(name) + " is ignored: " + object.error().message());
  return {};
}

// The name of a file or folder directly inside the model's folder.
bool isPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

Result<void> FolderReader::readModules() {
  const Path path = m_folder / "modules.json";
  if (!isThere(path)) return {};
  MINERVA_ASSIGN(const MappedFile map, MappedFile::open(path));
  m_builder.noteRead(map);
  MINERVA_ASSIGN(std::vector<SentenceModule> modules, parseModules(textOf(map.bytes()), path.string()));
  for (SentenceModule& module : modules) {
    MINERVA_ASSIGN(module.config, readObject(Path(module.folder) / "config.json"));
    m_builder.huggingFace().modules.push_back(std::move(module));
  }
  return {};
}

Result<void> FolderReader::readModuleWeights() {
  for (const SentenceModule& module : m_builder.huggingFace().modules) {
    const Path path = m_folder / module.folder / singleName;
    if (isThere(path)) MINERVA_TRY(readShard(path, nullptr, module.folder + "/"));
  }
  return {};
}

Result<std::string_view> FolderReader::mapText(const char* name) {
  const Path path = m_folder / name;
  if (!isThere(path)) return std::string_view();
  MINERVA_ASSIGN(MappedFile map, MappedFile::open(path));
  return textOf(m_builder.keep(std::move(map)));
}

// The object's "chat_template": a text, which is "default", or a list with names. Empty if there is none of this name.
std::string templateIn(const Json& object, const std::string& wanted) {
  const Json entry = object.is_object() ? object.value("chat_template", Json()) : Json();
  if (entry.is_string() && wanted == "default") return entry.get<std::string>();
  if (!entry.is_array()) return {};
  for (const Json& named : entry) {
    if (!named.is_object()) continue;
    const auto name = named.find("name");
    const auto text = named.find("template");
    if (name != named.end() && text != named.end() && *name == wanted && text->is_string()) return text->get<std::string>();
  }
  return {};
}

// chat_template.json is the processor's, of models that see or hear; a tokenizer's own template goes before it.
Result<void> FolderReader::readTemplate() {
  HuggingFaceFiles& files = m_builder.huggingFace();
  MINERVA_ASSIGN(const std::string_view jinja, mapText("chat_template.jinja"));
  MINERVA_ASSIGN(const std::string_view forTools, mapText("additional_chat_templates/tool_use.jinja"));
  files.chatTemplate = jinja;
  files.toolTemplate = forTools;
  const auto take = [&files](const Json& object) {
    files.chatTemplate = templateIn(object, "default");
    if (files.toolTemplate.empty() && !files.chatTemplate.empty()) files.toolTemplate = templateIn(object, "tool_use");
  };
  if (files.chatTemplate.empty()) take(files.tokenizerConfig);
  if (files.chatTemplate.empty()) take(readOptional("chat_template.json"));
  return {};
}

Result<void> FolderReader::readCompanions() {
  HuggingFaceFiles& files = m_builder.huggingFace();
  MINERVA_ASSIGN(files.config, readObject("config.json"));
  MINERVA_ASSIGN(files.tokenizerConfig, readObject("tokenizer_config.json"));
  files.generationConfig = readOptional("generation_config.json");
  files.sentenceConfig = readOptional("config_sentence_transformers.json");
  files.sentenceLimits = readOptional("sentence_bert_config.json");
  MINERVA_TRY(readModules());
  MINERVA_ASSIGN(files.tokenizerJson, mapText("tokenizer.json"));
  MINERVA_ASSIGN(files.tokenizerModel, mapText("tokenizer.model"));
  MINERVA_ASSIGN(files.tekken, mapText("tekken.json"));
  MINERVA_ASSIGN(files.tiktokenModel, mapText("tiktoken.model"));
  MINERVA_ASSIGN(files.qwenTiktoken, mapText("qwen.tiktoken"));
  return readTemplate();
}

// The first weights file, if neither the user nor an index names one.
Result<Path> FolderReader::foundWeights() const {
  if (isThere(m_folder / singleName)) return m_folder / singleName;
  MINERVA_ASSIGN(const std::vector<Path> found, filesEnding(".safetensors", m_folder));
  std::vector<Path> sets;  // the first shard of each set
  for (const Path& file : found) {
    const auto part = numberedPart(file);
    if (part && std::ranges::none_of(sets, [&](const Path& set) { return numberedPart(set)->sameModel(*part); })) sets.push_back(file);
  }
  if (sets.size() == 1) return sets.front();
  if (found.size() == 1) return found.front();
  if (found.empty() && holdsPickles(m_folder)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The weights are in PyTorch's own format, which is not read because such files may hold programs",
                 .where = m_folder.string(),
                 .expected = "a .gguf file or .safetensors files",
                 .hint = "Choose the GGUF or SafeTensors version of this model."});
  }
  return fail({.kind = ErrorKind::notFound,
               .what = found.empty() ? "The folder holds no model weights"
                                     : "The folder holds several weight files but no index that says which belong together",
               .where = m_folder.string(),
               .expected = found.empty() ? "a .gguf file, model.safetensors or model.safetensors.index.json" : indexName,
               .actual = found.empty() ? "" : std::to_string(found.size()) + " .safetensors files",
               .hint = "Download the missing files of the model."});
}

// MLX's converter has written the source model's index over the right one: of its files none is there, but one complete set is. If any of
// them is there, the others were not downloaded.
std::optional<Path> FolderReader::weightsInsteadOf(const Json& index) const {
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object() || map->empty()) return std::nullopt;
  for (const Json& shard : *map)
    if (!shard.is_string() || !isPlainName(shard.get_ref<const std::string&>()) || isThere(m_folder / shard.get_ref<const std::string&>()))
      return std::nullopt;
  const auto found = foundWeights();
  if (!found || !found->filename().string().starts_with("model")) return std::nullopt;
  const auto part = numberedPart(*found);
  for (int number = 1; part && number <= part->count; ++number)
    if (!isThere(part->part(number))) return std::nullopt;
  return *found;
}

Result<void> FolderReader::readFiles(const Path& named) {
  MINERVA_ASSIGN(const Json index, readObject(indexName));
  bool indexed = index.is_object();
  if (indexed && !named.empty()) {
    const auto map = index.find("weight_map");
    const std::string name = named.filename().string();
    indexed = map != index.end() && map->is_object() && std::ranges::any_of(*map, [&](const Json& shard) { return shard == name; });
  }
  const std::optional<Path> instead = indexed && named.empty() ? weightsInsteadOf(index) : std::nullopt;
  if (indexed && !instead) return readIndexed(index);
  Path first = instead.value_or(named);
  if (instead)
    m_builder.warn(std::string(indexName) + " names none of the files that are there; " + instead->filename().string() + " is used");
  if (first.empty()) {
    MINERVA_ASSIGN(first, foundWeights());
  }
  const auto part = numberedPart(first);
  return part ? readNumbered(*part) : readShard(first, nullptr);
}

// The shard count is part of the file name.
Result<void> FolderReader::readNumbered(const NumberedPart& name) {
  for (int number = 1; number <= name.count; ++number) {
    if (isThere(name.part(number))) {
      MINERVA_TRY(readShard(name.part(number), nullptr));
      continue;
    }
    return fail({.kind = ErrorKind::notFound,
                 .what = "Part " + std::to_string(number) + " of the model is missing",
                 .where = name.part(number).string(),
                 .expected = std::to_string(name.count) + " files in one folder",
                 .hint = "Download the missing file into the same folder."});
  }
  return {};
}

Result<void> FolderReader::readWeights(const Path& named) {
  const std::string configPath = (m_folder / "config.json").string();
  MINERVA_ASSIGN(const Quantization quantization, readQuantization(m_builder.huggingFace().config, configPath));
  MINERVA_TRY(readFiles(named));
  MINERVA_TRY(readModuleWeights());
  if (m_writtenByMlx || quantization.method == Quantization::Method::mlx) m_builder.setFormat(FileFormat::mlx);
  return assembleTensors(m_raw, quantization, configPath, m_builder);
}

Result<void> FolderReader::readIndexed(const Json& index) {
  const std::string where = (m_folder / indexName).string();
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object() || map->empty()) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The index names no tensors",
                 .where = where,
                 .expected = "a weight_map with an entry per tensor"});
  }
  std::map<std::string, std::string> shardOf;
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : map->items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : std::string();
    if (!isPlainName(name)) {
      return fail({.kind = ErrorKind::corrupt,
                   .what = "The index gives tensor " + readable(tensor) + " no file, or one outside the model's folder",
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
  return checkIndexed(shardOf);
}

// What belongs to the model its family misses by name; indexes name buffers that were not saved, too. But a part without any of its
// tensors is one of another model.
Result<void> FolderReader::checkIndexed(const std::map<std::string, std::string>& shardOf) {
  std::set<std::string_view> fitting;
  for (const auto& [tensor, shard] : shardOf)
    if (m_raw.find(tensor)) fitting.insert(shard);
  for (const auto& [tensor, shard] : shardOf) {
    if (m_raw.find(tensor)) continue;
    if (fitting.contains(shard)) {
      m_builder.warn(std::string(indexName) + " names a tensor that is in no file: " + readable(tensor));
      continue;
    }
    return fail({.kind = ErrorKind::corrupt,
                 .what = "Tensor " + readable(tensor) + " is not in the part the index names",
                 .where = (m_folder / shard).string(),
                 .hint = "The parts belong to different versions of the model; download them again."});
  }
  return {};
}

// wanted: the index (tensor -> file); null to take every tensor of the file.
Result<void> FolderReader::readShard(const Path& path, const std::map<std::string, std::string>* wanted, const std::string& before) {
  const std::string& where = m_raw.addFile(path.string());
  MINERVA_ASSIGN(MappedFile map, MappedFile::open(path));
  const auto bytes = m_builder.keep(std::move(map));
  m_builder.countWeightBytes(bytes.size());
  MINERVA_ASSIGN(SafeTensorsFile file, readSafeTensors(bytes, where));
  for (const std::string& warning : file.warnings) m_builder.warn(warning);
  if (const auto writer = file.metadata.find("format"); writer != file.metadata.end() && writer->second == "mlx") m_writtenByMlx = true;
  for (SafeTensor& tensor : file.tensors) {
    if (wanted) {
      const auto entry = wanted->find(tensor.name);
      if (entry == wanted->end() || entry->second != path.filename()) {
        m_builder.warn(where + ": tensor " + readable(tensor.name) + " is not in the index");
        continue;
      }
    }
    tensor.name.insert(0, before);
    const std::string name = tensor.name;
    if (m_raw.add(std::move(tensor), where)) continue;
    return fail({.kind = ErrorKind::corrupt,
                 .what = "Tensor " + readable(name) + " occurs twice",
                 .where = where,
                 .hint = "Two files of the folder hold it; keep the files of one model only."});
  }
  return {};
}

}  // namespace

Result<std::vector<SentenceModule>> parseModules(std::string_view text, const std::string& where) {
  MINERVA_ASSIGN(const Json list, parseJson(text, where, {.infinities = true}));
  const auto wrong = [&](const char* what, const char* expected, const Json& actual) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = what,
                 .where = where,
                 .expected = expected,
                 .actual = readable(actual.dump(-1, ' ', false, Json::error_handler_t::replace)),
                 .hint = "Download the model again."});
  };
  if (!list.is_array() || list.size() > mostModules) return wrong("The model's parts are not a list", "a list of up to 16 parts", list);
  std::vector<SentenceModule> modules;
  for (const Json& entry : list) {
    const Json type = entry.is_object() ? entry.value("type", Json()) : Json();
    const Json folder = entry.is_object() ? entry.value("path", Json()) : Json();
    if (!type.is_string() || !folder.is_string()) return wrong("A part of the model has no type or no path", "two texts", entry);
    const auto& full = type.get_ref<const std::string&>();
    SentenceModule module{full.substr(full.rfind('.') + 1), folder.get<std::string>(), {}};
    if (module.folder.empty()) continue;  // the model itself
    if (!isPlainName(module.folder)) return wrong("A part of the model is outside its folder", "the plain name of a folder in it", folder);
    modules.push_back(std::move(module));
  }
  return modules;
}

Result<void> readHuggingFace(const Path& folder, const Path& weights, ModelFileBuilder& builder) {
  FolderReader reader(folder, builder);
  MINERVA_TRY(reader.readCompanions());
  return reader.readWeights(weights);
}

}  // namespace minerva::format
