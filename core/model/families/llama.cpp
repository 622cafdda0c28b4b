#include "core/model/families/llama.h"

#include "core/model/families/family.h"
#include "core/model/families/rope.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::model {

namespace {

struct Sizes {
  int heads = 0;
  int kvHeads = 0;
  int headDim = 0;
  int feedForward = 0;
  int window = 0;
};

Result<Activation> readActivation(const Reader& reader) {
  constexpr Key key{"", "hidden_act"};
  MINERVA_ASSIGN(const auto name, reader.string(key));
  if (!name || *name == "silu" || *name == "swish") return Activation::silu;
  if (*name == "gelu") return Activation::geluErf;
  if (*name == "gelu_new" || *name == "gelu_pytorch_tanh") return Activation::geluTanh;
  Error error = reader.invalid(key, "This activation is not supported", "silu, gelu, gelu_new or gelu_pytorch_tanh", *name);
  error.kind = ErrorKind::unsupported;
  return fail(std::move(error));
}

Result<Sizes> readHeads(const Reader& reader, int hidden) {
  constexpr Key headsKey{"attention.head_count", "num_attention_heads"};
  constexpr Key kvKey{"attention.head_count_kv", "num_key_value_heads"};
  constexpr Key headDimKey{"attention.key_length", "head_dim"};
  Sizes sizes;
  MINERVA_ASSIGN(sizes.heads, reader.count(headsKey, Limits::heads));
  MINERVA_ASSIGN(sizes.kvHeads, reader.count(kvKey, sizes.heads, sizes.heads));
  if (sizes.heads % sizes.kvHeads != 0) {
    return fail(reader.invalid(kvKey, "The key/value heads do not divide the query heads", "a divisor of " + std::to_string(sizes.heads),
                               std::to_string(sizes.kvHeads)));
  }
  MINERVA_ASSIGN(const auto stated, reader.integer(headDimKey));
  if (!stated && hidden % sizes.heads != 0) {
    return fail(reader.invalid(headsKey, "The heads do not divide the hidden size", "a divisor of " + std::to_string(hidden),
                               std::to_string(sizes.heads)));
  }
  MINERVA_ASSIGN(sizes.headDim, reader.count(headDimKey, Limits::headDim, hidden / sizes.heads));
  MINERVA_ASSIGN(const int valueDim, reader.count({"attention.value_length", ""}, Limits::headDim, sizes.headDim));
  if (sizes.headDim % 2 != 0 || valueDim != sizes.headDim) {
    return fail(reader.invalid(headDimKey, "This head size is not supported", "an even size, the same for keys and values",
                               std::to_string(sizes.headDim) + " and " + std::to_string(valueDim)));
  }
  return sizes;
}

Result<Sizes> readSizes(const Reader& reader, int hidden) {
  MINERVA_ASSIGN(Sizes sizes, readHeads(reader, hidden));
  MINERVA_ASSIGN(sizes.feedForward, reader.count({"feed_forward_length", "intermediate_size"}, Limits::feedForward));
  // 0 and an absent key both mean no window.
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(const auto window, reader.integer(windowKey));
  if (window.value_or(0) < 0 || window.value_or(0) > Limits::context) {
    return fail(reader.invalid(windowKey, "The sliding window is not valid", "0 or more", std::to_string(*window)));
  }
  sizes.window = static_cast<int>(window.value_or(0));
  return sizes;
}

Result<LayerConfig> readLayer(Reader& reader, const Sizes& sizes, int hidden, int layer, std::pair<Reader::Bias, Reader::Bias> biases) {
  const auto [attentionBias, feedForwardBias] = biases;
  const std::int64_t queryRows = std::int64_t{sizes.heads} * sizes.headDim;
  const std::int64_t kvRows = std::int64_t{sizes.kvHeads} * sizes.headDim;
  LayerConfig out;
  out.headCount = sizes.heads;
  out.kvHeadCount = sizes.kvHeads;
  out.headDim = sizes.headDim;
  out.window = sizes.window;
  out.feedForwardSize = sizes.feedForward;
  MINERVA_ASSIGN(out.attentionNorm, reader.norm({"blk.#.attn_norm", "model.layers.#.input_layernorm"}, layer, hidden));
  MINERVA_ASSIGN(out.q, reader.linear({"blk.#.attn_q", "model.layers.#.self_attn.q_proj"}, layer, queryRows, hidden, attentionBias));
  MINERVA_ASSIGN(out.k, reader.linear({"blk.#.attn_k", "model.layers.#.self_attn.k_proj"}, layer, kvRows, hidden, attentionBias));
  MINERVA_ASSIGN(out.v, reader.linear({"blk.#.attn_v", "model.layers.#.self_attn.v_proj"}, layer, kvRows, hidden, attentionBias));
  MINERVA_ASSIGN(out.o, reader.linear({"blk.#.attn_output", "model.layers.#.self_attn.o_proj"}, layer, hidden, queryRows, attentionBias));
  MINERVA_ASSIGN(out.feedForwardNorm, reader.norm({"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"}, layer, hidden));
  MINERVA_ASSIGN(out.gate, reader.linear({"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"}, layer, sizes.feedForward, hidden, feedForwardBias));
  MINERVA_ASSIGN(out.up, reader.linear({"blk.#.ffn_up", "model.layers.#.mlp.up_proj"}, layer, sizes.feedForward, hidden, feedForwardBias));
  MINERVA_ASSIGN(out.down, reader.linear({"blk.#.ffn_down", "model.layers.#.mlp.down_proj"}, layer, hidden, sizes.feedForward, feedForwardBias));
  return out;
}

// What the file says the vocabulary's size is; a GGUF file leaves it to the shape of the embedding.
Result<int> readVocabularySize(const Reader& reader, TensorName embedding) {
  constexpr Key key{"vocab_size", "vocab_size"};
  if (!reader.isGguf()) return reader.count(key, Limits::vocabulary);
  const TensorView* view = reader.file().find(reader.nameOf(embedding, 0, ".weight"));
  const std::int64_t rows = view ? view->shape.rows() : 1;
  if (rows < 1 || rows > Limits::vocabulary) {
    return fail(reader.invalid(key, "The vocabulary is too large", "at most " + std::to_string(Limits::vocabulary), std::to_string(rows)));
  }
  return static_cast<int>(rows);
}

Result<void> readHead(Reader& reader, ModelConfig& config) {
  constexpr TensorName headName{"output", "lm_head"};
  const bool stored = reader.has(headName, 0);
  MINERVA_ASSIGN(const auto tied, reader.boolean({"", "tie_word_embeddings"}));
  config.tiedHead = reader.isGguf() ? !stored : tied.value_or(false);
  if (config.tiedHead) {
    config.head.weight = config.tokenEmbedding;
    if (stored) reader.ignore(reader.nameOf(headName, 0, ".weight"));  // a copy of the embedding
    return {};
  }
  MINERVA_ASSIGN(config.head, reader.linear(headName, 0, config.vocabularySize, config.hiddenSize, Reader::Bias::optional));
  return {};
}

Result<void> fillLlama(Reader& reader, ModelConfig& config) { return fillLlamaLike(reader, config); }

constexpr std::string_view ggufNames[] = {"llama"};
constexpr std::string_view huggingFaceNames[] = {"llama"};

}  // namespace

Result<void> fillLlamaLike(Reader& reader, ModelConfig& config) {
  constexpr TensorName embedding{"token_embd", "model.embed_tokens"};
  MINERVA_ASSIGN(const int layers, reader.count({"block_count", "num_hidden_layers"}, Limits::layers));
  MINERVA_ASSIGN(config.hiddenSize, reader.count({"embedding_length", "hidden_size"}, Limits::hidden));
  MINERVA_ASSIGN(config.contextLength, reader.count({"context_length", "max_position_embeddings"}, Limits::context, 2048));
  MINERVA_ASSIGN(const double epsilon, reader.positive({"attention.layer_norm_rms_epsilon", "rms_norm_eps"}, 1.0, 1e-6));
  MINERVA_ASSIGN(const Sizes sizes, readSizes(reader, config.hiddenSize));
  MINERVA_ASSIGN(config.activation, readActivation(reader));
  MINERVA_ASSIGN(config.vocabularySize, readVocabularySize(reader, embedding));
  MINERVA_ASSIGN(const auto attentionBias, reader.boolean({"", "attention_bias"}));
  MINERVA_ASSIGN(const auto feedForwardBias, reader.boolean({"", "mlp_bias"}));
  config.norm = NormKind::rms;
  config.normEpsilon = static_cast<float>(epsilon);
  config.attentionScale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(sizes.headDim)));
  const RopeLayout layout = reader.isGguf() ? RopeLayout::interleaved : RopeLayout::halves;
  MINERVA_ASSIGN(config.rope, readRope(reader, sizes.headDim, config.contextLength, layout, config.warnings));

  MINERVA_ASSIGN(config.tokenEmbedding, reader.tensor(embedding, 0, matrixShape(config.vocabularySize, config.hiddenSize)));
  const auto biasOf = [](std::optional<bool> stated) { return stated.value_or(false) ? Reader::Bias::required : Reader::Bias::optional; };
  for (int i = 0; i < layers; ++i) {
    MINERVA_ASSIGN(LayerConfig layer, readLayer(reader, sizes, config.hiddenSize, i, {biasOf(attentionBias), biasOf(feedForwardBias)}));
    config.layers.push_back(std::move(layer));
  }
  MINERVA_ASSIGN(config.outputNorm, reader.norm({"output_norm", "model.norm"}, 0, config.hiddenSize));
  return readHead(reader, config);
}

const Family llamaFamily{"llama", ggufNames, huggingFaceNames, fillLlama};

}  // namespace minerva::model
