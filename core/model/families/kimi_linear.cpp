// Kimi Linear: layers of Kimi Delta Attention, a delta net with a decay per channel, and of latent attention without rotation; after the
// first ones, mixtures of experts.
#include "core/model/families/decoder.h"
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"
#include "core/model/families/recurrent.h"
#include "core/tensor/arrangement.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

namespace {

constexpr Key kimiDelta{"", "linear_attn_config"};

// A number of the folder's linear_attn_config.
Result<int> kimiDeltaNumber(const Reader& reader, const char* name, int limit) {
  const nlohmann::json* config = reader.json(kimiDelta);
  const nlohmann::json value = config && config->is_object() && config->contains(name) ? (*config)[name] : nlohmann::json();
  if (value.is_number_integer() && value >= 1 && value <= limit) return value.get<int>();
  return fail(reader.invalid(kimiDelta, std::string("The delta net's ") + name + " is not valid", "1 to " + std::to_string(limit),
                             value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
}

// Folders list the layers with attention, counted from 1. GGUF: those with key/value heads.
Result<std::vector<LayerParts>> kimiLayers(const Reader& reader, int layers) {
  std::vector<int> attention;
  if (reader.isGguf()) {
    MINERVA_TRY(attentionLayersOf(reader, layers, attention));
  } else {
    const nlohmann::json* config = reader.json(kimiDelta);
    const nlohmann::json listed = config && config->is_object() ? config->value("full_attn_layers", nlohmann::json()) : nlohmann::json();
    attention.assign(static_cast<std::size_t>(layers), 0);
    for (const auto& layer : listed) {
      const bool valid = layer.is_number_integer() && layer >= 1 && layer <= layers;
      if (valid) attention[layer.get<std::size_t>() - 1] = 1;
      if (valid && listed.is_array()) continue;
      return fail(reader.invalid(kimiDelta, "The layers with attention are not valid",
                                 "a list of numbers from 1 to " + std::to_string(layers),
                                 listed.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
    }
  }
  std::vector<LayerParts> parts;
  for (const int one : attention) parts.push_back({.attention = one != 0, .mixer = one == 0, .feedForward = true});
  return parts;
}

// MLX's tools give the mixture the names that it has in other families.
void nameKimiExperts(const Reader& reader, ExpertForm& experts) {
  if (reader.has({"", "model.layers.#.mlp.gate"}, experts.firstDense)) {
    experts.selectionBias.huggingFace = "model.layers.#.mlp.e_score_correction_bias";
    experts.sharedGate.huggingFace = "model.layers.#.mlp.shared_experts.gate_proj";
    experts.sharedUp.huggingFace = "model.layers.#.mlp.shared_experts.up_proj";
    experts.sharedDown.huggingFace = "model.layers.#.mlp.shared_experts.down_proj";
    return;
  }
  experts.router.huggingFace = "model.layers.#.block_sparse_moe.gate";
  experts.gate = "model.layers.#.block_sparse_moe.experts.@.w1";
  experts.up = "model.layers.#.block_sparse_moe.experts.@.w3";
  experts.down = "model.layers.#.block_sparse_moe.experts.@.w2";
  experts.selectionBias.huggingFace = "model.layers.#.block_sparse_moe.gate.e_score_correction_bias";
  experts.sharedGate.huggingFace = "model.layers.#.block_sparse_moe.shared_experts.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.block_sparse_moe.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.block_sparse_moe.shared_experts.down_proj";
}

Result<ExpertForm> kimiExperts(const Reader& reader) {
  ExpertForm experts;
  experts.used.huggingFace = "num_experts_per_token";
  experts.selection = Reader::Bias::required;
  experts.groupRank = GroupRank::twoLargest;
  MINERVA_ASSIGN(experts.scoring, readScoring(reader, "moe_router_activation_func", Scoring::sigmoid));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "moe_renormalize"}));
  experts.normalised = normalised.value_or(true);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "routed_scaling_factor"}, 1e6, 1.0));
  constexpr Key groups{"expert_group_count", "num_expert_group"};
  MINERVA_ASSIGN(experts.groups, reader.count(groups, 4096, 1));
  MINERVA_ASSIGN(experts.groupsUsed, reader.count({"expert_group_used_count", "topk_group"}, experts.groups, 1));
  MINERVA_ASSIGN(const auto dense, reader.integer({"leading_dense_block_count", "first_k_dense_replace"}));
  experts.firstDense = static_cast<int>(std::clamp<std::int64_t>(dense.value_or(0), 0, Limits::layers));
  nameKimiExperts(reader, experts);
  MINERVA_ASSIGN(const int every, reader.count({"", "moe_layer_freq"}, Limits::layers, 1));
  if (every > 1) MINERVA_TRY(refuseIfSet(reader, "moe_layer_freq", "A mixture of experts in some of Kimi's layers only"));
  MINERVA_ASSIGN(experts.sharedSize, sharedExpertsSize(reader, {"expert_shared_count", "num_shared_experts"}, experts.feedForward));
  return experts;
}

Result<DeltaNet> kimiDeltaSizes(const Reader& reader) {
  DeltaNet net;
  if (reader.isGguf()) {
    MINERVA_ASSIGN(net.valueHeads, reader.count({"attention.head_count", ""}, Limits::heads));
    MINERVA_ASSIGN(net.valueDim, reader.count({"kda.head_dim", ""}, Limits::headDim));
    MINERVA_ASSIGN(net.convolution, readConvolutionWidth(reader, {"ssm.conv_kernel", ""}));
  } else {
    MINERVA_ASSIGN(net.valueHeads, kimiDeltaNumber(reader, "num_heads", Limits::heads));
    MINERVA_ASSIGN(net.valueDim, kimiDeltaNumber(reader, "head_dim", Limits::headDim));
    MINERVA_ASSIGN(net.convolution, kimiDeltaNumber(reader, "short_conv_kernel_size", 64));
    if (net.convolution < 2) return fail(reader.invalid(kimiDelta, "The convolution is too narrow", "2 or more", "1"));
  }
  net.keyHeads = net.valueHeads;
  net.keyDim = net.valueDim;
  net.channelDecay = net.sigmoidGate = true;
  return net;
}

// Queries, keys and values have convolutions of their own, which are one to the plan.
Result<TensorView> kimiConvolutions(Reader& reader, int layer, std::int64_t channels, std::int64_t width) {
  constexpr TensorName published[] = {{"blk.#.ssm_conv1d_q", "model.layers.#.self_attn.q_conv1d"},
                                      {"blk.#.ssm_conv1d_k", "model.layers.#.self_attn.k_conv1d"},
                                      {"blk.#.ssm_conv1d_v", "model.layers.#.self_attn.v_conv1d"}};
  constexpr TensorName ofMlx[] = {{"", "model.layers.#.self_attn.q_conv.conv"},
                                  {"", "model.layers.#.self_attn.k_conv.conv"},
                                  {"", "model.layers.#.self_attn.v_conv.conv"}};
  std::vector<TensorView> parts;
  for (const TensorName& name : !reader.isGguf() && reader.has(ofMlx[0], layer) ? ofMlx : published) {
    MINERVA_ASSIGN(TensorView one, reader.tensor(name, layer, vectorShape(channels * width)));
    one.shape = matrixShape(channels, width);
    if (!parts.empty() && one.type != parts.front().type) {
      return fail(reader.invalid({"", "torch_dtype"}, "The convolutions of a delta net differ in type",
                                 std::string(traits(parts.front().type).name), std::string(traits(one.type).name)));
    }
    parts.push_back(one);
  }
  return joined(std::move(parts), matrixShape(3 * channels, width));
}

Result<void> readKimiDelta(Reader& reader, int layer, int hidden, DeltaNet& net) {
  constexpr auto none = Reader::Bias::none;
  const std::int64_t heads = net.valueHeads, dim = net.valueDim, width = heads * dim;
  const auto linear = [&](const char* gguf, const char* name, std::int64_t rows, std::int64_t columns) {
    const std::string stored = "blk.#." + std::string(gguf), folder = "model.layers.#.self_attn." + std::string(name);
    return reader.linear({stored, folder}, layer, rows, columns, none);
  };
  MINERVA_ASSIGN(net.q, linear("attn_q", "q_proj", width, hidden));
  MINERVA_ASSIGN(net.k, linear("attn_k", "k_proj", width, hidden));
  MINERVA_ASSIGN(net.v, linear("attn_v", "v_proj", width, hidden));
  MINERVA_ASSIGN(net.aDown, linear("ssm_f_a", "f_a_proj", dim, hidden));
  MINERVA_ASSIGN(net.a, linear("ssm_f_b", "f_b_proj", width, dim));
  MINERVA_ASSIGN(net.zDown, linear("ssm_g_a", "g_a_proj", dim, hidden));
  MINERVA_ASSIGN(net.z, linear("ssm_g_b", "g_b_proj", width, dim));
  MINERVA_ASSIGN(net.b, linear("ssm_beta", "b_proj", heads, hidden));
  MINERVA_ASSIGN(net.out, linear("attn_output", "o_proj", hidden, width));
  MINERVA_ASSIGN(net.convolutionWeight, kimiConvolutions(reader, layer, width, net.convolution));
  MINERVA_ASSIGN(net.decay, reader.tensor({"blk.#.ssm_a", "model.layers.#.self_attn.A_log"}, layer, vectorShape(heads), ""));
  MINERVA_ASSIGN(net.stepBias, reader.tensor({"blk.#.ssm_dt.bias", "model.layers.#.self_attn.dt_bias"}, layer, vectorShape(width), ""));
  MINERVA_ASSIGN(net.norm, reader.norm({"blk.#.ssm_norm", "model.layers.#.self_attn.o_norm"}, layer, dim));
  net.decayIsLog = !reader.isGguf();
  return {};
}

Result<void> fillKimiLinear(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const LatentDims dims, readLatentDims(reader));
  MINERVA_ASSIGN(const ExpertForm experts, kimiExperts(reader));
  DecoderForm form;
  form.window = {};
  form.attention = false;
  form.rotary = false;
  form.kvHeads = {};
  form.context.huggingFace = "model_max_length";
  form.headDimKey = {};
  form.defaultHeadDim = dims.plain + dims.rotary;
  form.experts = &experts;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  MINERVA_ASSIGN(form.parts, kimiLayers(reader, layers));
  MINERVA_TRY(fillDecoder(reader, form, config));
  config.attentionScale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dims.plain + dims.rotary)));
  MINERVA_ASSIGN(const DeltaNet net, kimiDeltaSizes(reader));
  for (int i = 0; i < layers; ++i) {
    LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
    if (form.parts[static_cast<std::size_t>(i)].attention) {
      MINERVA_TRY(readLatentAttention(reader, config, i, dims));
    } else {
      layer.deltaNet = net;
      MINERVA_TRY(readKimiDelta(reader, i, config.hiddenSize, layer.deltaNet));
    }
  }
  return {};
}

constexpr std::string_view kimiLinearGgufNames[] = {"kimi-linear"};
constexpr std::string_view kimiLinearHuggingFaceNames[] = {"kimi_linear"};

}  // namespace

const Family kimiLinearFamily{"kimi-linear", kimiLinearGgufNames, kimiLinearHuggingFaceNames, fillKimiLinear};

}  // namespace minerva::model
