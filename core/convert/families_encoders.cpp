// Rows of the families that only make vectors of texts: every token sees those behind it too.
#include "core/convert/families.h"

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
constexpr Place nomicPlaces[] = {{"embeddings.word_embeddings", "token_embd"},
                                 {"embeddings.token_type_embeddings", "token_types"},
                                 {"emb_ln", "token_embd_norm"},
                                 {"attn.Wqkv", "attn_qkv"},
                                 {"attn.out_proj", "attn_output"},
                                 {"mlp.fc11", "ffn_up"},
                                 {"mlp.fc12", "ffn_gate"},
                                 {"norm1", "attn_output_norm"},
                                 {"norm2", "layer_output_norm"}};
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
  const auto pooling = keys.config.find("classifier_pooling");
  if (pooling != keys.config.end() && *pooling == "mean") keys.set("classifier.pooling_type", static_cast<int>(model::Pooling::mean));
  if (pooling != keys.config.end() && *pooling == "cls") keys.set("classifier.pooling_type", static_cast<int>(model::Pooling::first));
  return {};
}

constexpr Family encoderRows[] = {
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
