// DeepSeek-V3's form as GLM-4.7-Flash has it: latent attention, a dense layer, then experts that are chosen by biased sigmoids.
#include "core/convert/synth_model.h"

namespace minerva::convert {

namespace {

constexpr int denseLayers = 1;
constexpr float expertScale = 1.8F;

void addLatentTensors(const SynthShape& s, const std::string& blk, SynthList& out) {
  const SynthLatent& l = s.latent;
  out.matrix(blk + "attn_q_a", l.query, s.hidden);
  out.norm(blk + "attn_q_a_norm", l.query);
  out.matrix(blk + "attn_q_b", std::int64_t{s.heads} * (l.plain + l.rotated), l.query);
  out.matrix(blk + "attn_kv_a_mqa", l.keys + l.rotated, s.hidden);
  out.norm(blk + "attn_kv_a_norm", l.keys);
  out.stack(blk + "attn_k_b", s.heads, l.keys, l.plain);
  out.stack(blk + "attn_v_b", s.heads, l.value, l.keys);
  out.matrix(blk + "attn_output", s.hidden, std::int64_t{s.heads} * l.value);
}

void addBiasedMixture(const SynthShape& s, const std::string& blk, SynthList& out) {
  out.matrix(blk + "ffn_gate_inp", s.experts, s.hidden);
  out.vector(blk + "exp_probs_b.bias", vectorOf(s.experts));
  out.stack(blk + "ffn_gate_exps", s.experts, s.expertSize, s.hidden);
  out.stack(blk + "ffn_up_exps", s.experts, s.expertSize, s.hidden);
  out.stack(blk + "ffn_down_exps", s.experts, s.hidden, s.expertSize);
  out.matrix(blk + "ffn_gate_shexp", s.sharedSize, s.hidden);
  out.matrix(blk + "ffn_up_shexp", s.sharedSize, s.hidden);
  out.matrix(blk + "ffn_down_shexp", s.hidden, s.sharedSize);
}

std::vector<SynthTensor> tensorsDeepseek2(const SynthShape& s, const SynthTypes&) {
  SynthList out;
  out.matrix("token_embd", s.vocabulary, s.hidden);
  for (int i = 0; i < s.layers; ++i) {
    const std::string blk = "blk." + std::to_string(i) + ".";
    out.norm(blk + "attn_norm", s.hidden);
    addLatentTensors(s, blk, out);
    out.norm(blk + "ffn_norm", s.hidden);
    if (i >= denseLayers) {
      addBiasedMixture(s, blk, out);
      continue;
    }
    out.matrix(blk + "ffn_gate", s.feedForward, s.hidden);
    out.matrix(blk + "ffn_up", s.feedForward, s.hidden);
    out.matrix(blk + "ffn_down", s.hidden, s.feedForward);
  }
  out.norm("output_norm", s.hidden);
  if (!s.tied) out.matrix("output", s.vocabulary, s.hidden);
  return out.take();
}

void describeDeepseek2(const SynthShape& s, GgufWriter& writer) {
  const auto set = [&](const char* key, int value) { writer.set(std::string("deepseek2.") + key, static_cast<std::uint32_t>(value)); };
  constexpr int sigmoid = 2;
  const SynthLatent& l = s.latent;
  set("attention.head_count_kv", 1);
  set("attention.key_length", l.keys + l.rotated);
  set("attention.value_length", l.keys);
  set("attention.key_length_mla", l.plain + l.rotated);
  set("attention.value_length_mla", l.value);
  set("attention.q_lora_rank", l.query);
  set("attention.kv_lora_rank", l.keys);
  set("rope.dimension_count", l.rotated);
  set("leading_dense_block_count", denseLayers);
  set("expert_count", s.experts);
  set("expert_used_count", s.expertsUsed);
  set("expert_feed_forward_length", s.expertSize);
  set("expert_shared_count", s.sharedSize / s.expertSize);
  set("expert_group_count", 1);
  set("expert_group_used_count", 1);
  set("expert_gating_func", sigmoid);
  writer.set("deepseek2.expert_weights_scale", expertScale);
  writer.set("deepseek2.expert_weights_norm", true);
}

}  // namespace

const SynthFamily synthDeepseek2{"deepseek2", tensorsDeepseek2, describeDeepseek2, nullptr, true};

}  // namespace minerva::convert
