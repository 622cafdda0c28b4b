#include "core/model/families/qwen_hybrid.h"

#include "core/model/families/qwen.h"
#include "core/model/families/recurrent.h"
#include "core/tensor/arrangement.h"

namespace minerva::model {

namespace {

// True: attention.
Result<std::vector<bool>> qwenAttentionLayers(const Reader& reader, int layers) {
  constexpr std::string_view kinds[] = {"linear_attention", "full_attention"};
  MINERVA_ASSIGN(const std::vector<int> stated, layerKinds(reader, "layer_types", layers, kinds));
  constexpr Key recurrentKey{"attention.recurrent_layers", ""};
  MINERVA_ASSIGN(const std::vector<int> recurrent, reader.counts(recurrentKey, layers, 1, 1));
  const bool listed = reader.isGguf() && reader.file().metadata().has(reader.nameOf(recurrentKey));
  MINERVA_ASSIGN(const int interval, reader.count({"full_attention_interval", "full_attention_interval"}, Limits::layers, 4));
  std::vector<bool> attention;
  for (int i = 0; i < layers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!stated.empty()) attention.push_back(stated[index] == 1);
    else if (listed) attention.push_back(recurrent[index] == 0);
    else attention.push_back((i + 1) % interval == 0);
  }
  return attention;
}

Result<DeltaNet> readDeltaSizes(const Reader& reader) {
  constexpr Key keyHeads{"ssm.group_count", "linear_num_key_heads"}, valueHeads{"ssm.time_step_rank", "linear_num_value_heads"};
  DeltaNet out;
  MINERVA_ASSIGN(out.valueHeads, reader.count(valueHeads, Limits::heads));
  MINERVA_ASSIGN(out.keyHeads, reader.count(keyHeads, out.valueHeads));
  MINERVA_ASSIGN(out.keyDim, reader.count({"ssm.state_size", "linear_key_head_dim"}, Limits::headDim));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(out.valueDim, readHeadSizeOfInner(reader, out.valueHeads));
  } else {
    MINERVA_ASSIGN(out.valueDim, reader.count({"", "linear_value_head_dim"}, Limits::headDim));
  }
  MINERVA_ASSIGN(out.convolution, readConvolutionWidth(reader, {"ssm.conv_kernel", "linear_conv_kernel_dim"}));
  if (out.valueHeads % out.keyHeads == 0) return out;
  return fail(reader.invalid(keyHeads, "The key heads do not divide the value heads", "a divisor of " + std::to_string(out.valueHeads),
                             std::to_string(out.keyHeads)));
}

// One matrix holds, for each key head, the rows of its q and k and of v and z of its value heads.
void splitQkvz(const TensorView& stored, int hidden, DeltaNet& net) {
  const std::int64_t shared = net.valueHeads / net.keyHeads, key = net.keyDim, value = shared * net.valueDim;
  const std::int64_t pitch = 2 * (key + value);
  const Shape keys = matrixShape(net.keyHeads * key, hidden), values = matrixShape(net.keyHeads * value, hidden);
  net.q.weight = rowGroups(stored, keys, key, pitch, 0);
  net.k.weight = rowGroups(stored, keys, key, pitch, key);
  net.v.weight = rowGroups(stored, values, value, pitch, 2 * key);
  net.z.weight = rowGroups(stored, values, value, pitch, 2 * key + value);
}

// Qwen3-Next has interleaved matrices; of its GGUF files only the older ones.
Result<void> readDeltaInputs(Reader& reader, int layer, int hidden, DeltaNet& net) {
  constexpr TensorName qkvz{"blk.#.ssm_in", "model.layers.#.linear_attn.in_proj_qkvz"};
  constexpr TensorName ba{"blk.#.ssm_ba", "model.layers.#.linear_attn.in_proj_ba"};
  constexpr auto none = Reader::Bias::none;
  const std::int64_t keys = std::int64_t{net.keyHeads} * net.keyDim, values = std::int64_t{net.valueHeads} * net.valueDim;
  if (reader.has(qkvz, layer)) {
    MINERVA_ASSIGN(const TensorView stored, reader.tensor(qkvz, layer, matrixShape(2 * (keys + values), hidden)));
    splitQkvz(stored, hidden, net);
  } else {
    MINERVA_ASSIGN(net.q,
                   reader.linear({"blk.#.attn_qkv", "model.layers.#.linear_attn.in_proj_qkv"}, layer, 2 * keys + values, hidden, none));
    MINERVA_ASSIGN(net.z, reader.linear({"blk.#.attn_gate", "model.layers.#.linear_attn.in_proj_z"}, layer, values, hidden, none));
  }
  if (reader.has(ba, layer)) {
    MINERVA_ASSIGN(const TensorView stored, reader.tensor(ba, layer, matrixShape(2 * net.valueHeads, hidden)));
    const std::int64_t shared = net.valueHeads / net.keyHeads;
    const Shape shape = matrixShape(net.valueHeads, hidden);
    net.b.weight = rowGroups(stored, shape, shared, 2 * shared, 0);
    net.a.weight = rowGroups(stored, shape, shared, 2 * shared, shared);
    return {};
  }
  MINERVA_ASSIGN(net.b, reader.linear({"blk.#.ssm_beta", "model.layers.#.linear_attn.in_proj_b"}, layer, net.valueHeads, hidden, none));
  MINERVA_ASSIGN(net.a, reader.linear({"blk.#.ssm_alpha", "model.layers.#.linear_attn.in_proj_a"}, layer, net.valueHeads, hidden, none));
  return {};
}

Result<void> readDeltaTensors(Reader& reader, int layer, int hidden, DeltaNet& net) {
  const std::int64_t keys = std::int64_t{net.keyHeads} * net.keyDim, values = std::int64_t{net.valueHeads} * net.valueDim;
  MINERVA_TRY(readDeltaInputs(reader, layer, hidden, net));
  MINERVA_ASSIGN(net.convolutionWeight, reader.tensor({"blk.#.ssm_conv1d", "model.layers.#.linear_attn.conv1d"}, layer,
                                                      vectorShape((2 * keys + values) * net.convolution)));
  MINERVA_ASSIGN(net.decay, reader.tensor({"blk.#.ssm_a", "model.layers.#.linear_attn.A_log"}, layer, vectorShape(net.valueHeads), ""));
  MINERVA_ASSIGN(net.stepBias,
                 reader.tensor({"blk.#.ssm_dt.bias", "model.layers.#.linear_attn.dt_bias"}, layer, vectorShape(net.valueHeads), ""));
  net.decayIsLog = !reader.isGguf();
  MINERVA_ASSIGN(net.norm, reader.norm({"blk.#.ssm_norm", "model.layers.#.linear_attn.norm"}, layer, net.valueDim));
  MINERVA_ASSIGN(net.out,
                 reader.linear({"blk.#.ssm_out", "model.layers.#.linear_attn.out_proj"}, layer, hidden, values, Reader::Bias::none));
  return {};
}

}  // namespace

Result<void> fillQwenHybrid(Reader& reader, const ExpertForm* experts, bool tiledInGguf, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.headNorms = HeadNorms::shared;
  form.feedForwardNorm.gguf = "blk.#.post_attention_norm";
  form.gateInQuery = true;
  form.rope.defaultPartial = 0.25;
  form.experts = experts;
  constexpr PredictionForm prediction;
  form.prediction = &prediction;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  MINERVA_ASSIGN(const std::vector<bool> attention, qwenAttentionLayers(reader, layers));
  for (const bool one : attention) form.parts.push_back({.attention = one, .mixer = !one, .feedForward = true});
  MINERVA_ASSIGN(DeltaNet net, readDeltaSizes(reader));
  net.tiled = tiledInGguf && reader.isGguf();
  // The norms are stored as weight - 1. GGUF and MLX files have the 1 added.
  config.normPlus = reader.file().format() == format::FileFormat::safetensors ? 1.0F : 0.0F;
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (int i = 0; i < layers; ++i) {
    if (form.parts[static_cast<std::size_t>(i)].attention) continue;
    MINERVA_TRY(readDeltaTensors(reader, i, config.hiddenSize, net));
    config.layers[static_cast<std::size_t>(i)].deltaNet = net;
  }
  return {};
}

Result<ExpertForm> qwenHybridExperts(const Reader& reader) {
  ExpertForm experts;
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(true);
  MINERVA_ASSIGN(experts.sharedSize,
                 reader.count({"expert_shared_feed_forward_length", "shared_expert_intermediate_size"}, Limits::feedForward));
  experts.sharedRouter = {"blk.#.ffn_gate_inp_shexp", "model.layers.#.mlp.shared_expert_gate"};
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  MINERVA_TRY(readQwenDenseLayers(reader, experts));
  return experts;
}

}  // namespace minerva::model
