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

constexpr Family rows[] = {
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
    {.modelType = "exaone4",
     .architecture = "exaone4",
     .own = normsBehind,
     .appliesWindow = true,
     .windowLayers = 64,
     .addKeys = addPattern},
    {.modelType = "seed_oss", .architecture = "seed_oss", .own = normsBehind},
    {.modelType = "hunyuan_v1_dense", .architecture = "hunyuan-dense"},
    {.modelType = "apertus",
     .architecture = "apertus",
     .own = apertusPlaces,
     .mixer = {"mlp.act_fn.", xieluNames},
     .rope = {.base = 12e6},
     .addKeys = addXielu},
    {.modelType = "gpt2", .architecture = "gpt2", .transposedRank = 2},
    {.modelType = "gpt_neox", .architecture = "gptneox", .addKeys = addParallelBlocks},
};

}  // namespace

std::span<const Family> denseFamilies() { return rows; }

}  // namespace minerva::convert
