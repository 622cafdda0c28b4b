// Falcon H1: attention and Mamba 2 side by side in every layer, then a feed-forward. Folders have a multiplier for nearly every matrix;
// GGUF files hold them in their weights.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/mamba.h"

namespace minerva::model {

namespace {

constexpr double largestMultiplier = 1e6;

struct FalconScales {
  float attentionIn = 1, key = 1, attentionOut = 1, mambaIn = 1, mambaOut = 1, gate = 1, down = 1;
  std::vector<float> sections{1, 1, 1, 1, 1};  // of z, x, B, C and dt
};

Result<std::vector<float>> falconMultipliers(const Reader& reader, std::string_view name, std::size_t count) {
  const Key key{"", name};
  const nlohmann::json* list = reader.json(key);
  std::vector<float> out;
  if (!list) return std::vector<float>(count, 1.0F);
  for (const auto& one : *list) {
    const double value = one.is_number() ? one.get<double>() : 0.0;
    if (value > 0 && value < largestMultiplier) out.push_back(static_cast<float>(value));
  }
  if (list->is_array() && out.size() == count && list->size() == count) return out;
  return fail(reader.invalid(key, "The multipliers are not valid", std::to_string(count) + " numbers above 0",
                             list->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
}

Result<FalconScales> readFalconScales(const Reader& reader, ModelConfig& config) {
  FalconScales out;
  const auto read = [&](std::string_view name, float& to) -> Result<void> {
    MINERVA_ASSIGN(const double value, reader.positive({"", name}, largestMultiplier, 1.0));
    to = static_cast<float>(value);
    return {};
  };
  MINERVA_TRY(read("attention_in_multiplier", out.attentionIn));
  MINERVA_TRY(read("attention_out_multiplier", out.attentionOut));
  MINERVA_TRY(read("key_multiplier", out.key));
  MINERVA_TRY(read("ssm_in_multiplier", out.mambaIn));
  MINERVA_TRY(read("ssm_out_multiplier", out.mambaOut));
  MINERVA_TRY(read("embedding_multiplier", config.embeddingScale));
  MINERVA_TRY(read("lm_head_multiplier", config.logitScale));
  MINERVA_ASSIGN(const std::vector<float> feedForward, falconMultipliers(reader, "mlp_multipliers", 2));
  out.gate = feedForward[0];
  out.down = feedForward[1];
  MINERVA_ASSIGN(out.sections, falconMultipliers(reader, "ssm_multipliers", 5));
  return out;
}

// Every factor of a matrix without bias is moved to where the plan has one: q.k, the result of a block, an input norm.
void applyFalconScales(const FalconScales& scales, ModelConfig& config) {
  for (LayerConfig& layer : config.layers) {
    layer.attentionScale = config.attentionScale * scales.attentionIn * scales.attentionIn * scales.key;
    layer.attentionResultScale = scales.attentionIn * scales.attentionOut;
    layer.mamba.resultScale = scales.mambaOut;
    layer.mamba.inScales = scales.sections;
    for (float& section : layer.mamba.inScales) section *= scales.mambaIn;
    layer.feedForwardNorm.times = scales.gate;  // also of what `up` reads, which the result makes up for
    layer.feedForwardResultScale = scales.down / scales.gate;
  }
}

// Whether a norm follows the gate of Mamba.
Result<bool> hasMambaNorm(const Reader& reader) {
  if (reader.isGguf()) return reader.has({"blk.#.ssm_norm", ""}, 0);
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"", "mamba_rms_norm"}));
  if (!normalised.value_or(false)) return false;
  MINERVA_TRY(refuseIfSet(reader, "mamba_norm_before_gate", "Mamba with its norm before its gate"));
  return true;
}

Result<void> fillFalconH1(Reader& reader, ModelConfig& config) {
  if (reader.file().format() == format::FileFormat::mlx) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Falcon H1 in MLX's format is not supported: its weights may or may not hold the model's multipliers",
                 .where = reader.file().path().string(),
                 .expected = "a GGUF file, or the published folder",
                 .actual = "MLX",
                 .hint = "Choose another copy of this model."});
  }
  for (const char* bias : {"attention_bias", "mlp_bias", "mamba_proj_bias", "projectors_bias"}) {
    MINERVA_TRY(refuseIfSet(reader, bias, "A bias in Falcon H1"));
  }
  DecoderForm form;
  form.window = {};
  form.rope.defaultBase = 1e11;
  // In GGUF files this norm has no ".weight".
  form.feedForwardNorm.huggingFace = "model.layers.#.pre_ff_layernorm";
  form.gate.huggingFace = "model.layers.#.feed_forward.gate_proj";
  form.up.huggingFace = "model.layers.#.feed_forward.up_proj";
  form.down.huggingFace = "model.layers.#.feed_forward.down_proj";
  form.outputNorm.huggingFace = "model.final_layernorm";
  const bool bare = reader.isGguf() && reader.hasNamed("blk.0.ffn_norm");
  if (bare) form.feedForwardNorm.gguf = {};
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  form.parts.assign(static_cast<std::size_t>(layers), {.attention = true, .mixer = true, .feedForward = true});
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (int i = 0; bare && i < layers; ++i) {
    NormWeights& norm = config.layers[static_cast<std::size_t>(i)].feedForwardNorm;
    MINERVA_ASSIGN(norm.weight, reader.tensor({"blk.#.ffn_norm", ""}, i, vectorShape(config.hiddenSize), ""));
  }
  MambaForm mamba;
  MINERVA_ASSIGN(mamba.normalised, hasMambaNorm(reader));
  MINERVA_TRY(fillMamba(reader, mamba, form.parts, config));
  if (reader.isGguf()) return {};
  MINERVA_ASSIGN(const FalconScales scales, readFalconScales(reader, config));
  applyFalconScales(scales, config);
  return checkInSections(config);
}

constexpr std::string_view falconH1GgufNames[] = {"falcon-h1"};
constexpr std::string_view falconH1HuggingFaceNames[] = {"falcon_h1"};

}  // namespace

const Family falconH1Family{"falcon-h1", falconH1GgufNames, falconH1HuggingFaceNames, fillFalconH1};

}  // namespace minerva::model
