// Granite 4: Mamba 2, with attention in every tenth layer, and experts beside a shared one in all of them.
#include "core/convert/synth_model.h"

namespace minerva::convert {

namespace {

constexpr int mambaWidth = 4;

bool hasAttentionAmongMamba(int layer) { return layer % 10 == 5; }

void addMambaTensorsTo(const SynthShape& s, const std::string& blk, SynthList& out) {
  const std::int64_t inner = std::int64_t{s.state.heads} * s.state.headSize, channels = inner + 2 * std::int64_t{s.state.stateSize};
  out.matrix(blk + "ssm_in", inner + channels + s.state.heads, s.hidden);
  out.matrix(blk + "ssm_conv1d", channels, mambaWidth);
  out.vector(blk + "ssm_conv1d.bias", vectorOf(channels));
  out.vector(blk + "ssm_a", matrixOf(s.state.heads, 1), -1);
  out.vector(blk + "ssm_d", matrixOf(s.state.heads, 1), 1);
  out.vector(blk + "ssm_dt.bias", vectorOf(s.state.heads));
  out.vector(blk + "ssm_norm.weight", matrixOf(1, inner), 1);
  out.matrix(blk + "ssm_out", s.hidden, inner);
}

std::vector<SynthTensor> tensorsGraniteHybrid(const SynthShape& s, const SynthTypes&) {
  const std::int64_t queries = std::int64_t{s.heads} * s.headDim, keys = std::int64_t{s.kvHeads} * s.headDim;
  SynthList out;
  out.matrix("token_embd", s.vocabulary, s.hidden);
  for (int i = 0; i < s.layers; ++i) {
    const std::string blk = "blk." + std::to_string(i) + ".";
    out.norm(blk + "attn_norm", s.hidden);
    if (hasAttentionAmongMamba(i)) {
      out.matrix(blk + "attn_q", queries, s.hidden);
      out.matrix(blk + "attn_k", keys, s.hidden);
      out.matrix(blk + "attn_v", keys, s.hidden);
      out.matrix(blk + "attn_output", s.hidden, queries);
    } else {
      addMambaTensorsTo(s, blk, out);
    }
    out.norm(blk + "ffn_norm", s.hidden);
    out.matrix(blk + "ffn_gate_inp", s.experts, s.hidden);
    out.stack(blk + "ffn_gate_exps", s.experts, s.feedForward, s.hidden);
    out.stack(blk + "ffn_up_exps", s.experts, s.feedForward, s.hidden);
    out.stack(blk + "ffn_down_exps", s.experts, s.hidden, s.feedForward);
    out.matrix(blk + "ffn_gate_shexp", s.sharedSize, s.hidden);
    out.matrix(blk + "ffn_up_shexp", s.sharedSize, s.hidden);
    out.matrix(blk + "ffn_down_shexp", s.hidden, s.sharedSize);
  }
  out.norm("output_norm", s.hidden);
  return out.take();
}

// With the multipliers of the published model of 7 billion parameters.
void describeGraniteHybrid(const SynthShape& s, GgufWriter& writer) {
  const std::string own = std::string(s.family) + ".";
  const auto set = [&](const char* key, int value) { writer.set(own + key, static_cast<std::uint32_t>(value)); };
  std::vector<std::int32_t> kvHeads;
  for (int i = 0; i < s.layers; ++i) kvHeads.push_back(hasAttentionAmongMamba(i) ? s.kvHeads : 0);
  writer.set(own + "attention.head_count_kv", std::span<const std::int32_t>(kvHeads));
  set("attention.key_length", s.headDim);
  set("attention.value_length", s.headDim);
  set("rope.dimension_count", s.headDim);
  writer.set(own + "rope.scaling.finetuned", false);
  writer.set(own + "attention.scale", 0.0078125F);
  writer.set(own + "embedding_scale", 12.0F);
  writer.set(own + "residual_scale", 0.22F);
  writer.set(own + "logit_scale", 6.0F);
  set("ssm.conv_kernel", mambaWidth);
  set("ssm.state_size", s.state.stateSize);
  set("ssm.group_count", 1);
  set("ssm.time_step_rank", s.state.heads);
  set("ssm.inner_size", s.state.heads * s.state.headSize);
  set("expert_count", s.experts);
  set("expert_used_count", s.expertsUsed);
  set("expert_shared_feed_forward_length", s.sharedSize);
}

}  // namespace

const SynthFamily synthGraniteHybrid{"granitehybrid", tensorsGraniteHybrid, describeGraniteHybrid, nullptr, true};

}  // namespace minerva::convert
