// Llama and Mistral.
#include "core/convert/synth_model.h"

namespace minerva::convert {

namespace {

std::vector<SynthTensor> tensorsLlama(const SynthShape& s, const SynthTypes& types) {
  const std::int64_t queries = std::int64_t{s.heads} * s.headDim, keys = std::int64_t{s.kvHeads} * s.headDim;
  std::vector<SynthTensor> out;
  const auto matrix = [&](std::string gguf, std::string name, std::int64_t rows, std::int64_t columns, ElementType type,
                          SynthOrder order = SynthOrder::published) {
    out.push_back({std::move(gguf), std::move(name), matrixOf(rows, columns), SynthTypes::fitting(type, columns), 0, order, s.headDim});
  };
  const auto norm = [&](std::string gguf, std::string name) {
    out.push_back({std::move(gguf), std::move(name), vectorOf(s.hidden), types.vectors(), 1});
  };
  matrix("token_embd.weight", "model.embed_tokens.weight", s.vocabulary, s.hidden, s.tied ? types.head() : types.body);
  for (int i = 0; i < s.layers; ++i) {
    const std::string blk = "blk." + std::to_string(i) + ".", layer = "model.layers." + std::to_string(i) + ".";
    // The layers to which the _M mixes give more bits: the first and last eighth and every third between.
    const bool more = types.mixed && (i < s.layers / 8 || i >= 7 * s.layers / 8 || (i - s.layers / 8) % 3 == 2);
    const ElementType body = types.body, precious = more ? ElementType::Q6_K : body;
    norm(blk + "attn_norm.weight", layer + "input_layernorm.weight");
    matrix(blk + "attn_q.weight", layer + "self_attn.q_proj.weight", queries, s.hidden, body, SynthOrder::rotated);
    matrix(blk + "attn_k.weight", layer + "self_attn.k_proj.weight", keys, s.hidden, body, SynthOrder::rotated);
    matrix(blk + "attn_v.weight", layer + "self_attn.v_proj.weight", keys, s.hidden, precious);
    matrix(blk + "attn_output.weight", layer + "self_attn.o_proj.weight", s.hidden, queries, body);
    norm(blk + "ffn_norm.weight", layer + "post_attention_layernorm.weight");
    matrix(blk + "ffn_gate.weight", layer + "mlp.gate_proj.weight", s.feedForward, s.hidden, body);
    matrix(blk + "ffn_up.weight", layer + "mlp.up_proj.weight", s.feedForward, s.hidden, body);
    matrix(blk + "ffn_down.weight", layer + "mlp.down_proj.weight", s.hidden, s.feedForward, precious);
  }
  norm("output_norm.weight", "model.norm.weight");
  if (!s.tied) matrix("output.weight", "lm_head.weight", s.vocabulary, s.hidden, types.head());
  return out;
}

void describeLlama(const SynthShape& s, GgufWriter& writer) {
  writer.set("llama.rope.dimension_count", static_cast<std::uint32_t>(s.headDim));
}

void configureLlama(const SynthShape&, const SynthTypes&, nlohmann::ordered_json& config) {
  config.update({{"architectures", {"LlamaForCausalLM"}},
                 {"model_type", "llama"},
                 {"attention_bias", false},
                 {"mlp_bias", false},
                 {"rope_scaling", nullptr}});
}

}  // namespace

const SynthFamily synthLlama{"llama", tensorsLlama, describeLlama, configureLlama};

}  // namespace minerva::convert
