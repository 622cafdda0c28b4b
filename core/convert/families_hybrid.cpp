// Rows of the families with layers that keep a state in place of keys and values.
#include "core/convert/families.h"
#include "core/convert/mixers.h"

#include <array>

namespace minerva::convert {

namespace {

using enum Form;

constexpr Place qwenPlaces[] = {{"post_attention_layernorm", "post_attention_norm"}, {"linear_attn.in_proj_ba", "ssm_ba"}};
constexpr Place graniteMixturePlaces[] = {{"shared_mlp.input_linear", "ffn_gate_shexp", halves, "ffn_up_shexp"},
                                          {"shared_mlp.output_linear", "ffn_down_shexp"}};
constexpr Place graniteDensePlaces[] = {{"shared_mlp.input_linear", "ffn_gate", halves, "ffn_up"},
                                        {"shared_mlp.output_linear", "ffn_down"}};
constexpr Place nemotronPlaces[] = {{"norm", "attn_norm"},
                                    {"mixer.q_proj", "attn_q"},
                                    {"mixer.k_proj", "attn_k"},
                                    {"mixer.v_proj", "attn_v"},
                                    {"mixer.o_proj", "attn_output"},
                                    {"mixer.up_proj", "ffn_up"},
                                    {"mixer.down_proj", "ffn_down"},
                                    {"mixer.gate", "ffn_gate_inp"},
                                    {"mixer.gate.e_score_correction", "exp_probs_b"},
                                    {"mixer.fc1_latent_proj", "ffn_latent_down"},
                                    {"mixer.fc2_latent_proj", "ffn_latent_up"},
                                    {"mixer.shared_experts.up_proj", "ffn_up_shexp"},
                                    {"mixer.shared_experts.down_proj", "ffn_down_shexp"},
                                    {"mixer.switch_mlp.fc1", "ffn_up_exps"},
                                    {"mixer.switch_mlp.fc2", "ffn_down_exps"}};
constexpr Place kimiPlaces[] = {{"self_attn.f_a_proj", "ssm_f_a"},
                                {"self_attn.f_b_proj", "ssm_f_b"},
                                {"self_attn.g_a_proj", "ssm_g_a"},
                                {"self_attn.g_b_proj", "ssm_g_b"},
                                {"self_attn.b_proj", "ssm_beta"},
                                {"self_attn.o_norm", "ssm_norm"},
                                {"block_sparse_moe.shared_experts.gate_proj", "ffn_gate_shexp"},
                                {"block_sparse_moe.shared_experts.up_proj", "ffn_up_shexp"},
                                {"block_sparse_moe.shared_experts.down_proj", "ffn_down_shexp"},
                                {"block_sparse_moe.gate.e_score_correction", "exp_probs_b"},
                                {"mlp.e_score_correction", "exp_probs_b"}};
constexpr Place jambaPlaces[] = {{"pre_ff_layernorm", "ffn_norm"}};
constexpr Place falconPlaces[] = {{"pre_ff_layernorm", "ffn_norm", fullName}};

bool hasMixtures(const model::ModelConfig& model) { return std::ranges::any_of(model.layers, &model::LayerConfig::hasExperts); }
bool hasOnlyAttention(const model::ModelConfig& model) {
  return !hasMixtures(model) && std::ranges::all_of(model.layers, &model::LayerConfig::hasAttention);
}

Result<void> addDeltaKeys(Keys& keys) {
  std::vector<bool> recurrent;
  for (const model::LayerConfig& layer : keys.model.layers) recurrent.push_back(layer.deltaNet.keyHeads > 0);
  keys.setFlags("attention.recurrent_layers", recurrent);
  // The interval is only right where the layers have one; readers that know the list go by that.
  const auto attention = std::ranges::find(recurrent, false);
  keys.set("full_attention_interval", static_cast<int>(attention - recurrent.begin()) + 1);
  const auto* layer = keys.firstLayer([](const model::LayerConfig& one) { return one.deltaNet.keyHeads > 0; });
  if (!layer) return {};
  const model::DeltaNet& net = layer->deltaNet;
  keys.set("ssm.conv_kernel", net.convolution);
  keys.set("ssm.state_size", net.keyDim);
  keys.set("ssm.group_count", net.keyHeads);
  keys.set("ssm.time_step_rank", net.valueHeads);
  keys.set("ssm.inner_size", net.valueHeads * net.valueDim);
  return {};
}

// Qwen 3.5 rotates pairs by the position in time, height or width, which is the same for text. The file must state how many of each.
Result<void> addQwen35Keys(Keys& keys) {
  MINERVA_TRY(addDeltaKeys(keys));
  std::array<std::int32_t, 4> sections{keys.model.ropes.front().dimension / 2};
  const nlohmann::json parameters = keys.ropeParameters();
  if (const auto stated = parameters.find("mrope_section"); parameters.is_object() && stated != parameters.end() && stated->is_array()) {
    sections = {};
    for (std::size_t i = 0; i < std::min(stated->size(), sections.size()); ++i) {
      if ((*stated)[i].is_number_integer()) sections[i] = (*stated)[i].get<std::int32_t>();
    }
  }
  keys.writer.set(keys.prefix + "rope.dimension_sections", std::span<const std::int32_t>(sections));
  return {};
}

Result<void> addGroupedDeltaNets(const Keys& keys, std::vector<SourceTensor>& tensors) { return addDeltaNets(keys.model, false, tensors); }
Result<void> addTiledDeltaNets(const Keys& keys, std::vector<SourceTensor>& tensors) { return addDeltaNets(keys.model, true, tensors); }

Result<void> addMambaKeys(Keys& keys) {
  const auto* layer = keys.firstLayer([](const model::LayerConfig& one) { return one.mamba.heads > 0; });
  if (!layer) return {};
  const model::Mamba& mamba = layer->mamba;
  keys.set("ssm.conv_kernel", mamba.convolution);
  keys.set("ssm.state_size", mamba.stateSize);
  keys.set("ssm.inner_size", mamba.heads * mamba.headDim);
  keys.set("ssm.time_step_rank", mamba.stepRank > 0 ? mamba.stepRank : mamba.heads);
  if (mamba.stepRank == 0) keys.set("ssm.group_count", mamba.groups);
  return {};
}

Result<void> addMamba1Keys(Keys& keys) {
  keys.setFlag("ssm.dt_b_c_rms", false);
  return addMambaKeys(keys);
}

Result<void> addMambaTensors(const Keys& keys, std::vector<SourceTensor>& tensors) {
  addMambas(keys.model, tensors);
  return {};
}

// Latent attention in its absorbed form, as DeepSeek's, but nothing is rotated; readers still look for the size of the shared key as that
// of the rotation. llama.cpp always divides the experts' shares by their sum.
Result<void> addKimiKeys(Keys& keys) {
  const auto* delta = keys.firstLayer([](const model::LayerConfig& one) { return one.deltaNet.channelDecay; });
  const auto* attention = keys.firstLayer(&model::LayerConfig::hasAttention);
  const model::LayerConfig* mixture = keys.firstMixture();
  if (!delta || !attention || (mixture && !mixture->experts.normalised)) {
    return cannotBeStated("A GGUF file of this architecture cannot express this model",
                          "both kinds of attention, and shares of experts that add up", "another model");
  }
  keys.set("kda.head_dim", delta->deltaNet.valueDim);
  keys.set("ssm.conv_kernel", delta->deltaNet.convolution);
  const model::LatentAttention& latent = attention->latentAttention;
  keys.set("attention.kv_lora_rank", latent.latent);
  if (!latent.qDown.weight.empty()) keys.set("attention.q_lora_rank", static_cast<int>(latent.qDown.weight.shape.rows()));
  keys.set("attention.key_length_mla", latent.plainDim + latent.rotaryDim);
  keys.set("attention.value_length_mla", latent.valueDim);
  keys.set("rope.dimension_count", latent.rotaryDim);
  keys.setFloat("rope.freq_base", keys.number("rope_theta").value_or(10000));
  addLeadingDense(keys);
  if (!mixture) return {};
  if (mixture->experts.groups > 1) keys.set("expert_group_count", mixture->experts.groups);
  keys.set("expert_group_used_count", mixture->experts.groupsUsed);
  addSigmoids(keys);
  addSharedExpertCount(keys);
  keys.setFloat("expert_weights_scale", mixture->experts.scale);
  return {};
}

Result<void> addKimiTensors(const Keys& keys, std::vector<SourceTensor>& tensors) {
  addChannelDeltaNets(keys.model, tensors);
  return {};
}

// Where nothing is rotated, describeRope() states nothing.
Result<void> addGraniteHybridKeys(Keys& keys) {
  MINERVA_TRY(addGraniteScales(keys));
  MINERVA_TRY(addMambaKeys(keys));
  addSharedExpertSize(keys);
  const auto* attention = keys.firstLayer(&model::LayerConfig::hasAttention);
  if (!keys.model.ropes.empty() || !attention) return {};
  const nlohmann::json parameters = keys.ropeParameters();
  const double base = keys.number("rope_theta").value_or(10000);
  keys.setFloat("rope.freq_base", parameters.is_object() ? Keys::numberIn(parameters, "rope_theta").value_or(base) : base);
  keys.set("rope.dimension_count", attention->headDim);
  keys.setFlag("rope.scaling.finetuned", false);
  return {};
}

Result<void> addNemotronKeys(Keys& keys) {
  keys.setFloat("attention.layer_norm_epsilon", keys.model.normEpsilon);
  keys.setFlag("rope.scaling.finetuned", false);
  MINERVA_TRY(addMambaKeys(keys));
  const model::LayerConfig* mixture = keys.firstMixture();
  if (!mixture) return {};
  keys.set("expert_group_count", mixture->experts.groups);
  keys.set("expert_group_used_count", mixture->experts.groupsUsed);
  addSigmoids(keys);
  if (const TensorView& latent = mixture->experts.latentDown.weight; !latent.empty())
    keys.set("moe_latent_size", static_cast<int>(latent.shape.rows()));
  keys.set("expert_shared_count", static_cast<int>(keys.number("n_shared_experts").value_or(0)));
  addSharedExpertSize(keys);
  addExpertWeights(keys);
  return {};
}

// Multiplies config.json's factors into the weights. Where embedding and head are one tensor, the file needs both.
Result<void> addFalconTensors(const Keys& keys, std::vector<SourceTensor>& tensors) {
  const auto factor = [&](const char* key) { return static_cast<float>(keys.number(key).value_or(1)); };
  const auto ofList = [&](const char* key, std::size_t index) {
    const auto list = keys.config.find(key);
    return list != keys.config.end() && list->is_array() && index < list->size() ? (*list)[index].get<float>() : 1.0F;
  };
  if (keys.model.tiedHead) {
    const TensorView& embedding = keys.model.tokenEmbedding;
    tensors.push_back({.name = "output.weight", .parts = {embedding}, .shape = embedding.shape});
  }
  const float input = factor("attention_in_multiplier");
  const std::pair<std::string_view, float> factors[] = {{".attn_q.weight", input},
                                                        {".attn_k.weight", factor("key_multiplier") * input},
                                                        {".attn_v.weight", input},
                                                        {".attn_output.weight", factor("attention_out_multiplier")},
                                                        {".ffn_gate.weight", ofList("mlp_multipliers", 0)},
                                                        {".ffn_down.weight", ofList("mlp_multipliers", 1)},
                                                        {"token_embd.weight", factor("embedding_multiplier")},
                                                        {"output.weight", factor("lm_head_multiplier")}};
  for (SourceTensor& tensor : tensors) {
    for (const auto& [name, times] : factors) {
      const bool whole = !name.starts_with('.');
      if (whole ? tensor.name == name : tensor.name.ends_with(name)) tensor.factors.assign(tensor.parts.size(), times);
    }
  }
  addMambas(keys.model, tensors);
  return {};
}

Result<void> addLfm2Keys(Keys& keys) {
  if (const auto* layer = keys.firstLayer([](const model::LayerConfig& one) { return one.shortConvolution.width > 0; }))
    keys.set("shortconv.l_cache", layer->shortConvolution.width);
  return {};
}

Result<void> addLfm2MoeKeys(Keys& keys) {
  addLeadingDense(keys);
  addSigmoids(keys);
  return addLfm2Keys(keys);
}

Result<void> addLfm2Tensors(const Keys& keys, std::vector<SourceTensor>& tensors) {
  addShortConvolutions(keys.model, tensors);
  return {};
}

constexpr Mixer deltaNets{"linear_attn.", deltaNetNames}, mambas{"mamba.", mambaNames}, backboneMambas{"mixer.", mambaNames};
constexpr Mixer selectiveMambas{"mamba.", selectiveMambaNames}, backboneSelectiveMambas{"mixer.", selectiveMambaNames};
constexpr Mixer kimiDeltaNets{"self_attn.", channelDeltaNames};
constexpr Mixer convolutions{"conv.", shortConvolutionNames};

constexpr Family hybridRows[] = {
    {.modelType = "qwen3_next",
     .architecture = "qwen3next",
     .own = qwenPlaces,
     .mixer = deltaNets,
     .wholeNormsInMlx = true,
     .addKeys = addDeltaKeys,
     .addTensors = addGroupedDeltaNets},
    {.modelType = "qwen3_5_text",
     .architecture = "qwen35",
     .own = qwenPlaces,
     .mixer = deltaNets,
     .wholeNormsInMlx = true,
     .addKeys = addQwen35Keys,
     .addTensors = addTiledDeltaNets},
    {.modelType = "qwen3_5_moe_text",
     .architecture = "qwen35moe",
     .own = qwenPlaces,
     .mixer = deltaNets,
     .wholeNormsInMlx = true,
     .addKeys = addQwen35Keys,
     .addTensors = addTiledDeltaNets},
    // Without Mamba and experts it is plain Granite.
    {.modelType = "granitemoehybrid",
     .architecture = "granite",
     .when = hasOnlyAttention,
     .interleaved = true,
     .own = graniteDensePlaces,
     .addKeys = addGraniteScales},
    {.modelType = "granitemoehybrid",
     .architecture = "granitehybrid",
     .when = hasMixtures,
     .interleaved = true,
     .own = graniteMixturePlaces,
     .mixer = mambas,
     .lists = LayerLists::ofAttention,
     .addKeys = addGraniteHybridKeys,
     .addTensors = addMambaTensors},
    {.modelType = "granitemoehybrid",
     .architecture = "granitehybrid",
     .interleaved = true,
     .own = graniteDensePlaces,
     .mixer = mambas,
     .lists = LayerLists::ofAttention,
     .addKeys = addGraniteHybridKeys,
     .addTensors = addMambaTensors},
    {.modelType = "nemotron_h",
     .architecture = "nemotron_h_moe",
     .when = hasMixtures,
     .own = nemotronPlaces,
     .mixer = backboneMambas,
     .lists = LayerLists::ofAttentionAndFeedForward,
     .addKeys = addNemotronKeys,
     .addTensors = addMambaTensors},
    {.modelType = "nemotron_h",
     .architecture = "nemotron_h",
     .own = nemotronPlaces,
     .mixer = backboneMambas,
     .lists = LayerLists::ofAttentionAndFeedForward,
     .addKeys = addNemotronKeys,
     .addTensors = addMambaTensors},
    {.modelType = "falcon_h1",
     .architecture = "falcon-h1",
     .own = falconPlaces,
     .mixer = mambas,
     .rope = {.base = 1e11},
     .scalesInWeights = true,
     .addKeys = addMambaKeys,
     .addTensors = addFalconTensors},
    {.modelType = "lfm2",
     .architecture = "lfm2",
     .mixer = convolutions,
     .rope = {.base = 1e6},
     .lists = LayerLists::ofAttention,
     .addKeys = addLfm2Keys,
     .addTensors = addLfm2Tensors},
    {.modelType = "lfm2_moe",
     .architecture = "lfm2moe",
     .mixer = convolutions,
     .rope = {.base = 1e6},
     .lists = LayerLists::ofAttention,
     .addKeys = addLfm2MoeKeys,
     .addTensors = addLfm2Tensors},
    {.modelType = "kimi_linear",
     .architecture = "kimi-linear",
     .own = kimiPlaces,
     .mixer = kimiDeltaNets,
     .lists = LayerLists::ofAttention,
     .addKeys = addKimiKeys,
     .addTensors = addKimiTensors},
    {.modelType = "jamba",
     .architecture = "jamba",
     .own = jambaPlaces,
     .mixer = selectiveMambas,
     .lists = LayerLists::ofAttention,
     .addKeys = addMambaKeys,
     .addTensors = addMambaTensors},
    {.modelType = "mamba",
     .architecture = "mamba",
     .own = nemotronPlaces,
     .mixer = backboneSelectiveMambas,
     .addKeys = addMamba1Keys,
     .addTensors = addMambaTensors},
    {.modelType = "mamba2",
     .architecture = "mamba2",
     .own = nemotronPlaces,
     .mixer = backboneMambas,
     .addKeys = addMambaKeys,
     .addTensors = addMambaTensors},
};

}  // namespace

std::span<const Family> hybridFamilies() { return hybridRows; }

}  // namespace minerva::convert
