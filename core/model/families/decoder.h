// What nearly all decoders share, as a form to fill in: a family names its tensors and says where it differs from Llama, and
// fillDecoder reads sizes, norms, rotation, attention and feed-forward of every layer. What a form cannot say (multipliers,
// windows by layer, soft caps) the family sets in the ModelConfig afterwards.
#pragma once

#include "core/model/families/reader.h"
#include "core/model/families/rope.h"

#include <vector>

namespace minerva::model {

// Names and rules of a mixture of experts. '#' stands for the layer, '@' for the expert. Which of the three ways a file has is
// found by its tensors: stacked [experts, rows, columns] (GGUF, MLX), one tensor an expert, or gate and up in one stack.
struct ExpertForm {
  Key count{"expert_count", "num_experts"};
  Key used{"expert_used_count", "num_experts_per_tok"};
  Key feedForward{"expert_feed_forward_length", "moe_intermediate_size"};
  TensorName router{"blk.#.ffn_gate_inp", "model.layers.#.mlp.gate"};
  std::string_view stacked = "model.layers.#.mlp.switch_mlp.";  // + gate_proj.weight: as MLX names its stacks
  std::string_view gate = "model.layers.#.mlp.experts.@.gate_proj", up = "model.layers.#.mlp.experts.@.up_proj",
                   down = "model.layers.#.mlp.experts.@.down_proj";
  std::string_view fusedGateUp{}, fusedDown{};  // whole names of a Hugging Face stack
  GatePlace fusedPlace = GatePlace::halves;
  bool normalised = true;
  double scale = 1;
  int groups = 1, groupsUsed = 1;
  // The shared expert; size 0: none.
  int sharedSize = 0;
  TensorName sharedGate{"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_expert.gate_proj"};
  TensorName sharedUp{"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_expert.up_proj"};
  TensorName sharedDown{"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_expert.down_proj"};
  TensorName sharedRouter{};     // empty: every token takes the whole shared expert
  int firstDense = 0;            // layers before it have an ordinary feed-forward
  std::vector<int> denseLayers;  // and so have these
  int step = 1;                  // of the others only every step-th is a mixture
};

enum class HeadNorms { none, shared, own, wholeWidth };  // weights [headDim], [heads, headDim], or over all heads together

struct DecoderForm {
  TensorName embedding{"token_embd", "model.embed_tokens"};
  TensorName attentionNorm{"blk.#.attn_norm", "model.layers.#.input_layernorm"};  // an empty name: the family has no such tensor
  TensorName q{"blk.#.attn_q", "model.layers.#.self_attn.q_proj"};
  TensorName k{"blk.#.attn_k", "model.layers.#.self_attn.k_proj"};
  TensorName v{"blk.#.attn_v", "model.layers.#.self_attn.v_proj"};
  TensorName qkv{"blk.#.attn_qkv", "model.layers.#.self_attn.qkv_proj"};  // taken where the file has it
  TensorName o{"blk.#.attn_output", "model.layers.#.self_attn.o_proj"};
  TensorName qNorm{"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm"};
  TensorName kNorm{"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm"};
  TensorName postAttentionNorm{};
  TensorName feedForwardNorm{"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"};
  TensorName gate{"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"};
  TensorName up{"blk.#.ffn_up", "model.layers.#.mlp.up_proj"};
  TensorName gateUp{"blk.#.ffn_gate_up", "model.layers.#.mlp.gate_up_proj"};  // taken where the file has it
  TensorName down{"blk.#.ffn_down", "model.layers.#.mlp.down_proj"};
  TensorName postFeedForwardNorm{};
  TensorName outputNorm{"output_norm", "model.norm"};
  TensorName head{"output", "lm_head"};

  Key layers{"block_count", "num_hidden_layers"}, hidden{"embedding_length", "hidden_size"};
  Key context{"context_length", "max_position_embeddings"};
  Key heads{"attention.head_count", "num_attention_heads"}, kvHeads{"attention.head_count_kv", "num_key_value_heads"};
  Key headDimKey{"attention.key_length", "head_dim"};
  Key feedForward{"feed_forward_length", "intermediate_size"};
  Key epsilon{"attention.layer_norm_rms_epsilon", "rms_norm_eps"};
  Key window{"attention.sliding_window", "sliding_window"};  // of all layers; an empty key: the family sets windows itself
  std::string_view activationKey = "hidden_act";
  double defaultEpsilon = 1e-6;
  int defaultFeedForward = 0;                                    // 0: the key must be there
  int defaultHeads = 0, defaultKvHeads = 0, defaultHeadDim = 0;  // 0: heads must be there; as many; hidden / heads
  int defaultContext = 2048;

  NormKind norm = NormKind::rms;
  Reader::Bias normBias = Reader::Bias::none;
  Activation activation = Activation::silu;  // where config.json does not say
  bool gated = true;
  bool ggufUpHoldsGate = false;          // GGUF: ffn_up is gate and up, one above the other
  bool attention = true, blocks = true;  // false: the family reads its attention, or its feed-forward, itself
  HeadNorms headNorms = HeadNorms::none;
  bool rotary = true;
  RopeForm rope;
  const ExpertForm* experts = nullptr;
};

// Relies on: one head size and one feed-forward size for all layers.
[[nodiscard]] Result<void> fillDecoder(Reader& reader, const DecoderForm& form, ModelConfig& config);

// experts.cpp: the mixture of one layer, as many experts as the config says.
[[nodiscard]] Result<Experts> readExperts(Reader& reader, const ExpertForm& form, int layer, int hidden);
[[nodiscard]] bool isMixture(const ExpertForm& form, int layer);

// Families' helpers. `name` is config.json's activation; errors: unsupported, naming it.
[[nodiscard]] Result<Activation> readActivation(const Reader& reader, std::string_view key, Activation otherwise);
// Which layers see only a window: config.json's layer_types, else every layer but each `pattern`-th (0: every layer).
[[nodiscard]] Result<std::vector<bool>> slidingLayers(const Reader& reader, int layers, int pattern);
// `refused` present and not false, null or 0: unsupported, by name.
[[nodiscard]] Result<void> refuseIfSet(const Reader& reader, std::string_view key, const char* meaning);

}  // namespace minerva::model
