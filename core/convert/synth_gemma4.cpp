// Gemma 4's small models: an input vector for every layer, and keys and values of earlier layers in the last ones.
#include "core/convert/synth_model.h"

#include <algorithm>

namespace minerva::convert {

namespace {

constexpr int globalInterval = 6;
constexpr float slidingBase = 10000, logitCap = 30, notRotated = 1e30F;
constexpr int rotatedShare = 4;  // one of so many pairs of a global head is rotated

bool isGlobalLayer(int layer) { return (layer + 1) % globalInterval == 0; }

// 24 of 42 layers have keys and values of their own; of fewer layers, as large a part that ends with a global one.
int layersWithKeys(const SynthShape& s) {
  const int part = s.layers * 24 / 42 / globalInterval * globalInterval;
  return std::min(s.layers, std::max(globalInterval, part));
}

void addGemma4Layer(const SynthShape& s, int layer, SynthList& out) {
  const std::string blk = "blk." + std::to_string(layer) + ".";
  const int dim = isGlobalLayer(layer) ? s.gemma.globalDim : s.headDim;
  const std::int64_t queries = std::int64_t{s.heads} * dim, keys = std::int64_t{s.kvHeads} * dim;
  out.norm(blk + "attn_norm", s.hidden);
  out.matrix(blk + "attn_q", queries, s.hidden);
  out.norm(blk + "attn_q_norm", dim);
  if (layer < layersWithKeys(s)) {
    out.matrix(blk + "attn_k", keys, s.hidden);
    out.norm(blk + "attn_k_norm", dim);
    out.matrix(blk + "attn_v", keys, s.hidden);
  }
  out.matrix(blk + "attn_output", s.hidden, queries);
  out.norm(blk + "post_attention_norm", s.hidden);
  out.norm(blk + "ffn_norm", s.hidden);
  out.matrix(blk + "ffn_gate", s.feedForward, s.hidden);
  out.matrix(blk + "ffn_up", s.feedForward, s.hidden);
  out.matrix(blk + "ffn_down", s.hidden, s.feedForward);
  out.norm(blk + "post_ffw_norm", s.hidden);
  out.matrix(blk + "inp_gate", s.gemma.perLayer, s.hidden);
  out.matrix(blk + "proj", s.hidden, s.gemma.perLayer);
  out.norm(blk + "post_norm", s.hidden);
  out.norm(blk + "layer_output_scale", 1);
}

std::vector<SynthTensor> tensorsGemma4(const SynthShape& s, const SynthTypes&) {
  const std::int64_t ofLayers = std::int64_t{s.layers} * s.gemma.perLayer;
  SynthList out;
  out.matrix("token_embd", s.vocabulary, s.hidden);
  out.matrix("per_layer_token_embd", s.vocabulary, ofLayers);
  out.matrix("per_layer_model_proj", ofLayers, s.hidden);
  out.norm("per_layer_proj_norm", s.gemma.perLayer);
  std::vector<float> divisors(static_cast<std::size_t>(s.gemma.globalDim / 2), notRotated);
  std::fill_n(divisors.begin(), divisors.size() / rotatedShare, 1.0F);
  out.fixed("rope_freqs.weight", std::move(divisors));
  for (int i = 0; i < s.layers; ++i) addGemma4Layer(s, i, out);
  out.norm("output_norm", s.hidden);
  return out.take();
}

void describeGemma4(const SynthShape& s, GgufWriter& writer) {
  const auto set = [&](const char* key, int value) { writer.set(std::string("gemma4.") + key, static_cast<std::uint32_t>(value)); };
  std::vector<bool> sliding;
  for (int i = 0; i < s.layers; ++i) sliding.push_back(!isGlobalLayer(i));
  writer.set("gemma4.attention.sliding_window_pattern", sliding);
  set("attention.sliding_window", s.gemma.window);
  set("attention.head_count_kv", s.kvHeads);
  set("attention.key_length", s.gemma.globalDim);
  set("attention.value_length", s.gemma.globalDim);
  set("attention.key_length_swa", s.headDim);
  set("attention.value_length_swa", s.headDim);
  set("attention.shared_kv_layers", s.layers - layersWithKeys(s));
  set("embedding_length_per_layer_input", s.gemma.perLayer);
  set("rope.dimension_count", s.gemma.globalDim);
  set("rope.dimension_count_swa", s.headDim);
  writer.set("gemma4.rope.freq_base_swa", slidingBase);
  writer.set("gemma4.final_logit_softcapping", logitCap);
}

}  // namespace

const SynthFamily synthGemma4{"gemma4", tensorsGemma4, describeGemma4, nullptr, true};

}  // namespace minerva::convert
