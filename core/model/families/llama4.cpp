// Llama 4, text only: rotated layers see their chunk of the context; every fourth layer is not rotated, sees everything and scales its
// queries by position. The weight of an expert, a sigmoid, multiplies its input. q and k are normalised after their rotation, without
// weights. GGUF files have no keys for chunks and temperature, whose published values apply.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

Result<ExpertForm> llama4Experts(const Reader& reader) {
  ExpertForm experts;
  experts.count.huggingFace = "num_local_experts";
  experts.feedForward.huggingFace = "intermediate_size";
  experts.router.huggingFace = "model.layers.#.feed_forward.router";
  experts.stacked = "model.layers.#.feed_forward.experts.";
  experts.fusedGateUp = "model.layers.#.feed_forward.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.feed_forward.experts.down_proj";
  experts.fusedTransposed = true;
  experts.scoring = Scoring::sigmoid;
  experts.normalised = false;
  experts.scalesInput = true;
  experts.sharedGate.huggingFace = "model.layers.#.feed_forward.shared_expert.gate_proj";
  experts.sharedUp.huggingFace = "model.layers.#.feed_forward.shared_expert.up_proj";
  experts.sharedDown.huggingFace = "model.layers.#.feed_forward.shared_expert.down_proj";
  MINERVA_ASSIGN(experts.sharedSize, reader.count(experts.feedForward, Limits::feedForward));
  MINERVA_ASSIGN(experts.step, reader.count({"interleave_moe_layer_step", "interleave_moe_layer_step"}, Limits::layers, 1));
  const nlohmann::json* mixtures = reader.json({"", "moe_layers"});
  if (!mixtures) return experts;
  experts.step = 1;
  MINERVA_ASSIGN(const int layers, reader.count({"", "num_hidden_layers"}, Limits::layers));
  for (int i = 0; i < layers; ++i) {
    if (std::ranges::find(*mixtures, nlohmann::json(i)) == mixtures->end()) experts.denseLayers.push_back(i);
  }
  return experts;
}

// Which layers are rotated: by config.json's list (1: rotated), else all but every fourth.
Result<std::vector<bool>> rotatedLayers(const Reader& reader, int layers) {
  const Key key{"", "no_rope_layers"};
  MINERVA_ASSIGN(const int interval, reader.count({"", "no_rope_layer_interval"}, Limits::layers, 4));
  std::vector<bool> rotated(static_cast<std::size_t>(layers));
  for (int i = 0; i < layers; ++i) rotated[static_cast<std::size_t>(i)] = (i + 1) % interval != 0;
  const nlohmann::json* list = reader.json(key);
  if (!list || list->empty()) return rotated;
  if (!list->is_array() || list->size() != rotated.size()) {
    return fail(reader.invalid(key, "The list of layers without rope is not valid", std::to_string(layers) + " entries",
                               std::to_string(list->size()) + " entries"));
  }
  for (std::size_t i = 0; i < rotated.size(); ++i) rotated[i] = (*list)[i] != 0;
  return rotated;
}

// Only rotated layers have chunks; layer_types must not say otherwise.
Result<void> checkLayerTypes(const Reader& reader, const std::vector<bool>& rotated) {
  const Key key{"", "layer_types"};
  const nlohmann::json* types = reader.json(key);
  if (!types) return {};
  bool agree = types->is_array() && types->size() == rotated.size();
  for (std::size_t i = 0; agree && i < rotated.size(); ++i) agree = (*types)[i] == (rotated[i] ? "chunked_attention" : "full_attention");
  if (agree) return {};
  return fail(reader.invalid(key, "The layer types contradict the layers without rope", "chunked_attention where layers are rotated",
                             types->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
}

Result<QueryTemperature> llama4Temperature(const Reader& reader) {
  QueryTemperature out{.strength = 0, .length = 1, .offset = 1};
  const nlohmann::json* tuned = reader.json({"", "attn_temperature_tuning"});  // true, or a number in the first files
  if (tuned && (*tuned == false || *tuned == 0)) return out;
  MINERVA_ASSIGN(const double strength, reader.positive({"", "attn_scale"}, 1e6, 0.1));
  MINERVA_ASSIGN(const double length, reader.positive({"", "floor_scale"}, Limits::context, 8192));
  out.strength = static_cast<float>(strength);
  out.length = static_cast<float>(std::max(1.0, length));
  return out;
}

Result<void> fillLlama4(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.feedForward.huggingFace = "intermediate_size_mlp";
  form.gate.huggingFace = "model.layers.#.feed_forward.gate_proj";
  form.up.huggingFace = "model.layers.#.feed_forward.up_proj";
  form.down.huggingFace = "model.layers.#.feed_forward.down_proj";
  form.window = {};
  form.defaultEpsilon = 1e-5;
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  form.rope.defaultBase = 500000;
  MINERVA_ASSIGN(const ExpertForm experts, llama4Experts(reader));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  // GGUF does not say whether q and k are normalised; of the published models, the one with 128 experts has no such norms.
  MINERVA_ASSIGN(const int count, reader.count(experts.count, 4096));
  MINERVA_ASSIGN(const auto normed, reader.boolean({"", "use_qk_norm"}));
  MINERVA_ASSIGN(const int chunk, reader.count({"", "attention_chunk_size"}, Limits::context, 8192));
  MINERVA_ASSIGN(const QueryTemperature temperature, llama4Temperature(reader));
  MINERVA_ASSIGN(const std::vector<bool> rotated, rotatedLayers(reader, static_cast<int>(config.layers.size())));
  MINERVA_TRY(checkLayerTypes(reader, rotated));
  for (std::size_t i = 0; i < rotated.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    if (!rotated[i]) {
      layer.rope = -1;
      layer.temperature = temperature;
      continue;
    }
    layer.visible.chunk = chunk;
    if (!normed.value_or(reader.isGguf() ? count != 128 : true)) continue;
    layer.normsRotated = true;
    layer.qNorm.weights.withoutWeight = layer.kNorm.weights.withoutWeight = true;
  }
  return {};
}

constexpr std::string_view llama4GgufNames[] = {"llama4"};
constexpr std::string_view llama4HuggingFaceNames[] = {"llama4_text", "llama4"};

}  // namespace

const Family llama4Family{"llama4", llama4GgufNames, llama4HuggingFaceNames, fillLlama4};

}  // namespace minerva::model
