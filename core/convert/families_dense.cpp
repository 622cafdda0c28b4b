// Rows of the families without experts, all of whose layers have attention.
#include "core/convert/families.h"

#include <optional>
#include <span>

namespace minerva::convert {

namespace {

constexpr Place normsBehind[] = {{"post_attention_layernorm", "post_attention_norm"}};

Result<void> addLogitScale(Keys& keys) {
  keys.setFloat("logit_scale", keys.model.logitScale);
  return {};
}

Result<void> addParallelBlocks(Keys& keys) {
  keys.setFlag("use_parallel_residual", keys.model.parallelBlocks);
  return {};
}

Result<void> addPattern(Keys& keys) {
  addWindowPattern(keys);
  return {};
}

Result<void> addQueryTemperature(Keys& keys) {
  const model::QueryTemperature& temperature = keys.model.layers.front().temperature;
  if (temperature.strength > 0) keys.setFloat("attention.temperature_scale", temperature.strength);
  return {};
}

constexpr Place exaonePlaces[] = {{"attn.attention.q_proj", "attn_q"}, {"attn.attention.k_proj", "attn_k"},
                                  {"attn.attention.v_proj", "attn_v"}, {"attn.attention.out_proj", "attn_output"},
                                  {"mlp.c_fc_0", "ffn_gate"},          {"mlp.c_fc_1", "ffn_up"}};
constexpr Place musePlaces[] = {{"post_attention_layernorm", "post_attention_norm"}, {"self_attn.gate_proj", "attn_gate"}};

// Readers know the epsilon of the norms behind the blocks.
Result<void> addMuseGlimmer(Keys& keys) {
  constexpr float knownEpsilon = 1e-8F;
  for (const model::LayerConfig& layer : keys.model.layers) {
    if (layer.postAttentionNorm.epsilon == knownEpsilon) continue;
    return cannotBeStated("A GGUF file cannot express the epsilon of this model's norms behind its blocks", "post_norm_eps 1e-8",
                          std::to_string(layer.postAttentionNorm.epsilon));
  }
  addWindowPattern(keys);
  keys.setFloat("logit_scale", keys.model.logitScale);
  keys.setFloat("final_logit_softcapping", keys.model.logitSoftCap);
  return {};
}

// The norms of queries and keys have no weights; in GGUF those of the queries are their factor.
Result<void> addMuseNorms(const Keys& keys, std::vector<SourceTensor>& tensors) {
  for (std::size_t i = 0; i < keys.model.layers.size(); ++i) {
    const model::LayerConfig& layer = keys.model.layers[i];
    const auto add = [&](const char* name, float value) {
      const auto size = static_cast<std::size_t>(layer.headDim);
      tensors.push_back({.name = "blk." + std::to_string(i) + name,
                         .parts = {},
                         .shape = {.dims = {layer.headDim, 1, 1, 1}, .rank = 1},
                         .values = std::vector<float>(size, value)});
    };
    add(".attn_q_norm.weight", layer.qNorm.weights.times);
    add(".attn_k_norm.weight", layer.kNorm.weights.times);
  }
  return {};
}

Result<void> addPasses(Keys& keys) {
  keys.set("num_loops", static_cast<int>(keys.number("num_loops").value_or(1)));
  const auto plain = keys.config.find("skip_loop_final_norm");
  keys.setFlag("skip_loop_final_norm", plain != keys.config.end() && *plain == true);
  return {};
}

constexpr Place apertusPlaces[] = {{"attention_layernorm", "attn_norm"}, {"feedforward_layernorm", "ffn_norm"}};
constexpr std::string_view xieluNames[] = {"alpha_p", "alpha_n", "beta", "eps"};

// The stored numbers of each layer's activation; ModelConfig, which has validated them, has what they amount to.
Result<void> addXielu(Keys& keys) {
  const auto stored = [&](std::size_t layer, std::string_view name) -> std::optional<float> {
    const TensorView* view = keys.file.find("model.layers." + std::to_string(layer) + ".mlp.act_fn." + std::string(name));
    if (!view) return std::nullopt;
    float value = 0;
    dequantizeRows(*view, 0, 1, &value);
    return value;
  };
  for (const std::string_view name : xieluNames) {
    std::vector<float> values;
    for (std::size_t i = 0; i < keys.model.layers.size(); ++i) {
      const model::Xielu& used = keys.model.layers[i].xielu.value();
      values.push_back(stored(i, name).value_or(name == "beta" ? used.beta : used.epsilon));
    }
    keys.writer.set("xielu." + std::string(name), std::span<const float>(values));
  }
  return {};
}

constexpr Place bloomPlaces[] = {{"word_embeddings_layernorm", "token_embd_norm"},
                                 {"self_attention.query_key_value", "attn_qkv", Form::threePerHead},
                                 {"self_attention.dense", "attn_output"}};
constexpr Place mptPlaces[] = {{"norm_1", "attn_norm"},          {"norm_2", "ffn_norm"},    {"attn.Wqkv", "attn_qkv"},
                               {"attn.out_proj", "attn_output"}, {"ffn.up_proj", "ffn_up"}, {"ffn.down_proj", "ffn_down"}};

Result<void> addSlopes(Keys& keys) {
  keys.setFloat("attention.max_alibi_bias", keys.model.alibi);
  if (keys.model.attentionLimit > 0) keys.setFloat("attention.clamp_kqv", keys.model.attentionLimit);
  return {};
}

constexpr Family rows[] = {
    {.modelType = "bloom", .architecture = "bloom", .own = bloomPlaces},
    {.modelType = "mpt", .architecture = "mpt", .own = mptPlaces, .addKeys = addSlopes},
    {.modelType = "llama_bidirec", .architecture = "llama-embed", .interleaved = true},
    {.modelType = "llama", .architecture = "llama", .interleaved = true},
    {.modelType = "mistral", .architecture = "llama", .interleaved = true},
    {.modelType = "ministral3",
     .architecture = "mistral3",
     .interleaved = true,
     .rope = {.yarnLogFactor = 1},
     .addKeys = addQueryTemperature},
    {.modelType = "granite", .architecture = "granite", .interleaved = true, .addKeys = addGraniteScales},
    {.modelType = "smollm3", .architecture = "smollm3", .interleaved = true},
    {.modelType = "olmo2", .architecture = "olmo2", .own = normsBehind},
    {.modelType = "olmo3",
     .architecture = "olmo2",
     .own = normsBehind,
     .appliesWindow = true,
     .rope = {.wholeYarnMagnitude = true},
     .addKeys = addPattern},
    {.modelType = "qwen2", .architecture = "qwen2"},
    {.modelType = "qwen2_vl", .architecture = "qwen2"},
    {.modelType = "qwen2_5_vl", .architecture = "qwen2"},
    {.modelType = "mimo", .architecture = "qwen2"},
    {.modelType = "qwen3", .architecture = "qwen3"},
    {.modelType = "qwen3_vl", .architecture = "qwen3"},
    {.modelType = "phi", .architecture = "phi2"},
    {.modelType = "phi3", .architecture = "phi3"},
    {.modelType = "stablelm", .architecture = "stablelm", .addKeys = addParallelBlocks},
    {.modelType = "starcoder2", .architecture = "starcoder2"},
    {.modelType = "cohere", .architecture = "command-r", .addKeys = addLogitScale},
    {.modelType = "cohere2", .architecture = "cohere2", .appliesWindow = true, .addKeys = addLogitScale},
    {.modelType = "glm4", .architecture = "glm4"},
    {.modelType = "glm4v", .architecture = "glm4"},  // without sections of the rope, which say that q and k are in another order
    {.modelType = "ernie4_5", .architecture = "ernie4_5", .rope = {.base = 500000}},
    {.modelType = "arcee", .architecture = "arcee", .interleaved = true},
    {.modelType = "exaone", .architecture = "exaone", .own = exaonePlaces},
    {.modelType = "exaone4",
     .architecture = "exaone4",
     .own = normsBehind,
     .appliesWindow = true,
     .windowLayers = 64,
     .addKeys = addPattern},
    {.modelType = "exaone4_5_text",
     .architecture = "exaone4",
     .own = normsBehind,
     .appliesWindow = true,
     .windowLayers = 64,
     .addKeys = addPattern},
    {.modelType = "seed_oss", .architecture = "seed_oss", .own = normsBehind},
    {.modelType = "hunyuan_v1_dense", .architecture = "hunyuan-dense"},
    {.modelType = "nanbeige", .architecture = "nanbeige", .interleaved = true, .passesKey = "num_loops", .addKeys = addPasses},
    {.modelType = "apertus",
     .architecture = "apertus",
     .own = apertusPlaces,
     .mixer = {"mlp.act_fn.", xieluNames},
     .rope = {.base = 12e6},
     .addKeys = addXielu},
    {.modelType = "muse_glimmer",
     .architecture = "muse-glimmer",
     .interleaved = true,
     .own = musePlaces,
     .appliesWindow = true,
     .addKeys = addMuseGlimmer,
     .addTensors = addMuseNorms},
    {.modelType = "muse_glimmer_text",
     .architecture = "muse-glimmer",
     .interleaved = true,
     .own = musePlaces,
     .appliesWindow = true,
     .addKeys = addMuseGlimmer,
     .addTensors = addMuseNorms},
    {.modelType = "gpt2", .architecture = "gpt2", .transposedRank = 2},
    {.modelType = "gpt_neox", .architecture = "gptneox", .addKeys = addParallelBlocks},
};

}  // namespace

std::span<const Family> denseFamilies() { return rows; }

}  // namespace minerva::convert
