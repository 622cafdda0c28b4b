// Qwen3-Next and Qwen 3.5: three delta nets, then gated attention.
#include "core/convert/synth_model.h"

#include <array>

namespace minerva::convert {

namespace {

constexpr int interval = 4, deltaWidth = 4;

bool hasGatedAttention(int layer) { return (layer + 1) % interval == 0; }

void addGatedAttention(const SynthShape& s, const std::string& blk, SynthList& out) {
  const std::int64_t queries = std::int64_t{s.heads} * s.headDim, keys = std::int64_t{s.kvHeads} * s.headDim;
  out.matrix(blk + "attn_q", 2 * queries, s.hidden);  // with the gate of the result
  out.matrix(blk + "attn_k", keys, s.hidden);
  out.matrix(blk + "attn_v", keys, s.hidden);
  out.matrix(blk + "attn_output", s.hidden, queries);
  out.norm(blk + "attn_q_norm", s.headDim);
  out.norm(blk + "attn_k_norm", s.headDim);
}

void addDelta(const SynthShape& s, const std::string& blk, bool apart, SynthList& out) {
  const std::int64_t keys = std::int64_t{s.state.keyHeads} * s.state.stateSize, values = std::int64_t{s.state.heads} * s.state.headSize;
  out.matrix(blk + "attn_qkv", 2 * keys + values, s.hidden);
  out.matrix(blk + "attn_gate", values, s.hidden);
  out.matrix(blk + "ssm_conv1d", 2 * keys + values, deltaWidth);
  out.vector(blk + "ssm_a", vectorOf(s.state.heads), -1);
  out.vector(blk + "ssm_dt.bias", vectorOf(s.state.heads));
  out.norm(blk + "ssm_norm", s.state.headSize);
  out.matrix(blk + "ssm_out", s.hidden, values);
  if (apart) {
    out.matrix(blk + "ssm_alpha", s.state.heads, s.hidden);
    out.matrix(blk + "ssm_beta", s.state.heads, s.hidden);
  } else {
    out.matrix(blk + "ssm_ba", 2 * s.state.heads, s.hidden);
  }
}

void addQwenFeedForward(const SynthShape& s, const std::string& blk, SynthList& out) {
  const auto gated = [&](const std::string& ending, std::int64_t size) {
    out.matrix(blk + "ffn_gate" + ending, size, s.hidden);
    out.matrix(blk + "ffn_up" + ending, size, s.hidden);
    out.matrix(blk + "ffn_down" + ending, s.hidden, size);
  };
  if (s.experts == 0) return gated("", s.feedForward);
  out.matrix(blk + "ffn_gate_inp", s.experts, s.hidden);
  out.stack(blk + "ffn_gate_exps", s.experts, s.expertSize, s.hidden);
  out.stack(blk + "ffn_up_exps", s.experts, s.expertSize, s.hidden);
  out.stack(blk + "ffn_down_exps", s.experts, s.hidden, s.expertSize);
  out.vector(blk + "ffn_gate_inp_shexp.weight", vectorOf(s.hidden));
  gated("_shexp", s.sharedSize);
}

std::vector<SynthTensor> tensorsQwenHybrid(const SynthShape& s, const SynthTypes&) {
  SynthList out;
  out.matrix("token_embd", s.vocabulary, s.hidden);
  for (int i = 0; i < s.layers; ++i) {
    const std::string blk = "blk." + std::to_string(i) + ".";
    out.norm(blk + "attn_norm", s.hidden);
    if (hasGatedAttention(i)) addGatedAttention(s, blk, out);
    else addDelta(s, blk, s.family == "qwen35", out);
    out.norm(blk + "post_attention_norm", s.hidden);
    addQwenFeedForward(s, blk, out);
  }
  out.norm("output_norm", s.hidden);
  if (!s.tied) out.matrix("output", s.vocabulary, s.hidden);
  return out.take();
}

void describeQwenHybrid(const SynthShape& s, GgufWriter& writer) {
  const std::string own = std::string(s.family) + ".";
  const auto set = [&](const char* key, int value) { writer.set(own + key, static_cast<std::uint32_t>(value)); };
  std::vector<bool> recurrent;
  for (int i = 0; i < s.layers; ++i) recurrent.push_back(!hasGatedAttention(i));
  writer.set(own + "attention.recurrent_layers", recurrent);
  set("full_attention_interval", interval);
  set("ssm.conv_kernel", deltaWidth);
  set("ssm.state_size", s.state.stateSize);
  set("ssm.group_count", s.state.keyHeads);
  set("ssm.time_step_rank", s.state.heads);
  set("ssm.inner_size", s.state.heads * s.state.headSize);
  const int rotated = s.headDim / 4;
  set("rope.dimension_count", rotated);
  if (s.family == "qwen35") {
    const std::array<std::int32_t, 4> sections{rotated / 2 - 2 * (rotated / 6), rotated / 6, rotated / 6, 0};
    writer.set(own + "rope.dimension_sections", std::span<const std::int32_t>(sections));
  }
  if (s.experts == 0) return;
  set("expert_count", s.experts);
  set("expert_used_count", s.expertsUsed);
  set("expert_feed_forward_length", s.expertSize);
  set("expert_shared_feed_forward_length", s.sharedSize);
}

}  // namespace

const SynthFamily synthQwen35{"qwen35", tensorsQwenHybrid, describeQwenHybrid, nullptr};
const SynthFamily synthQwen3Next{"qwen3next", tensorsQwenHybrid, describeQwenHybrid, nullptr};

}  // namespace minerva::convert
