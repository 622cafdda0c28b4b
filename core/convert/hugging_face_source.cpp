// Hugging Face and MLX folders as a conversion source: config.json becomes GGUF metadata; tensors get llama.cpp's names and
// row order. Family-specific rules are in families.cpp.
#include "core/format/model_file.h"
#include "core/convert/families.h"
#include "core/convert/hugging_face_keys.h"
#include "core/convert/hugging_face_rope.h"
#include "core/convert/part_rows.h"
#include "core/convert/source.h"
#include "core/format/text_config.h"
#include "core/model/families/other_parts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

namespace minerva::convert {

namespace {

using Json = nlohmann::json;

// A parsed tensor name.
struct Name {
  std::string_view stem;  // within its layer or the model: "self_attn.q_proj"
  bool bias = false;
  int layer = -1;  // -1: not a layer tensor
  int index = -1;  // expert or head number if each has its own tensor; removed from `stem`: "mlp.experts.w1"
};

// Prefixes of the text model's tensors, longest first.
constexpr std::string_view beginnings[] = {"model.language_model.",
                                           "model.text_model.",
                                           "language_model.model.",
                                           "language_model.",
                                           "thinker.model.",
                                           "thinker.",
                                           "model.",
                                           "transformer.",
                                           "gpt_neox.",
                                           "backbone.",
                                           "bert.",
                                           "roberta."};
constexpr std::string_view adapters[] = {".lora_A", ".lora_B"};
// Buffers stored by old checkpoints; engines compute them.
constexpr std::string_view buffers[] = {"rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias", ".attention.bias",
                                        ".attention.masked_bias"};

// "12.rest" -> returns 12 and leaves "rest"; -1 if there is no leading number.
int takeNumber(std::string_view& text) {
  int number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (problem != std::errc() || number < 0 || (length < text.size() && text[length] != '.')) return -1;
  text.remove_prefix(std::min(text.size(), length + 1));
  return number;
}

bool endsWithAny(std::string_view name, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

class Reader {
 public:
  Reader(const format::ModelFile& file, const model::ModelConfig& model, Json config, GgufWriter& writer)
      : m_file(file), m_model(model), m_config(std::move(config)), m_keys{m_config, model, file, writer, {}} {}
  Result<Source> read();

 private:
  Result<void> findFamily();
  Result<void> addTensors();
  Result<void> addDense();
  Result<void> addTensor(const format::NamedTensor& tensor);
  [[nodiscard]] Name nameOf(std::string_view full, std::string& scratch) const;
  [[nodiscard]] const Place* placeOf(const Name& name) const;
  void addPlaced(const Place& place, const Name& name, TensorView view);
  void addHalf(const Place& place, const Name& name, TensorView view, bool second);
  void addKeysAndValues(const Place& place, const Name& name, const TensorView& view);
  void addWhole(std::string ggufName, TensorView view, Form form, bool isLayers);
  void addPieces();
  std::unexpected<Error> unsupported(std::string what, std::string expected, std::string actual) const {
    return fail({.kind = ErrorKind::unsupported,
                 .what = std::move(what),
                 .where = m_file.path().string(),
                 .expected = std::move(expected),
                 .actual = std::move(actual)});
  }

  const format::ModelFile& m_file;
  const model::ModelConfig& m_model;
  const Json m_config;
  Keys m_keys;
  const Family* m_family = nullptr;
  Source m_source;
  // Tensors of the parts for images and sound, of those that predict further tokens, and of adapters.
  int m_left = 0, m_predicting = 0, m_adapters = 0;
  std::map<std::string, std::map<int, TensorView>> m_pieces;  // GGUF name -> expert or head -> its part
};

Result<void> Reader::findFamily() {
  const std::string type = m_file.huggingFace().config.value("model_type", std::string());
  m_family = convert::findFamily(m_file.huggingFace().config, m_model);
  if (m_family == nullptr)
    return unsupported("A folder of this architecture cannot be converted yet", "one of " + convertibleFamilies(), "\"" + type + "\"");
  m_keys.prefix = std::string(m_family->architecture) + ".";
  return {};
}

Name Reader::nameOf(std::string_view full, std::string& scratch) const {
  Name name;
  for (const std::string_view beginning : beginnings) {
    if (!full.starts_with(beginning)) continue;
    full.remove_prefix(beginning.size());
    break;
  }
  for (const std::string_view layers : {"layers.", "h.", "encoder.layer.", "encoder.layers.", "blocks.", "transformer_encoder."}) {
    if (!full.starts_with(layers)) continue;
    full.remove_prefix(layers.size());
    name.layer = takeNumber(full);
    break;
  }
  for (const std::string_view ending : {".weight", ".bias", "_bias"}) {
    if (!full.ends_with(ending)) continue;
    name.bias = ending != ".weight";
    full.remove_suffix(ending.size());
    break;
  }
  name.stem = full;
  for (const std::string_view list : {".experts.", ".norms."}) {
    const auto at = full.find(list);
    if (at == std::string_view::npos) continue;
    std::string_view rest = full.substr(at + list.size());
    name.index = takeNumber(rest);
    if (name.index < 0) break;
    scratch = std::string(full.substr(0, at + list.size() - 1)) + (rest.empty() ? "" : "." + std::string(rest));
    name.stem = scratch;
    break;
  }
  return name;
}

const Place* Reader::placeOf(const Name& name) const {
  if (name.layer < 0) return modelPlaceOf(*m_family, name.stem);
  const bool isExpert = name.index >= 0 && name.stem.find(".experts.") != std::string_view::npos;
  return isExpert ? expertPlaceOf(name.stem.substr(name.stem.rfind('.') + 1)) : layerPlaceOf(*m_family, name.stem);
}

// Whether addTensors makes the file's tensors from this one.
bool isOfMixer(const Family& family, std::string_view stem) {
  if (family.mixer.prefix.empty() || !stem.starts_with(family.mixer.prefix)) return false;
  return std::ranges::find(family.mixer.names, stem.substr(family.mixer.prefix.size())) != family.mixer.names.end();
}

bool isUnused(const Family& family, std::string_view stem) {
  return std::ranges::any_of(family.unused, [&](std::string_view beginning) { return stem.starts_with(beginning); });
}

void Reader::addWhole(std::string ggufName, TensorView view, Form form, bool isLayers) {
  SourceTensor out{.name = std::move(ggufName), .parts = {view}, .shape = view.shape};
  const bool isQuery = out.name.find(".attn_q.") != std::string::npos, isKey = out.name.find(".attn_k.") != std::string::npos;
  std::int64_t heads = 0;
  const auto layer = layerOf(out.name);
  if (m_family->interleaved && layer && (isQuery || isKey)) {
    const model::LayerConfig& its = m_model.layers[static_cast<std::size_t>(*layer)];
    heads = isQuery ? its.headCount : its.kvHeadCount;
  }
  if (form == Form::threePerHead) heads = m_source.facts.heads;
  if (heads > 0) {
    if (view.shape.rank == 1) out.parts = {asColumn(view)};
    const std::int64_t size = out.parts.front().shape.rows() / heads;  // rows per head; for threePerHead q, k and v together
    if (form == Form::threePerHead) {
      out.order = {.counts = {3, heads, size / 3}, .steps = {size / 3, size, 1}};
    } else {
      out.order = {.counts = {heads, size / 2, 2}, .steps = {size, 1, size / 2}};
    }
  }
  if (isLayers && view.shape.rank == m_family->transposedRank && traits(view.type).kind == ElementKind::plain) {
    std::swap(out.shape.dims[static_cast<std::size_t>(view.shape.rank) - 1], out.shape.dims[static_cast<std::size_t>(view.shape.rank) - 2]);
    const std::int64_t rows = view.shape.dims[static_cast<std::size_t>(view.shape.rank) - 2];
    out.transposed = {.rows = rows, .pitch = rows};
  }
  // GGUF stores a one-row matrix as a vector, but not a table of one row.
  if (out.name != "token_types.weight" && out.shape.rank == 2 && out.shape.dims[0] == 1)
    out.shape = {.dims = {out.shape.dims[1], 1, 1, 1}, .rank = 1};
  const bool whole = out.name == "output_norm.weight" && m_model.outputNorm.whole;
  if (out.name.find("norm.weight") != std::string::npos && !whole) out.plus = m_model.normPlus;
  m_source.tensors.push_back(std::move(out));
}

// Gate and up of all experts in one tensor [experts, rows of both, columns], its bias [experts, rows of both]; without experts
// [rows of both, columns].
void Reader::addHalf(const Place& place, const Name& name, TensorView view, bool second) {
  addWhole("blk." + std::to_string(name.layer) + "." + std::string(second ? place.second : place.name) + (name.bias ? ".bias" : ".weight"),
           view, Form::asItIs, !name.bias);
  SourceTensor& out = m_source.tensors.back();
  if (name.bias) out.parts = {asColumn(view)};
  const bool stacked = name.bias || out.shape.rank == 3;
  std::int64_t& stored = out.shape.dims[stacked ? 1 : 0];
  const std::int64_t experts = stacked ? out.shape.dims[0] : 1, both = stored, rows = both / 2;
  stored = rows;
  const bool inTurn = place.form == Form::alternating;
  out.order = {.counts = {1, experts, rows}, .steps = {0, both, inTurn ? 2 : 1}, .first = second ? (inTurn ? 1 : rows) : 0};
}

// Splits kv_b [heads * (keys + values), latent]: each head's keys are transposed, its values are not.
void Reader::addKeysAndValues(const Place& place, const Name& name, const TensorView& view) {
  const model::LayerConfig& layer = m_model.layers[static_cast<std::size_t>(name.layer)];
  const std::int64_t heads = layer.headCount, keys = layer.latentAttention.plainDim, values = layer.latentAttention.valueDim;
  const std::string block = "blk." + std::to_string(name.layer) + ".";
  const std::int64_t latent = view.shape.columns(), pitch = keys + values;
  m_source.tensors.push_back({.name = block + std::string(place.name) + ".weight",
                              .parts = {view},
                              .shape = {.dims = {heads, latent, keys, 1}, .rank = 3},
                              .transposed = {.rows = keys, .pitch = pitch}});
  m_source.tensors.push_back({.name = block + std::string(place.second) + ".weight",
                              .parts = {view},
                              .shape = {.dims = {heads, values, latent, 1}, .rank = 3},
                              .order = {.counts = {1, heads, values}, .steps = {0, pitch, 1}, .first = keys}});
}

void Reader::addPlaced(const Place& place, const Name& name, TensorView view) {
  if (place.form == Form::halves || place.form == Form::alternating) {
    for (const bool second : {false, true}) addHalf(place, name, view, second);
    return;
  }
  if (place.form == Form::latent) {
    addKeysAndValues(place, name, view);
    return;
  }
  const std::string block = name.layer < 0 ? "" : "blk." + std::to_string(name.layer) + ".";
  std::string full = block + std::string(place.name);
  if (place.form != Form::fullName) full += name.bias ? ".bias" : ".weight";
  if (name.index >= 0) {
    m_pieces[full][name.index] = view;
  } else {
    addWhole(std::move(full), view, place.form, name.layer >= 0);
  }
}

Result<void> Reader::addTensor(const format::NamedTensor& tensor) {
  if (endsWithAny(tensor.name, buffers)) return {};
  std::string scratch;
  const Name name = nameOf(tensor.name, scratch);
  const bool tooDeep = name.layer >= static_cast<int>(m_model.layers.size());
  if (tooDeep && m_keys.number("num_nextn_predict_layers").value_or(0) > 0) {
    ++m_predicting;
    return {};
  }
  if (!tooDeep && name.layer >= 0 && isOfMixer(*m_family, name.stem)) return {};
  const Place* place = tooDeep ? nullptr : placeOf(name);
  if (place == nullptr && name.layer < 0 && isUnused(*m_family, name.stem)) return {};
  if (place == nullptr) {
    return unsupported(
        "Tensor " + tensor.name + " cannot be stored in a GGUF file of this architecture",
        "a tensor of a " + std::string(m_family->modelType) + " model of " + std::to_string(m_model.layers.size()) + " layers",
        tensor.name);
  }
  // A tied head is the embedding; a model that makes vectors of texts has none.
  if ((m_model.tiedHead || m_model.embeds()) && place->name == "output") return {};
  const bool isKeyOrValue = place->name == "attn_k" || place->name == "attn_v" || place->name == "attn_k_norm";
  if (isKeyOrValue && !m_family->needsUnusedKeys && m_model.layers[static_cast<std::size_t>(name.layer)].kvFrom >= 0)
    return {};  // never used
  addPlaced(*place, name, tensor.view);
  return {};
}

// Stacks tensors stored separately per expert or head.
void Reader::addPieces() {
  for (const auto& [name, pieces] : m_pieces) {
    const Shape& one = pieces.begin()->second.shape;
    SourceTensor tensor{
        .name = name,
        .parts = {},
        .shape = {.dims = {static_cast<std::int64_t>(pieces.size()), one.dims[0], one.dims[1], 1}, .rank = std::min(one.rank, 2) + 1}};
    for (const auto& [index, view] : pieces) tensor.parts.push_back(view);
    m_source.tensors.push_back(std::move(tensor));
  }
}

// The dense layers behind the pooling. llama.cpp has them of EmbeddingGemma only, without biases.
Result<void> Reader::addDense() {
  constexpr std::string_view names[] = {"dense_2", "dense_3"};
  const std::vector<model::Linear>& dense = m_model.embedding.dense;
  const bool biased = std::ranges::any_of(dense, [](const model::Linear& one) { return !one.bias.empty(); });
  const bool other = !dense.empty() && m_family->architecture != "gemma-embedding";
  if (dense.size() > std::size(names) || other || biased) {
    return cannotBeStated(
        "A GGUF file cannot express this model's dense layers behind its pooling", "up to 2 layers without bias of an EmbeddingGemma",
        std::to_string(dense.size()) + (biased ? " layers with bias" : " layers") + " of " + std::string(m_family->architecture));
  }
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const TensorView& weight = dense[i].weight;
    const std::string name(names[i]);
    m_keys.set(name + "_feat_in", static_cast<int>(weight.shape.columns()));
    m_keys.set(name + "_feat_out", static_cast<int>(weight.shape.rows()));
    m_source.tensors.push_back({.name = name + ".weight", .parts = {weight}, .shape = weight.shape});
  }
  return {};
}

// Of a module behind the model itself (modules.json).
bool isOfModule(const format::ModelFile& file, std::string_view name) {
  return std::ranges::any_of(file.huggingFace().modules,
                             [&](const format::SentenceModule& module) { return name.starts_with(module.folder + "/"); });
}

Result<void> Reader::addTensors() {
  const model::TextNames names = model::textNamesOf(m_file);
  for (const format::NamedTensor& tensor : m_file.tensors()) {
    if (isOfModule(m_file, tensor.name)) continue;
    const bool other = model::isOfOtherPart(names, tensor.name);
    const bool predicting = !other && model::predictsFurther(tensor.name, std::numeric_limits<int>::max());
    m_left += other;
    m_predicting += predicting;
    const bool adapter = endsWithAny(tensor.name, adapters);
    m_adapters += adapter;
    if (!other && !predicting && !adapter) MINERVA_TRY(addTensor(tensor));
  }
  const auto warn = [&](const char* part, int tensors) {
    if (tensors > 0) m_source.warnings.push_back(std::string(part) + " is left out: " + std::to_string(tensors) + " tensors");
  };
  warn("What the model has beside its text model", m_left);
  warn("The part that predicts further tokens", m_predicting);
  warn("What adapts the model to its tasks", m_adapters);
  addPieces();
  MINERVA_TRY(addDense());
  if (m_family->addTensors != nullptr) MINERVA_TRY(m_family->addTensors(m_keys, m_source.tensors));
  for (const SourceTensor& tensor : m_source.tensors) {
    if (fits(tensor)) continue;
    return fail({.kind = ErrorKind::corrupt,
                 .what = "A tensor does not have the size given by config.json",
                 .where = m_file.path().string() + ", " + tensor.name,
                 .expected = toString(tensor.shape),
                 .actual = tensor.parts.empty() ? "nothing" : toString(tensor.parts.front().shape),
                 .hint = "The model's files contradict each other; download them again."});
  }
  // Layer order with the embedding first and the head last, as llama.cpp's converter writes them.
  const auto rank = [](const SourceTensor& tensor) {
    const auto layer = layerOf(tensor.name);
    return layer ? *layer : tensor.name.starts_with("output") ? 1 << 20 : -1;
  };
  std::ranges::stable_sort(m_source.tensors, {}, rank);
  return {};
}

Result<Source> Reader::read() {
  MINERVA_TRY(findFamily());
  describeModel(m_keys, *m_family, m_file, m_source);
  if (m_family->addKeys != nullptr) MINERVA_TRY(m_family->addKeys(m_keys));
  MINERVA_TRY(describeRope(m_keys, *m_family, m_source.tensors));
  MINERVA_TRY(addTensors());
  MINERVA_TRY(describeTokenizer(m_file, static_cast<std::size_t>(m_model.tokenEmbedding.shape.rows()), m_keys.writer));
  return std::move(m_source);
}

}  // namespace

Result<Source> describeHuggingFace(const format::ModelFile& file, const model::ModelConfig& model, GgufWriter& writer) {
  Json config = file.huggingFace().config;
  if (const Json* text = format::textConfigOf(config)) config.update(Json(*text));
  auto source = Reader(file, model, std::move(config), writer).read();
  if (!source && source.error().where.empty()) source.error().where = file.path().string();
  return source;
}

}  // namespace minerva::convert
