// gpt-oss as it is published: experts in MXFP4; the rest in BF16 in a folder, in Q8_0 in a GGUF file. Folders of float experts hold them
// transposed, as Transformers writes them.
#include "core/convert/synth_model.h"

namespace minerva::convert {

namespace {

constexpr int window = 128, trainedContext = 4096;
constexpr float ropeFactor = 32.0F;

std::vector<SynthTensor> tensorsGptOss(const SynthShape& s, const SynthTypes& types) {
  const std::int64_t queries = std::int64_t{s.heads} * s.headDim, keys = std::int64_t{s.kvHeads} * s.headDim;
  const bool published = types.body == ElementType::MXFP4;
  const ElementType rest = !published ? types.body : types.gguf ? ElementType::Q8_0 : ElementType::BF16;
  std::vector<SynthTensor> out;
  const auto add = [&](std::string gguf, std::string name, Shape shape, ElementType type, SynthOrder order = SynthOrder::published) {
    out.push_back({std::move(gguf), std::move(name), shape, type, 0, order});
  };
  const auto linear = [&](const std::string& gguf, const std::string& name, std::int64_t rows, std::int64_t columns, ElementType type) {
    add(gguf + ".weight", name + ".weight", matrixOf(rows, columns), SynthTypes::fitting(type, columns));
    add(gguf + ".bias", name + ".bias", vectorOf(rows), types.vectors());
  };
  const auto norm = [&](std::string gguf, std::string name) {
    out.push_back({std::move(gguf), std::move(name), vectorOf(s.hidden), types.vectors(), 1});
  };
  const ElementType expert = SynthTypes::fitting(types.body, s.hidden);
  const SynthOrder stacks = published || types.gguf ? SynthOrder::published : SynthOrder::transposed;
  add("token_embd.weight", "model.embed_tokens.weight", matrixOf(s.vocabulary, s.hidden), SynthTypes::fitting(rest, s.hidden));
  for (int i = 0; i < s.layers; ++i) {
    const std::string blk = "blk." + std::to_string(i) + ".", layer = "model.layers." + std::to_string(i) + ".";
    const std::string gateUp = layer + "mlp.experts.gate_up_proj", down = layer + "mlp.experts.down_proj";
    norm(blk + "attn_norm.weight", layer + "input_layernorm.weight");
    linear(blk + "attn_q", layer + "self_attn.q_proj", queries, s.hidden, rest);
    linear(blk + "attn_k", layer + "self_attn.k_proj", keys, s.hidden, rest);
    linear(blk + "attn_v", layer + "self_attn.v_proj", keys, s.hidden, rest);
    linear(blk + "attn_output", layer + "self_attn.o_proj", s.hidden, queries, rest);
    add(blk + "attn_sinks.weight", layer + "self_attn.sinks", vectorOf(s.heads), types.vectors());
    norm(blk + "post_attention_norm.weight", layer + "post_attention_layernorm.weight");
    linear(blk + "ffn_gate_inp", layer + "mlp.router", s.experts, s.hidden, types.vectors());
    if (types.gguf) {
      add(blk + "ffn_gate_exps.weight", gateUp, stackOf(s.experts, s.feedForward, s.hidden), expert, SynthOrder::firstOfPair);
      add(blk + "ffn_up_exps.weight", gateUp, stackOf(s.experts, s.feedForward, s.hidden), expert, SynthOrder::secondOfPair);
      add(blk + "ffn_gate_exps.bias", gateUp + "_bias", matrixOf(s.experts, s.feedForward), types.vectors(), SynthOrder::firstOfPair);
      add(blk + "ffn_up_exps.bias", gateUp + "_bias", matrixOf(s.experts, s.feedForward), types.vectors(), SynthOrder::secondOfPair);
    } else {
      add("", gateUp, stackOf(s.experts, 2 * std::int64_t{s.feedForward}, s.hidden), expert, stacks);
      add("", gateUp + "_bias", matrixOf(s.experts, 2 * std::int64_t{s.feedForward}), types.vectors());
    }
    add(blk + "ffn_down_exps.weight", down, stackOf(s.experts, s.hidden, s.feedForward), SynthTypes::fitting(types.body, s.feedForward),
        stacks);
    add(blk + "ffn_down_exps.bias", down + "_bias", matrixOf(s.experts, s.hidden), types.vectors());
  }
  norm("output_norm.weight", "model.norm.weight");
  add("output.weight", "lm_head.weight", matrixOf(s.vocabulary, s.hidden), SynthTypes::fitting(rest, s.hidden));
  return out;
}

void describeGptOss(const SynthShape& s, GgufWriter& writer) {
  writer.set("gpt-oss.rope.scaling.type", "yarn");
  writer.set("gpt-oss.rope.scaling.factor", ropeFactor);
  writer.set("gpt-oss.rope.scaling.original_context_length", static_cast<std::uint32_t>(trainedContext));
  writer.set("gpt-oss.attention.sliding_window", static_cast<std::uint32_t>(window));
  writer.set("gpt-oss.expert_count", static_cast<std::uint32_t>(s.experts));
  writer.set("gpt-oss.expert_used_count", static_cast<std::uint32_t>(s.expertsUsed));
  writer.set("gpt-oss.expert_feed_forward_length", static_cast<std::uint32_t>(s.feedForward));
}

void configureGptOss(const SynthShape& s, const SynthTypes& types, nlohmann::ordered_json& config) {
  std::vector<std::string> layers;
  for (int i = 0; i < s.layers; ++i) layers.emplace_back(i % 2 == 0 ? "sliding_attention" : "full_attention");
  config.update({{"architectures", {"GptOssForCausalLM"}},
                 {"model_type", "gpt_oss"},
                 {"attention_bias", true},
                 {"layer_types", layers},
                 {"num_local_experts", s.experts},
                 {"num_experts_per_tok", s.expertsUsed},
                 {"sliding_window", window},
                 {"swiglu_limit", 7.0},
                 {"rope_scaling",
                  {{"rope_type", "yarn"},
                   {"factor", ropeFactor},
                   {"beta_fast", 32.0},
                   {"beta_slow", 1.0},
                   {"original_max_position_embeddings", trainedContext},
                   {"truncate", false}}}});
  if (types.body == ElementType::MXFP4) {
    config["quantization_config"] = {
        {"quant_method", "mxfp4"},
        {"modules_to_not_convert", {"model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"}}};
  }
}

}  // namespace

const SynthFamily synthGptOss{"gpt-oss", tensorsGptOss, describeGptOss, configureGptOss};

}  // namespace minerva::convert
