#include "tests/support/sparse_model.h"

#include "core/format/safetensors.h"
#include "tests/support/sparse_families.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <stdexcept>

namespace minerva::tests {
namespace {

using Json = nlohmann::json;
using Dims = std::vector<std::int64_t>;

// As many bytes for families whose embedding is their head.
constexpr int usualVocabulary = 24576;

struct SparseTensor {
  std::string name;
  Dims dims;
};

const StoredFamily& familyOf(const SparseShape& shape) {
  const auto found = std::ranges::find(storedFamilies(), shape.family, &StoredFamily::name);
  if (found == storedFamilies().end()) throw std::invalid_argument("no sparse folder of " + shape.family);
  return *found;
}

std::int64_t meaningOf(char letter, const SparseShape& s) {
  switch (letter) {
    case 'v': return s.vocabulary;
    case 'h': return s.hidden;
    case 'n': return s.heads;
    case 'd': return s.headDim;
    case 'q': return std::int64_t{s.heads} * s.headDim;
    case 'k': return std::int64_t{s.kvHeads} * s.headDim;
    case 'g': return s.kvHeads;
    case 'f': return s.feedForward;
    case 'c': return s.context;
    case 'e': return s.experts;
    case 'u': return s.expertsUsed;
    case 'x': return s.expertSize;
    default: throw std::invalid_argument(std::string("no size is called ") + letter);
  }
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::int64_t sizeOf(std::string_view expression, const SparseShape& shape) {
  std::int64_t sum = 0;
  for (const std::string_view term : split(expression, '+')) {
    std::int64_t factor = 1;
    const char* const end = std::from_chars(term.data(), term.data() + term.size(), factor).ptr;
    sum += end == term.data() + term.size() ? factor : factor * meaningOf(*end, shape);
  }
  return sum;
}

std::string numbered(std::string text, char mark, int number) {
  const auto at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, 1, std::to_string(number));
}

void addParts(const StoredTensor& stored, const std::string& name, const Dims& dims, std::vector<SparseTensor>& out) {
  out.push_back({stored.parts == Parts::bare ? name : name + ".weight", dims});
  if (stored.parts == Parts::both) out.push_back({name + ".bias", {dims.front()}});
  if (stored.parts == Parts::transposed) out.push_back({name + ".bias", {dims.back()}});
}

void addTensor(const StoredTensor& stored, const SparseShape& shape, std::vector<SparseTensor>& out) {
  Dims dims;
  for (const std::string_view expression : split(stored.sizes, ' ')) dims.push_back(sizeOf(expression, shape));
  const std::string pattern = (stored.name.starts_with('.') ? "model.layers.#" : "") + std::string(stored.name);
  const bool inLayers = pattern.find('#') != std::string::npos, ofExperts = pattern.find('@') != std::string::npos;
  for (int layer = 0; layer < (inLayers ? shape.layers : 1); ++layer) {
    if ((static_cast<unsigned>(stored.in) >> std::min(layer, 31) & 1) == 0) continue;
    const std::string name = numbered(pattern, '#', layer);
    for (int e = 0; e < (ofExperts ? shape.experts : 1); ++e) addParts(stored, numbered(name, '@', e), dims, out);
  }
}

Json configOf(const StoredFamily& family, const SparseShape& s) {
  Json config{{"model_type", family.modelType}, {"vocab_size", s.vocabulary},
              {"hidden_size", s.hidden},        {"intermediate_size", s.feedForward},
              {"num_hidden_layers", s.layers},  {"n_layer", s.layers},
              {"num_attention_heads", s.heads}, {"num_key_value_heads", s.kvHeads},
              {"head_dim", s.headDim},          {"max_position_embeddings", s.context},
              {"rope_theta", 10000.0},          {"tie_word_embeddings", family.tied}};
  config.update(Json::parse(family.config));
  for (const auto& [key, expression] : family.sizes) {
    (key.starts_with('/') ? config[Json::json_pointer(std::string(key))] : config[std::string(key)]) = sizeOf(expression, s);
  }
  return config;
}

// What sentence-transformers adds to a model: the mean of its rows, scaled to length 1.
void writePooling(const std::filesystem::path& folder) {
  constexpr std::pair<const char*, const char*> modules[] = {{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Normalize", "Normalize"}};
  Json list = Json::array();
  for (const auto& [path, kind] : modules) {
    list.push_back({{"idx", list.size()}, {"path", path}, {"type", std::string("sentence_transformers.models.") + kind}});
  }
  std::ofstream(folder / "modules.json") << list;
  std::filesystem::create_directories(folder / "1_Pooling");
  std::ofstream(folder / "1_Pooling" / "config.json") << Json{{"pooling_mode_mean_tokens", true}};
}

}  // namespace

std::vector<std::string> sparseFamilies() {
  std::vector<std::string> names;
  for (const StoredFamily& family : storedFamilies()) names.emplace_back(family.name);
  return names;
}

std::vector<std::string> rearrangedFamilies() { return {"gpt-oss", "gpt2", "gpt-neox", "deepseek-v2", "internlm2"}; }

std::size_t writeSparseFolder(const std::filesystem::path& folder, const SparseShape& wanted) {
  const StoredFamily& family = familyOf(wanted);
  SparseShape shape = wanted;
  if (shape.layers == 0) shape.layers = family.layers;
  if (shape.vocabulary == 0) shape.vocabulary = family.tied ? 2 * usualVocabulary : usualVocabulary;
  std::vector<SparseTensor> tensors;
  for (const auto& group : family.tensors) {
    for (const StoredTensor& stored : group) addTensor(stored, shape, tensors);
  }
  const std::size_t elementBytes = shape.dtype == "F32" ? 4 : 2;
  std::vector<format::SafeTensorDescription> descriptions;
  std::size_t bytes = 0;
  for (const auto& [name, dims] : tensors) {
    std::size_t own = elementBytes;
    for (const std::int64_t size : dims) own *= static_cast<std::size_t>(size);
    descriptions.push_back({name, shape.dtype, dims, own});
    bytes += own;
  }
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << configOf(family, shape);
  if (family.pools) writePooling(folder);
  const std::string header = format::safeTensorsHeader(descriptions, {{"format", "pt"}});
  const auto weights = folder / "model.safetensors";
  std::ofstream(weights, std::ios::binary) << header;
  std::filesystem::resize_file(weights, header.size() + bytes);
  return bytes;
}

}  // namespace minerva::tests
