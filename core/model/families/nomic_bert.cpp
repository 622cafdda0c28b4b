// Nomic BERT: BERT with rotary positions and a gated feed-forward. Its own config.json has the keys of GPT-2, that of Transformers BERT's.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

#include <algorithm>

namespace minerva::model {

namespace {

Result<void> refuseUnknownNomicParts(const Reader& reader) {
  MINERVA_TRY(refuseIfSet(reader, "prenorm", "A Nomic BERT with norms before each block"));
  MINERVA_TRY(refuseIfSet(reader, "num_experts", "A mixture of experts in a Nomic BERT"));
  MINERVA_TRY(refuseIfSet(reader, "rotary_emb_interleaved", "Interleaved rotation in a Nomic BERT"));
  MINERVA_TRY(refuseIfSet(reader, "rotary_scaling_factor", "Dynamic scaling of a Nomic BERT's rotation"));
  MINERVA_TRY(refuseIfSet(reader, "use_rms_norm", "An RMS norm in a Nomic BERT"));
  MINERVA_ASSIGN(const auto activation, reader.string({"", "activation_function"}));
  return activation && *activation != "swiglu" ? refuseIfSet(reader, "activation_function", "This feed-forward") : Result<void>{};
}

Result<void> fillNomicBert(Reader& reader, ModelConfig& config) {
  poolAnyway(config);
  MINERVA_TRY(refuseUnknownNomicParts(reader));
  const auto key = [&](std::string_view gguf, std::string_view own, std::string_view transformers) {
    return Key{gguf, reader.json({"", own}) ? own : transformers};
  };
  DecoderForm form;
  form.embedding.huggingFace = "embeddings.word_embeddings";
  form.attentionNorm = form.feedForwardNorm = form.outputNorm = form.head = form.gateUp = {};
  form.qkv.huggingFace = "encoder.layers.#.attn.Wqkv";
  form.o.huggingFace = "encoder.layers.#.attn.out_proj";
  form.gate.huggingFace = "encoder.layers.#.mlp.fc12";
  form.up.huggingFace = "encoder.layers.#.mlp.fc11";
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
  form.rope.base = key("rope.freq_base", "rotary_emb_base", "rope_theta");
  form.rope.defaultBase = 1000;
  form.rope.partialKey = "rotary_emb_fraction";
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const int trained, reader.count({"", "max_trained_positions"}, Limits::context, config.contextLength));
  config.contextLength = std::min(config.contextLength, trained);
  const std::int64_t hidden = config.hiddenSize;
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    const int index = static_cast<int>(i);
    layer.visible.bidirectional = true;
    MINERVA_ASSIGN(layer.attentionSumNorm, reader.norm({"blk.#.attn_output_norm", "encoder.layers.#.norm1"}, index, hidden, form.normBias));
    MINERVA_ASSIGN(layer.feedForwardSumNorm,
                   reader.norm({"blk.#.layer_output_norm", "encoder.layers.#.norm2"}, index, hidden, form.normBias));
  }
  MINERVA_ASSIGN(config.embeddingNorm, reader.norm({"token_embd_norm", "emb_ln"}, 0, hidden, form.normBias));
  constexpr TensorName types{"token_types", "embeddings.token_type_embeddings"};
  const TensorView* stored = reader.file().find(reader.nameOf(types, 0, ".weight"));
  if (!stored) return {};
  MINERVA_ASSIGN(config.typeEmbedding, reader.tensor(types, 0, matrixShape(stored->shape.rows(), hidden)));
  return {};
}

constexpr std::string_view nomicBertGgufNames[] = {"nomic-bert"};
constexpr std::string_view nomicBertHuggingFaceNames[] = {"nomic_bert"};

}  // namespace

const Family nomicBertFamily{"nomic-bert", nomicBertGgufNames, nomicBertHuggingFaceNames, fillNomicBert};

}  // namespace minerva::model
