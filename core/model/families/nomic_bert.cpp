// Nomic BERT: BERT with rotary positions and a gated feed-forward; or one that is not gated, in every n-th layer with a mixture of experts
// in its place. Its own config.json has the keys of GPT-2, that of Transformers BERT's.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

#include "core/tensor/arrangement.h"

#include <algorithm>

namespace minerva::model {

namespace {

constexpr Key everyKey{"moe_every_n_layers", "moe_every_n_layers"}, countKey{"expert_count", "num_experts"};

// Every n-th layer is a mixture, the second one the first. 0: none is.
Result<int> layersOfAMixture(const Reader& reader) {
  MINERVA_ASSIGN(const auto stated, reader.integer(everyKey));
  return stated.value_or(0) == 0 ? 0 : reader.count(everyKey, Limits::layers);
}

// The two matrices of an expert, of all experts in one, have the same shape in a folder: the second is stored transposed.
Result<Experts> readNomicExperts(Reader& reader, int layer, int hidden, int feedForward) {
  ExpertForm form;
  form.feedForward = {"feed_forward_length", ""};
  form.used.huggingFace = "moe_top_k";
  form.gated = false;
  form.normalised = false;
  if (reader.isGguf()) return readExperts(reader, form, layer, hidden);
  Experts out;
  MINERVA_ASSIGN(out.count, reader.count(countKey, Limits::heads));
  MINERVA_ASSIGN(out.used, reader.count(form.used, out.count));
  out.feedForwardSize = feedForward;
  out.normalised = out.gated = false;
  const std::string experts = reader.nameOf(TensorName{"", "encoder.layers.#.mlp.experts."}, layer, "");
  MINERVA_ASSIGN(out.router, reader.linear({"", "encoder.layers.#.mlp.router.layer"}, layer, out.count, hidden, Reader::Bias::none));
  const Shape stored = matrixShape(std::int64_t{out.count} * feedForward, hidden);
  MINERVA_ASSIGN(TensorView up, reader.tensor(experts + "mlp.w1", stored));
  up.shape = stackShape(out.count, feedForward, hidden);
  MINERVA_ASSIGN(TensorView down, reader.tensor(experts + "mlp.w2", stored));
  down.shape = up.shape;
  MINERVA_ASSIGN(down, reader.transposed(down, experts + "mlp.w2"));
  out.up.weights = {up};
  out.down.weights = {down};
  if (reader.hasNamed(experts + "bias")) {
    MINERVA_ASSIGN(out.resultBias, reader.tensor(experts + "bias", vectorShape(hidden)));
  }
  return out;
}

Result<void> refuseUnknownNomicParts(const Reader& reader, bool mixtures) {
  MINERVA_TRY(refuseIfSet(reader, "prenorm", "A Nomic BERT with norms before each block"));
  MINERVA_TRY(refuseIfSet(reader, "num_shared_experts", "A shared expert in a Nomic BERT"));
  MINERVA_TRY(refuseIfSet(reader, "moe_normalize_expert_weights", "Normalization of the experts' shares in a Nomic BERT"));
  MINERVA_TRY(refuseIfSet(reader, "expert_choice_router", "A choice of tokens by experts in a Nomic BERT"));
  MINERVA_TRY(refuseIfSet(reader, "rotary_emb_interleaved", "Interleaved rotation in a Nomic BERT"));
  MINERVA_TRY(refuseIfSet(reader, "rotary_scaling_factor", "Dynamic scaling of a Nomic BERT's rotation"));
  MINERVA_TRY(refuseIfSet(reader, "use_rms_norm", "An RMS norm in a Nomic BERT"));
  MINERVA_ASSIGN(const auto activation, reader.string({"", "activation_function"}));
  return activation && *activation != (mixtures ? "gelu" : "swiglu") ? refuseIfSet(reader, "activation_function", "This feed-forward")
                                                                     : Result<void>{};
}

DecoderForm nomicForm(const Reader& reader, int every) {
  const auto key = [&](std::string_view gguf, std::string_view own, std::string_view transformers) {
    return Key{gguf, reader.json({"", own}) ? own : transformers};
  };
  DecoderForm form;
  form.embedding.huggingFace = "embeddings.word_embeddings";
  form.attentionNorm = form.feedForwardNorm = form.outputNorm = form.head = form.gateUp = {};
  form.qkv.huggingFace = "encoder.layers.#.attn.Wqkv";
  form.o.huggingFace = "encoder.layers.#.attn.out_proj";
  form.gate.huggingFace = "encoder.layers.#.mlp.fc12";
  form.up.huggingFace = every > 0 ? "encoder.layers.#.mlp.fc1" : "encoder.layers.#.mlp.fc11";
  form.down.huggingFace = "encoder.layers.#.mlp.fc2";
  form.layers = key("block_count", "n_layer", "num_hidden_layers");
  form.hidden = key("embedding_length", "n_embd", "hidden_size");
  form.heads = key("attention.head_count", "n_head", "num_attention_heads");
  form.kvHeads.huggingFace = {};
  form.context = key("context_length", "n_positions", "max_position_embeddings");
  form.feedForward = key("feed_forward_length", "n_inner", "intermediate_size");
  form.epsilon = key("attention.layer_norm_epsilon", "layer_norm_epsilon", "layer_norm_eps");
  form.defaultEpsilon = 1e-12;
  form.window = {};
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.gated = every == 0;
  if (every > 0) form.activation = Activation::geluErf;
  form.rope.base = key("rope.freq_base", "rotary_emb_base", "rope_theta");
  form.rope.defaultBase = 1000;
  form.rope.partialKey = "rotary_emb_fraction";
  return form;
}

// The length that a folder's model was trained for. The published mixture has seen 512 tokens, whatever its config.json says of positions.
Result<int> trainedLength(const Reader& reader, int positions, bool mixtures) {
  MINERVA_ASSIGN(const int stated, reader.count({"", "max_trained_positions"}, Limits::context, positions));
  return mixtures && !reader.isGguf() && positions == 2048 ? 512 : std::min(positions, stated);
}

Result<void> fillNomicBert(Reader& reader, ModelConfig& config) {
  poolAnyway(config);
  MINERVA_ASSIGN(const int every, layersOfAMixture(reader));
  MINERVA_TRY(refuseUnknownNomicParts(reader, every > 0));
  DecoderForm form = nomicForm(reader, every);
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  for (int i = 0; i < layers && every > 0; ++i) form.parts.push_back({.feedForward = i % every != 1});
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(config.contextLength, trainedLength(reader, config.contextLength, every > 0));
  const int hidden = config.hiddenSize;
  for (int i = 0; i < layers; ++i) {
    LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
    layer.visible.bidirectional = true;
    MINERVA_ASSIGN(layer.attentionSumNorm, reader.norm({"blk.#.attn_output_norm", "encoder.layers.#.norm1"}, i, hidden, form.normBias));
    MINERVA_ASSIGN(layer.feedForwardSumNorm, reader.norm({"blk.#.layer_output_norm", "encoder.layers.#.norm2"}, i, hidden, form.normBias));
    if (every == 0 || form.parts[static_cast<std::size_t>(i)].feedForward) continue;
    MINERVA_ASSIGN(layer.feedForwardSize, reader.count(form.feedForward, Limits::feedForward));
    MINERVA_ASSIGN(layer.experts, readNomicExperts(reader, i, hidden, layer.feedForwardSize));
  }
  MINERVA_ASSIGN(config.embeddingNorm, reader.norm({"token_embd_norm", "emb_ln"}, 0, hidden, form.normBias));
  constexpr TensorName types{"token_types", "embeddings.token_type_embeddings"};
  const TensorView* stored = reader.file().find(reader.nameOf(types, 0, ".weight"));
  if (!stored) return {};
  MINERVA_ASSIGN(config.typeEmbedding, reader.tensor(types, 0, matrixShape(stored->shape.rows(), hidden)));
  return {};
}

constexpr std::string_view nomicBertGgufNames[] = {"nomic-bert", "nomic-bert-moe"};
constexpr std::string_view nomicBertHuggingFaceNames[] = {"nomic_bert"};

}  // namespace

const Family nomicBertFamily{"nomic-bert", nomicBertGgufNames, nomicBertHuggingFaceNames, fillNomicBert};

}  // namespace minerva::model
