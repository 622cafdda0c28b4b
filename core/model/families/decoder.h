// The common structure of decoder models as a declarative form: a family names its tensors and its differences from
// Llama; fillDecoder reads sizes, norms, rope, attention and feed-forward of every layer. What the form cannot express
// (multipliers, per-layer windows, soft caps) the family sets in the ModelConfig afterwards.
#pragma once

#include "core/model/families/decoder_values.h"
#include "core/model/families/reader.h"
#include "core/model/families/rope.h"

#include <span>
#include <vector>

namespace minerva::model {

// Names and rules of a mixture of experts. '#' stands for the layer, '@' for the expert. Which of the three storage
// layouts a file uses is detected from its tensors: stacks [experts, rows, columns] (GGUF, MLX), one tensor per expert,
// or one stack with gate and up fused.
struct ExpertForm {
  Key count{"expert_count", "num_experts"};
  Key used{"expert_used_count", "num_experts_per_tok"};
  int usedCount = 0;  // 0: by the key
  Key feedForward{"expert_feed_forward_length", "moe_intermediate_size"};
  TensorName router{"blk.#.ffn_gate_inp", "model.layers.#.mlp.gate"};
  std::string_view stacked = "model.layers.#.mlp.switch_mlp.";  // prefix of MLX stack names, followed by one of these
  std::string_view stackedGate = "gate_proj", stackedUp = "up_proj", stackedDown = "down_proj";
  std::string_view gate = "model.layers.#.mlp.experts.@.gate_proj", up = "model.layers.#.mlp.experts.@.up_proj",
                   down = "model.layers.#.mlp.experts.@.down_proj";
  std::string_view fusedGateUp{}, fusedDown{};  // full names of Hugging Face stacks
  GatePlace fusedPlace = GatePlace::halves;
  bool fusedTransposed = false;  // those stacks are [experts, columns, rows]
  bool gated = true;             // false: an expert has no gate, nor has the shared one
  Scoring scoring = Scoring::softmax;
  Reader::Bias selection = Reader::Bias::none;  // whether the file has a bias that is added to the scores for the selection
  TensorName selectionBias{"blk.#.exp_probs_b.bias", "model.layers.#.mlp.gate.e_score_correction_bias"};  // full names
  bool normalised = true;
  double scale = 1;
  int groups = 1, groupsUsed = 1;
  GroupRank groupRank = GroupRank::largest;
  bool scalesInput = false;  // the weights multiply the experts' input
  // Of a latent space that the routed experts work in. 0: none.
  int latentSize = 0;
  TensorName latentDown{"blk.#.ffn_latent_down", ""}, latentUp{"blk.#.ffn_latent_up", ""};
  // The shared expert; size 0: none.
  int sharedSize = 0;
  TensorName sharedGate{"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_expert.gate_proj"};
  TensorName sharedUp{"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_expert.up_proj"};
  TensorName sharedDown{"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_expert.down_proj"};
  TensorName sharedGateUp{};     // the rows of both; used if present in the file. GGUF may give them the name of sharedUp
  TensorName sharedRouter{};     // empty: the shared expert's result is not scaled
  int firstDense = 0;            // earlier layers have a dense feed-forward
  std::vector<int> denseLayers;  // further dense layers
  int step = 1;                  // of the other layers, only every step-th is a mixture
};

// Names of a layer that predicts the token after the next one (model_config.h), which is number `layers` in GGUF.
struct PredictionForm {
  TensorName combine{"blk.#.nextn.eh_proj", "mtp.fc"};  // such a layer is there if the file has this
  TensorName embeddingNorm{"blk.#.nextn.enorm", "mtp.pre_fc_norm_embedding"};
  TensorName hiddenNorm{"blk.#.nextn.hnorm", "mtp.pre_fc_norm_hidden"};
  TensorName outputNorm{"blk.#.nextn.shared_head_norm", "mtp.norm"};                               // else the model's
  TensorName head{"blk.#.nextn.shared_head_head", ""}, embedding{"blk.#.nextn.embed_tokens", ""};  // likewise
  // Hugging Face: in place of "model.layers." before its number, counted from 0. Empty: it is number `layers` there, too.
  std::string_view layers = "mtp.layers.";
};

// Such a layer where it follows the model's own under their names (DeepSeek-V3, GLM-4.5).
inline constexpr PredictionForm predictionBehindLayers{.combine = {"blk.#.nextn.eh_proj", "model.layers.#.eh_proj"},
                                                       .embeddingNorm = {"blk.#.nextn.enorm", "model.layers.#.enorm"},
                                                       .hiddenNorm = {"blk.#.nextn.hnorm", "model.layers.#.hnorm"},
                                                       .outputNorm = {"blk.#.nextn.shared_head_norm", "model.layers.#.shared_head.norm"},
                                                       .head = {"blk.#.nextn.shared_head_head", "model.layers.#.shared_head.head"},
                                                       .embedding = {"blk.#.nextn.embed_tokens", "model.layers.#.embed_tokens"},
                                                       .layers = ""};

// What a layer has, where not all have the same.
struct LayerParts {
  bool attention = true;
  bool mixer = false;  // another one, which the family reads; its input norm is attentionNorm
  bool feedForward = true;
  int kvHeads = 0, feedForwardSize = 0;  // 0: as the model's keys say
};

// The attention of a layer, where not all have the same.
struct HeadSizes {
  int heads = 0, kvHeads = 0, headDim = 0, valueDim = 0;
};

enum class HeadNorms { none, shared, own, wholeWidth };  // weights [headDim], [heads, headDim], or over all heads together

struct DecoderForm {
  TensorName embedding{"token_embd", "model.embed_tokens"};
  TensorName attentionNorm{"blk.#.attn_norm", "model.layers.#.input_layernorm"};  // an empty name: the family has no such tensor
  TensorName q{"blk.#.attn_q", "model.layers.#.self_attn.q_proj"};
  TensorName k{"blk.#.attn_k", "model.layers.#.self_attn.k_proj"};
  TensorName v{"blk.#.attn_v", "model.layers.#.self_attn.v_proj"};
  TensorName qkv{"blk.#.attn_qkv", "model.layers.#.self_attn.qkv_proj"};  // used if present in the file
  // Outside GGUF, qkv has for each key head the rows of its queries, then those of the key and of the value.
  bool qkvByKeyHead = false;
  TensorName o{"blk.#.attn_output", "model.layers.#.self_attn.o_proj"};
  TensorName qNorm{"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm"};
  TensorName kNorm{"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm"};
  TensorName outputGate{};  // of the result, for each of its elements or for each head
  TensorName postAttentionNorm{};
  TensorName feedForwardNorm{"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"};
  TensorName gate{"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"};
  TensorName up{"blk.#.ffn_up", "model.layers.#.mlp.up_proj"};
  TensorName gateUp{"blk.#.ffn_gate_up", "model.layers.#.mlp.gate_up_proj"};  // used if present in the file
  TensorName down{"blk.#.ffn_down", "model.layers.#.mlp.down_proj"};
  TensorName postFeedForwardNorm{};
  TensorName outputNorm{"output_norm", "model.norm"};
  TensorName head{"output", "lm_head"};

  Key layers{"block_count", "num_hidden_layers"}, hidden{"embedding_length", "hidden_size"};
  Key predictionLayers{"nextn_predict_layers", "num_nextn_predict_layers"};  // GGUF counts them among the layers
  Key context{"context_length", "max_position_embeddings"};
  Key heads{"attention.head_count", "num_attention_heads"}, kvHeads{"attention.head_count_kv", "num_key_value_heads"};
  Key headDimKey{"attention.key_length", "head_dim"};
  Key feedForward{"feed_forward_length", "intermediate_size"};
  Key epsilon{"attention.layer_norm_rms_epsilon", "rms_norm_eps"};
  Key window{"attention.sliding_window", "sliding_window"};            // for all layers; empty key: the family sets windows itself
  std::string_view activationKey = "hidden_act", ggufActivationKey{};  // few families' GGUF files have one
  double defaultEpsilon = 1e-6;
  int defaultLayers = 0;                                         // 0: the key is required
  int defaultFeedForward = 0;                                    // 0: the key is required if any layer has a dense feed-forward
  int defaultHeads = 0, defaultKvHeads = 0, defaultHeadDim = 0;  // 0: heads is required; kvHeads = heads; headDim = hidden / heads
  int defaultContext = 2048;

  NormKind norm = NormKind::rms;
  Reader::Bias normBias = Reader::Bias::none;
  Activation activation = Activation::silu;  // if config.json does not specify one
  bool gated = true;
  bool ggufUpHoldsGate = false;          // GGUF: ffn_up holds the rows of gate, then those of up
  bool attention = true, blocks = true;  // false: the family reads attention or feed-forward itself
  HeadNorms headNorms = HeadNorms::none;
  bool gateInQuery = false;            // q holds, for each head, the rows of the query and then those of the result's gate
  std::vector<LayerParts> parts{};     // by layer; those not listed have attention and a feed-forward
  std::vector<HeadSizes> headSizes{};  // by layer; empty: by the keys, the same in all
  bool rotary = true;
  RopeForm rope;
  const ExpertForm* experts = nullptr;
  const PredictionForm* prediction = nullptr;  // null: such layers are not read
};

// Requires one head size for all layers that have attention, unless the form states them. The rope is that of the first layer's heads.
[[nodiscard]] Result<void> fillDecoder(Reader& reader, const DecoderForm& form, ModelConfig& config);

// experts.cpp: the experts of one layer; sizes come from the model's config.
[[nodiscard]] Result<Experts> readExperts(Reader& reader, const ExpertForm& form, int layer, int hidden);
[[nodiscard]] bool isMixture(const ExpertForm& form, int layer);
// Rows of the shared experts together, `count` of the size of one expert; 0 if there are none.
[[nodiscard]] Result<int> sharedExpertsSize(const Reader& reader, const Key& count, const Key& feedForward);
// How a router's logits become scores: by GGUF's expert_gating_func or this key of config.json. Errors: unsupported (another function).
[[nodiscard]] Result<Scoring> readScoring(const Reader& reader, std::string_view key, Scoring otherwise);
// The number of groups and how many of them are used; 1 of 1 if the file does not say.
[[nodiscard]] Result<void> readExpertGroups(const Reader& reader, ExpertForm& form);
// Which layers are dense, where config.json lists it ("mlp_layer_types").
[[nodiscard]] Result<void> readDenseLayers(const Reader& reader, ExpertForm& form);

// The number of layers; those that only predict further tokens do not count.
[[nodiscard]] Result<int> decoderLayers(const Reader& reader, const DecoderForm& form);

}  // namespace minerva::model
