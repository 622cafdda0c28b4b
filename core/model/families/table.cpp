#include "core/base/utf8.h"
#include "core/format/text_config.h"
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/nearest_name.h"
#include "core/model/families/text_embedding.h"

#include <algorithm>

namespace minerva::model {

namespace {

const Family* const families[] = {
    &llamaFamily,        &mistralFamily,    &mixtralFamily,    &qwen2Family,         &qwen2MoeFamily,   &qwen3Family,
    &qwen3MoeFamily,     &phiFamily,        &phi3Family,       &gemmaFamily,         &gemma2Family,     &gemma3Family,
    &gptOssFamily,       &graniteFamily,    &graniteMoeFamily, &olmo2Family,         &olmoeFamily,      &smollm3Family,
    &stablelmFamily,     &starcoder2Family, &deepseekFamily,   &deepseek2Family,     &cohereFamily,     &cohere2Family,
    &glm4Family,         &gpt2Family,       &gptNeoxFamily,    &deepseek3Family,     &mistral4Family,   &glm4MoeFamily,
    &dots1Family,        &minimaxM2Family,  &ernieFamily,      &ernieMoeFamily,      &bailingFamily,    &llama4Family,
    &exaone4Family,      &seedOssFamily,    &hunyuanFamily,    &hunyuanMoeFamily,    &phimoeFamily,     &gemma4Family,
    &qwen3NextFamily,    &qwen35Family,     &qwen35MoeFamily,  &graniteHybridFamily, &nemotronHFamily,  &falconH1Family,
    &lfm2Family,         &lfm2MoeFamily,    &mamba2Family,     &bertFamily,          &robertaFamily,    &nomicBertFamily,
    &modernBertFamily,   &gemma3nFamily,    &apertusFamily,    &jambaFamily,         &mamba1Family,     &kimiLinearFamily,
    &museGlimmerFamily,  &lagunaFamily,     &afmoeFamily,      &exaoneFamily,        &exaoneMoeFamily,  &arceeFamily,
    &mimo2Family,        &step35Family,     &hyV3Family,       &graniteSwaFamily,    &cohere2MoeFamily, &mellumFamily,
    &smallThinkerFamily, &jinaBertV3Family, &euroBertFamily,   &neoBertFamily,       &gteFamily,        &bloomFamily,
    &mptFamily,          &nemotronFamily,   &deciFamily,       &internlm2Family,     &miniCpmFamily,    &miniCpm3Family,
    &olmoFamily,         &falconFamily,     &orionFamily,      &baichuanFamily,      &qwenFamily,       &chatGlmFamily,
    &starcoderFamily,    &codeshellFamily,  &gptjFamily,       &maincoderFamily,     &plmFamily,        &nanbeigeFamily};

std::unexpected<Error> noArchitecture(const format::ModelFile& file, const char* what, std::string expected, std::string actual) {
  return fail({.kind = ErrorKind::corrupt,
               .what = what,
               .where = file.path().string(),
               .expected = std::move(expected),
               .actual = std::move(actual),
               .hint = "Without it the weights cannot be interpreted; download the whole model."});
}

const Family* findFamily(const format::ModelFile& file, std::string_view architecture) {
  for (const Family* family : families) {
    const auto names = file.format() == format::FileFormat::gguf ? family->gguf : family->huggingFace;
    if (std::ranges::find(names, architecture) != names.end()) return family;
  }
  return nullptr;
}

// Models for images and sound name the text model inside. Mistral's are read by their own name, but for one. PaliGemma's text model is not
// used as elsewhere: the tokens of a prompt see those behind them, too.
bool isReadByItsTextModel(const format::ModelFile& file, std::string_view outer, std::string_view inner) {
  if (outer == "mistral3") return inner == "mistral4";
  return outer != "paligemma" && !findFamily(file, outer) && findFamily(file, inner);
}

Result<std::string> architectureOf(const format::ModelFile& file) {
  if (file.format() == format::FileFormat::gguf) {
    MINERVA_ASSIGN(const auto name, file.metadata().string("general.architecture"));
    if (name && !name->empty()) return std::string(*name);
    return noArchitecture(file, "The file does not state its architecture", "general.architecture", name ? "an empty string" : "nothing");
  }
  const auto& config = file.huggingFace().config;
  if (!config.is_object() && file.find("layers.0.attention.wq.weight")) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The weights are in Mistral's own format, which is not read",
                 .where = file.path().string(),
                 .expected = "config.json and the names of Transformers",
                 .hint = "Choose the version of this model for Transformers, or a GGUF file."});
  }
  if (!config.is_object()) return noArchitecture(file, "There is no config.json beside the weights", "config.json", "nothing");
  const auto type = config.find("model_type");
  if (type != config.end() && type->is_string()) {
    const auto outer = type->get<std::string>();
    const auto* text = format::textConfigOf(config);
    const auto inner = text ? text->value("model_type", nlohmann::json()) : nlohmann::json();
    const bool inside = inner.is_string() && isReadByItsTextModel(file, outer, inner.get_ref<const std::string&>());
    return inside ? inner.get<std::string>() : outer;
  }
  return noArchitecture(file, "config.json does not state an architecture", "a model_type that is a string",
                        type == config.end() ? "nothing" : type->type_name());
}

// Files that go with a model. They say what they are; older ones only by what they hold.
Result<void> refuseCompanions(const format::ModelFile& file) {
  const format::Metadata& keys = file.metadata();
  const auto stated = keys.string("general.type"), architecture = keys.string("general.architecture");
  const std::string_view type = stated && *stated ? **stated : std::string_view();
  const auto hasTensor = [&](std::string_view part) {
    return std::ranges::any_of(file.tensors(),
                               [&](const format::NamedTensor& tensor) { return tensor.name.find(part) != std::string::npos; });
  };
  Error error{.kind = ErrorKind::unsupported, .where = file.path().string(), .expected = "a model"};
  if (type == "adapter" || hasTensor(".lora_a") || (hasTensor(".lora_A.") && !file.huggingFace().config.is_object())) {
    error.what = "This is an adapter, which only changes another model";
    error.hint = "Adapters are not supported. Choose a version of the model with the adapter merged into it.";
  } else if (type == "imatrix" || hasTensor(".in_sum2")) {
    error.what = "This is an importance matrix, which only quantizing a model needs";
    error.hint = "Open the model it belongs to.";
  } else if (type == "mmproj" || (architecture && *architecture == "clip")) {
    error.what = "This is only the part of a model that sees or hears";
    error.hint = "Open the model it belongs to.";
  } else {
    return {};
  }
  return fail(std::move(error));
}

std::unexpected<Error> notSupported(const format::ModelFile& file, const std::string& architecture) {
  std::string known;
  std::vector<std::string_view> names;
  for (const Family* family : families) {
    known += (known.empty() ? "" : ", ") + std::string(family->name);
    const auto its = file.format() == format::FileFormat::gguf ? family->gguf : family->huggingFace;
    names.insert(names.end(), its.begin(), its.end());
  }
  const std::string_view nearest = nearestName(architecture, names);
  return fail({.kind = ErrorKind::unsupported,
               .what = "The architecture \"" + utf8::printable(architecture.substr(0, 80)) + "\" is not supported yet",
               .where = file.path().string(),
               .expected = nearest.empty() ? "one of " + known : "a supported one; the nearest is \"" + std::string(nearest) + "\"",
               .hint = nearest.empty() ? "Choose a model of one of these families."
                                       : "Choose a model of that family, or look for a newer Minerva."});
}

std::string displayNameOf(const format::ModelFile& file) {
  if (const auto name = file.metadata().string("general.name"); name && *name && !(*name)->empty()) return utf8::printable(**name);
  const auto& path = file.path();
  if (file.format() == format::FileFormat::gguf) return utf8::printable(path.stem().string());
  const auto folder = path.has_extension() && path.extension() == ".safetensors" ? path.parent_path() : path;
  return utf8::printable((folder.has_filename() ? folder : folder.parent_path()).filename().string());
}

void checkToken(std::int64_t id, const std::string& name, ModelConfig& config) {
  if (id >= 0 && id < config.vocabularySize) return;
  config.warnings.push_back(name + " " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(config.vocabularySize));
}

// Special token ids outside the vocabulary only cause a warning: many models never use them.
void checkSpecialTokens(const format::ModelFile& file, ModelConfig& config) {
  for (const char* name : {"bos_token_id", "eos_token_id"}) {
    if (const auto id = file.metadata().integer(std::string("tokenizer.ggml.") + name); id && *id) checkToken(**id, name, config);
    const auto& json = file.huggingFace().config;
    const auto entry = json.is_object() ? json.find(name) : json.end();
    if (!json.is_object() || entry == json.end()) continue;
    if (entry->is_number_integer()) checkToken(entry->get<std::int64_t>(), name, config);
    if (!entry->is_array()) continue;
    for (const auto& id : *entry) {
      if (id.is_number_integer()) checkToken(id.get<std::int64_t>(), name, config);
    }
  }
}

// The tokenizer must not produce ids without a row in the embedding.
Result<void> checkVocabulary(const format::ModelFile& file, ModelConfig& config) {
  const auto entry = file.metadata().entries().find("tokenizer.ggml.tokens");
  if (entry == file.metadata().entries().end()) return {};
  const auto* tokens = std::get_if<format::MetadataArray>(&entry->second.value);
  if (!tokens) return {};
  const auto size = static_cast<std::uint64_t>(config.vocabularySize);
  if (tokens->count > size) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The tokenizer has more tokens than the embedding has rows",
                 .where = file.path().string() + ", tokenizer.ggml.tokens",
                 .expected = "at most " + std::to_string(size),
                 .actual = std::to_string(tokens->count),
                 .hint = "The model was converted wrongly; choose another copy."});
  }
  if (tokens->count < size) {
    config.warnings.push_back("The tokenizer has " + std::to_string(tokens->count) + " tokens, the embedding " + std::to_string(size) +
                              " rows");
  }
  return {};
}

}  // namespace

std::vector<std::string> supportedFamilies() {
  std::vector<std::string> names;
  for (const Family* family : families) names.emplace_back(family->name);
  return names;
}

Result<ModelConfig> readModelConfig(const format::ModelFile& file) {
  MINERVA_TRY(refuseCompanions(file));
  MINERVA_ASSIGN(const std::string architecture, architectureOf(file));
  const Family* family = findFamily(file, architecture);
  if (!family) return notSupported(file, architecture);
  ModelConfig config;
  config.family = family->name;
  config.displayName = displayNameOf(file);
  config.warnings = file.warnings();
  Reader reader(file, architecture);
  if (!family->readsSingleLayers) MINERVA_TRY(refuseIfSet(reader, "per_layer_config", "What differs in single layers"));
  MINERVA_TRY(readTextEmbedding(reader, config.embedding));
  MINERVA_TRY(family->fill(reader, config));
  MINERVA_TRY(finishTextEmbedding(reader, config));
  MINERVA_TRY(checkVocabulary(file, config));
  checkSpecialTokens(file, config);
  MINERVA_TRY(reader.refuseUnusedScales());
  reader.warnAboutUnused(static_cast<int>(config.layers.size()), config.warnings);
  config.parameters = reader.parameters();
  return config;
}

}  // namespace minerva::model
