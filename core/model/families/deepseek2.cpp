// Latent attention (MLA) and shared experts: DeepSeek-V2 and V3, Moonlight and Kimi K2 (V3's form), GLM-4.7-Flash, Mistral 4.
// SafeTensors and older GGUF files have one matrix that maps the latent vector to keys and values, [plain + value, latent] per
// head. The plan needs the key part of each head transposed and the value part unchanged.
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"
#include "core/tensor/arrangement.h"

#include <cmath>

namespace minerva::model {

namespace {

Result<void> readKeyValueUp(Reader& reader, int layer, const LatentDims& d, LatentAttention& out) {
  constexpr TensorName keyUp{"blk.#.attn_k_b", "model.layers.#.self_attn.embed_q"};  // names of MLX
  constexpr TensorName valueUp{"blk.#.attn_v_b", "model.layers.#.self_attn.unembed_out"};
  if (reader.has(keyUp, layer)) {
    MINERVA_ASSIGN(out.keyUp, reader.tensor(keyUp, layer, stackShape(d.heads, d.latent, d.plain)));
    MINERVA_ASSIGN(out.valueUp, reader.tensor(valueUp, layer, stackShape(d.heads, d.value, d.latent)));
    return {};
  }
  MINERVA_ASSIGN(const TensorView stored, reader.tensor({"blk.#.attn_kv_b", "model.layers.#.self_attn.kv_b_proj"}, layer,
                                                        matrixShape(std::int64_t{d.heads} * (d.plain + d.value), d.latent)));
  const std::int64_t ofHead = std::int64_t{d.plain} + d.value;
  out.keyUp = transposedGroups(stored, stackShape(d.heads, d.latent, d.plain), ofHead);
  out.valueUp = rowGroups(stored, stackShape(d.heads, d.value, d.latent), d.value, ofHead, d.plain);
  return {};
}

// The routing of V2, whose GGUF files are told from V3's by the scoring; the first ones of GLM-4.7-Flash do not state it, but have the
// bias, which no file of V2 has.
Result<ExpertForm> readRouting(const Reader& reader) {
  MINERVA_ASSIGN(ExpertForm experts, deepseekExperts(reader));
  const bool biased = reader.hasNamed(reader.nameOf(experts.selectionBias, experts.firstDense, ""));
  MINERVA_ASSIGN(const Scoring scoring, readScoring(reader, "scoring_func", biased ? Scoring::sigmoid : Scoring::softmax));
  if (scoring == Scoring::sigmoid) return biasedExperts(reader);
  MINERVA_ASSIGN(const auto method, reader.string({"", "topk_method"}));
  // The first files of DeepSeek-V2-Lite have the name misspelt.
  if (method && *method != "greedy" && *method != "gready" && *method != "group_limited_greedy") {
    Error error =
        reader.invalid({"", "topk_method"}, "This method of choosing experts is not supported", "greedy or group_limited_greedy", *method);
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  if (reader.isGguf() || method == "group_limited_greedy") MINERVA_TRY(readExpertGroups(reader, experts));
  return experts;
}

// scaledScores: YaRN's mscale also scales the scores.
Result<void> fillLatent(Reader& reader, ModelConfig& config, const ExpertForm& experts, bool scaledScores) {
  MINERVA_ASSIGN(const LatentDims d, readLatentDims(reader));
  DecoderForm form;
  form.window = {};
  form.attention = false;
  form.rotary = false;
  form.kvHeads = {};
  form.headDimKey = {};
  form.defaultHeadDim = d.plain + d.rotary;
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  RopeForm ropeForm;
  MINERVA_ASSIGN(const auto interleaved, reader.boolean({"", "rope_interleave"}));
  ropeForm.ggufLayout = RopeLayout::interleaved;
  ropeForm.huggingFaceLayout = interleaved.value_or(true) ? RopeLayout::interleaved : RopeLayout::halves;
  ropeForm.dimension = d.rotary;
  double scoreMagnitude = 1;
  MINERVA_ASSIGN(Rope rope, readRope(reader, ropeForm, d.rotary, config.contextLength, config.warnings, &scoreMagnitude));
  config.ropes.push_back(std::move(rope));
  if (!scaledScores) scoreMagnitude = 1;
  config.attentionScale = static_cast<float>(scoreMagnitude * scoreMagnitude / std::sqrt(static_cast<double>(d.plain + d.rotary)));
  MINERVA_ASSIGN(const QueryTemperature temperature, readQueryTemperature(reader));
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    config.layers[i].rope = 0;
    config.layers[i].temperature = temperature;
    MINERVA_TRY(readLatentAttention(reader, config, static_cast<int>(i), d));
  }
  return {};
}

Result<void> fillDeepseek2(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const ExpertForm experts, readRouting(reader));
  return fillLatent(reader, config, experts, true);
}

Result<void> fillDeepseek3(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const ExpertForm experts, biasedExperts(reader));
  return fillLatent(reader, config, experts, true);
}

// Its experts are chosen by a plain softmax.
Result<void> fillMistral4(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(ExpertForm experts, biasedExperts(reader));
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "scoring_func", Scoring::softmax));
  experts.selection = Reader::Bias::optional;
  return fillLatent(reader, config, experts, false);
}

constexpr std::string_view deepseek2GgufNames[] = {"deepseek2"};
constexpr std::string_view deepseek2HuggingFaceNames[] = {"deepseek_v2"};
constexpr std::string_view deepseek3HuggingFaceNames[] = {"deepseek_v3", "kimi_k2", "glm4_moe_lite"};
constexpr std::string_view mistral4Names[] = {"mistral4"};

}  // namespace

Result<LatentDims> readLatentDims(const Reader& reader, std::optional<int> valueOtherwise) {
  LatentDims d;
  MINERVA_ASSIGN(d.heads, reader.count({"attention.head_count", "num_attention_heads"}, Limits::heads));
  MINERVA_ASSIGN(d.latent, reader.count({"attention.kv_lora_rank", "kv_lora_rank"}, Limits::hidden));
  MINERVA_ASSIGN(const auto low, reader.integer({"attention.q_lora_rank", "q_lora_rank"}));
  if (low.value_or(0) > 0) {
    MINERVA_ASSIGN(d.queryLatent, reader.count({"attention.q_lora_rank", "q_lora_rank"}, Limits::hidden));
  }
  MINERVA_ASSIGN(d.rotary, reader.count({"rope.dimension_count", "qk_rope_head_dim"}, Limits::headDim));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const int oldKey, reader.count({"attention.key_length", ""}, Limits::headDim, Limits::headDim));
    MINERVA_ASSIGN(const int oldValue,
                   reader.count({"attention.value_length", ""}, Limits::headDim, valueOtherwise.value_or(Limits::headDim)));
    MINERVA_ASSIGN(const int key, reader.count({"attention.key_length_mla", ""}, Limits::headDim, oldKey));
    MINERVA_ASSIGN(d.value, reader.count({"attention.value_length_mla", ""}, Limits::headDim, oldValue));
    d.plain = key - d.rotary;
  } else {
    MINERVA_ASSIGN(d.plain, reader.count({"", "qk_nope_head_dim"}, Limits::headDim));
    MINERVA_ASSIGN(d.value, reader.count({"", "v_head_dim"}, Limits::headDim, valueOtherwise));
  }
  if (d.plain > 0 && d.rotary % 2 == 0) return d;
  return fail(reader.invalid({"rope.dimension_count", "qk_rope_head_dim"}, "The rotated part of a head is not valid", "an even part of it",
                             std::to_string(d.rotary)));
}

Result<void> readLatentAttention(Reader& reader, ModelConfig& config, int layer, const LatentDims& d) {
  LayerConfig& out = config.layers[static_cast<std::size_t>(layer)];
  LatentAttention& mla = out.latentAttention;
  const int hidden = config.hiddenSize;
  const std::int64_t queryRows = std::int64_t{d.heads} * (d.plain + d.rotary);
  out.headCount = d.heads;
  out.kvHeadCount = 1;
  out.headDim = d.plain + d.rotary;
  mla.latent = d.latent;
  mla.plainDim = d.plain;
  mla.rotaryDim = d.rotary;
  mla.valueDim = d.value;
  constexpr auto none = Reader::Bias::none, optional = Reader::Bias::optional;
  if (d.queryLatent > 0) {
    MINERVA_ASSIGN(mla.qDown,
                   reader.linear({"blk.#.attn_q_a", "model.layers.#.self_attn.q_a_proj"}, layer, d.queryLatent, hidden, optional));
    MINERVA_ASSIGN(mla.qNorm, reader.norm({"blk.#.attn_q_a_norm", "model.layers.#.self_attn.q_a_layernorm"}, layer, d.queryLatent));
    MINERVA_ASSIGN(out.q, reader.linear({"blk.#.attn_q_b", "model.layers.#.self_attn.q_b_proj"}, layer, queryRows, d.queryLatent, none));
  } else {
    MINERVA_ASSIGN(out.q, reader.linear({"blk.#.attn_q", "model.layers.#.self_attn.q_proj"}, layer, queryRows, hidden, none));
  }
  MINERVA_ASSIGN(const Linear down, reader.linear({"blk.#.attn_kv_a_mqa", "model.layers.#.self_attn.kv_a_proj_with_mqa"}, layer,
                                                  d.latent + d.rotary, hidden, optional));
  MINERVA_ASSIGN(mla.latentDown, rowsOf(down, 0, d.latent));
  MINERVA_ASSIGN(mla.keyDown, rowsOf(down, d.latent, d.rotary));
  MINERVA_ASSIGN(mla.latentNorm, reader.norm({"blk.#.attn_kv_a_norm", "model.layers.#.self_attn.kv_a_layernorm"}, layer, d.latent));
  MINERVA_TRY(readKeyValueUp(reader, layer, d, mla));
  MINERVA_ASSIGN(out.o, reader.linear({"blk.#.attn_output", "model.layers.#.self_attn.o_proj"}, layer, hidden,
                                      std::int64_t{d.heads} * d.value, optional));
  return {};
}

const Family deepseek2Family{"deepseek-v2", deepseek2GgufNames, deepseek2HuggingFaceNames, fillDeepseek2};
const Family deepseek3Family{"deepseek-v3", {}, deepseek3HuggingFaceNames, fillDeepseek3};
const Family mistral4Family{"mistral4", mistral4Names, mistral4Names, fillMistral4};

}  // namespace minerva::model
