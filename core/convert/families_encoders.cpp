// Rows of the families that only make vectors of texts: every token sees those behind it too.
#include "core/convert/families.h"

#include <algorithm>

namespace minerva::convert {

namespace {

constexpr Place bertPlaces[] = {{"embeddings.word_embeddings", "token_embd"},
                                {"embeddings.position_embeddings", "position_embd"},
                                {"embeddings.token_type_embeddings", "token_types"},
                                {"embeddings.LayerNorm", "token_embd_norm"},
                                {"attention.self.query", "attn_q"},
                                {"attention.self.key", "attn_k"},
                                {"attention.self.value", "attn_v"},
                                {"attention.output.dense", "attn_output"},
                                {"attention.output.LayerNorm", "attn_output_norm"},
                                {"intermediate.dense", "ffn_up"},
                                {"output.dense", "ffn_down"},
                                {"output.LayerNorm", "layer_output_norm"}};
constexpr std::string_view nomicExperts[] = {"experts.mlp.w1", "experts.mlp.w2", "experts"};
constexpr Place nomicPlaces[] = {{"embeddings.word_embeddings", "token_embd"},
                                 {"embeddings.token_type_embeddings", "token_types"},
                                 {"emb_ln", "token_embd_norm"},
                                 {"attn.Wqkv", "attn_qkv"},
                                 {"attn.out_proj", "attn_output"},
                                 {"mlp.fc11", "ffn_up"},
                                 {"mlp.fc12", "ffn_gate"},
                                 {"mlp.router.layer", "ffn_gate_inp"},
                                 {"norm1", "attn_output_norm"},
                                 {"norm2", "layer_output_norm"}};
// Jina BERT v2. The matrices of the feed-forward hold the rows of the gate, then those of up; of the model for code those of up, then those
// of the gate, which llama.cpp's readers take for the other way round, so that its file has two tensors, as llama.cpp's first ones had.
constexpr Place jinaPlaces[] = {{"embeddings.word_embeddings", "token_embd"},
                                {"embeddings.token_type_embeddings", "token_types"},
                                {"embeddings.LayerNorm", "token_embd_norm"},
                                {"attention.self.query", "attn_q"},
                                {"attention.self.key", "attn_k"},
                                {"attention.self.value", "attn_v"},
                                {"attention.self.layer_norm_q", "attn_q_norm"},
                                {"attention.self.layer_norm_k", "attn_k_norm"},
                                {"attention.output.dense", "attn_output"},
                                {"attention.output.LayerNorm", "attn_output_norm"},
                                {"layer_norm_1", "attn_norm_2"},
                                {"mlp.gated_layers", "ffn_up"},
                                {"mlp.up_gated_layer", "ffn_up", Form::halves, "ffn_gate"},
                                {"mlp.wo", "ffn_down"},
                                {"mlp.down_layer", "ffn_down"},
                                {"mlp.layernorm", "layer_output_norm"},
                                {"layer_norm_2", "layer_output_norm"}};
// Also with PyTorch's names for weights with adapters.
constexpr Place flashPlaces[] = {{"embeddings.word_embeddings", "token_embd"},
                                 {"embeddings.word_embeddings.parametrizations.weight.original", "token_embd"},
                                 {"embeddings.position_embeddings", "position_embd"},
                                 {"embeddings.token_type_embeddings", "token_types"},
                                 {"embeddings.token_type_embeddings.parametrizations.weight.original", "token_types"},
                                 {"emb_ln", "token_embd_norm"},
                                 {"mixer.Wqkv", "attn_qkv"},
                                 {"mixer.Wqkv.parametrizations.weight.original", "attn_qkv"},
                                 {"mixer.out_proj", "attn_output"},
                                 {"mixer.out_proj.parametrizations.weight.original", "attn_output"},
                                 {"mlp.fc1.parametrizations.weight.original", "ffn_up"},
                                 {"mlp.fc2.parametrizations.weight.original", "ffn_down"},
                                 {"norm1", "attn_output_norm"},
                                 {"norm2", "layer_output_norm"}};
constexpr Place neoPlaces[] = {{"encoder", "token_embd"}, {"layer_norm", "enc.output_norm"}, {"qkv", "attn_qkv"},
                               {"wo", "attn_output"},     {"attention_norm", "attn_norm"},   {"ffn.w12", "ffn_up"},
                               {"ffn.w3", "ffn_down"}};
// mlp.Wi holds the rows of the gate, then those of up; so does ffn_up of this family.
constexpr Place modernPlaces[] = {{"embeddings.tok_embeddings", "token_embd"},
                                  {"embeddings.norm", "token_embd_norm"},
                                  {"final_norm", "output_norm"},
                                  {"attn_norm", "attn_norm"},
                                  {"attn.Wqkv", "attn_qkv"},
                                  {"attn.Wo", "attn_output"},
                                  {"mlp_norm", "ffn_norm"},
                                  {"mlp.Wi", "ffn_up"},
                                  {"mlp.Wo", "ffn_down"}};

// Position numbers, and heads that predict masked tokens or what follows a text.
constexpr std::string_view bertUnused[] = {"embeddings.position_ids", "pooler.", "cls.", "lm_head."};
constexpr std::string_view neoUnused[] = {"decoder"};
constexpr std::string_view modernUnused[] = {"head.", "decoder."};

// Models without types count as having one.
Result<void> addTokenTypes(Keys& keys) {
  const TensorView& types = keys.model.typeEmbedding;
  keys.writer.set("tokenizer.ggml.token_type_count", static_cast<std::uint32_t>(types.empty() ? 1 : types.shape.rows()));
  return {};
}

// RoBERTa's table begins with rows that no position has; the model's config has left them out.
Result<void> takePositions(const Keys& keys, std::vector<SourceTensor>& tensors) {
  for (SourceTensor& tensor : tensors) {
    if (tensor.name != "position_embd.weight") continue;
    tensor.parts = {keys.model.positionEmbedding};
    tensor.shape = keys.model.positionEmbedding.shape;
  }
  return {};
}

bool hasSlopes(const model::ModelConfig& model) { return model.alibi != 0; }
bool isRotary(const model::ModelConfig& model) { return !model.ropes.empty(); }

void addClassifierPooling(Keys& keys) {
  const auto pooling = keys.config.find("classifier_pooling");
  if (pooling != keys.config.end() && *pooling == "mean") keys.set("classifier.pooling_type", static_cast<int>(model::Pooling::mean));
  if (pooling != keys.config.end() && *pooling == "cls") keys.set("classifier.pooling_type", static_cast<int>(model::Pooling::first));
}

void addUnscaled(Keys& keys) { keys.setText("rope.scaling.type", "none"); }

Result<void> addNeoBert(Keys& keys) {
  addUnscaled(keys);
  return addTokenTypes(keys);
}

Result<void> addEuroBert(Keys& keys) {
  addClassifierPooling(keys);
  addUnscaled(keys);
  return {};
}

bool isNomicMixture(const model::ModelConfig& model) { return std::ranges::any_of(model.layers, &model::LayerConfig::hasExperts); }

Result<void> addNomicMixtures(Keys& keys) {
  if (const auto every = keys.number("moe_every_n_layers")) keys.set("moe_every_n_layers", static_cast<int>(*every));
  return addTokenTypes(keys);
}

// The matrices of the experts. GGUF files have no bias of their sum, which llama.cpp does not add.
Result<void> addNomicExperts(const Keys& keys, std::vector<SourceTensor>& tensors) {
  for (std::size_t i = 0; i < keys.model.layers.size(); ++i) {
    const model::Experts& experts = keys.model.layers[i].experts;
    if (experts.count == 0) continue;
    const std::string block = "blk." + std::to_string(i) + ".ffn_";
    const TensorView &up = experts.up.weights.front(), &down = experts.down.weights.front();
    tensors.push_back({.name = block + "up_exps.weight", .parts = {up}, .shape = up.shape});
    tensors.push_back({.name = block + "down_exps.weight", .parts = {down}, .shape = down.shape});
  }
  return {};
}

// Every n-th layer from the first on sees the whole text.
Result<void> addModernBert(Keys& keys) {
  const auto& layers = keys.model.layers;
  const auto whole = [&](std::size_t layer) { return layers[layer].visible.window == 0; };
  std::size_t every = 1;
  while (every < layers.size() && !whole(every)) ++every;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (whole(i) == (i % every == 0)) continue;
    return cannotBeStated("A GGUF file cannot express which layers of this model see the whole text",
                          "every " + std::to_string(every) + "th from the first on", "layer " + std::to_string(i));
  }
  keys.set("attention.sliding_window_pattern", static_cast<int>(every));
  addSlidingRope(keys, "local_rope_theta");
  keys.setText("rope.scaling.type", "none");
  if (const auto epsilon = keys.number("norm_eps"))
    keys.setFloat("attention.layer_norm_rms_epsilon", *epsilon);  // llama.cpp's converter does
  const auto copyText = [&](const char* name, const char* key) {
    const auto text = keys.config.find(name);
    if (text != keys.config.end() && text->is_string()) keys.setText(key, text->get<std::string>());
  };
  copyText("hidden_activation", "hidden_activation");
  copyText("classifier_activation", "classifier.activation");
  addClassifierPooling(keys);
  return {};
}

constexpr Family encoderRows[] = {
    {.modelType = "bert",
     .architecture = "jina-bert-v2",
     .when = hasSlopes,
     .own = jinaPlaces,
     .unused = bertUnused,
     .addKeys = addTokenTypes},
    {.modelType = "xlm-roberta",
     .architecture = "jina-bert-v3",
     .when = isRotary,
     .own = flashPlaces,
     .unused = bertUnused,
     .rope = {.base = 20000},
     .addKeys = addTokenTypes},
    {.modelType = "jina_embeddings_v3",
     .architecture = "jina-bert-v3",
     .own = flashPlaces,
     .unused = bertUnused,
     .rope = {.base = 20000},
     .addKeys = addTokenTypes},
    {.modelType = "eurobert", .architecture = "eurobert", .rope = {.base = 250000}, .addKeys = addEuroBert},
    {.modelType = "neobert", .architecture = "neo-bert", .own = neoPlaces, .unused = neoUnused, .addKeys = addNeoBert},
    {.modelType = "bert",
     .architecture = "bert",
     .own = bertPlaces,
     .unused = bertUnused,
     .addKeys = addTokenTypes,
     .addTensors = takePositions},
    {.modelType = "roberta",
     .architecture = "bert",
     .own = bertPlaces,
     .unused = bertUnused,
     .addKeys = addTokenTypes,
     .addTensors = takePositions},
    {.modelType = "xlm-roberta",
     .architecture = "bert",
     .own = bertPlaces,
     .unused = bertUnused,
     .addKeys = addTokenTypes,
     .addTensors = takePositions},
    {.modelType = "nomic_bert",
     .architecture = "nomic-bert-moe",
     .when = isNomicMixture,
     .own = nomicPlaces,
     .unused = bertUnused,
     .mixer = {"mlp.", nomicExperts},
     .rope = {.base = 1000},
     .addKeys = addNomicMixtures,
     .addTensors = addNomicExperts},
    {.modelType = "nomic_bert",
     .architecture = "nomic-bert",
     .own = nomicPlaces,
     .unused = bertUnused,
     .rope = {.base = 1000},
     .addKeys = addTokenTypes},
    {.modelType = "modernbert",
     .architecture = "modern-bert",
     .own = modernPlaces,
     .unused = modernUnused,
     .appliesWindow = true,
     .rope = {.base = 160000, .baseKey = "global_rope_theta"},
     .addKeys = addModernBert},
};

}  // namespace

std::span<const Family> encoderFamilies() { return encoderRows; }

}  // namespace minerva::convert
