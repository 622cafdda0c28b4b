// Granite with windows and sinks (Granite 4.5), dense or as a mixture: Granite's multipliers, a sliding window in most layers, a sink in
// every head, and a rotation of its own in every layer, or none.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/granite.h"

#include <algorithm>
#include <map>

namespace minerva::model {

namespace {

// The base of each layer's rope, 0: not rotated. GGUF files have one base, and a list of which layers are rotated.
Result<std::vector<double>> readGraniteBases(const Reader& reader, int layers, double usual) {
  constexpr Key basesKey{"", "layer_rope_theta"}, rotatedKey{"attention.rope_pattern", "no_rope_layers"};
  std::vector<double> out(static_cast<std::size_t>(layers), usual);
  if (const nlohmann::json* list = reader.json(basesKey)) {
    const auto valid = [](const nlohmann::json& one) { return one.is_number() && one >= 0 && one < 1e15; };
    if (!list->is_array() || list->size() != out.size() || !std::ranges::all_of(*list, valid)) {
      return fail(reader.invalid(basesKey, "The list of the layers' rope bases is not valid",
                                 std::to_string(layers) + " numbers of 0 or more",
                                 list->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
    }
    std::ranges::transform(*list, out.begin(), [](const nlohmann::json& one) { return one.get<double>(); });
    return out;
  }
  MINERVA_ASSIGN(const std::vector<int> rotated, reader.counts(rotatedKey, layers, 1, 1));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = rotated[i] != 0 ? usual : 0;
  return out;
}

// One rope for each base.
Result<void> readGraniteRopes(Reader& reader, const std::vector<double>& bases, ModelConfig& config) {
  std::map<double, int> known;
  const int headDim = config.layers.front().headDim;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (bases[i] > 0 && !known.contains(bases[i])) {
      RopeForm form;
      form.ggufLayout = RopeLayout::interleaved;
      MINERVA_ASSIGN(Rope rope, readRope(reader, form, headDim, config.contextLength, config.warnings));
      if (reader.json({"", "layer_rope_theta"})) rope.frequencies = ropeFrequencies(rope.dimension, bases[i], {});
      known[bases[i]] = static_cast<int>(config.ropes.size());
      config.ropes.push_back(std::move(rope));
    }
    config.layers[i].rope = bases[i] > 0 ? known[bases[i]] : -1;
  }
  return {};
}

Result<void> refuseScaledGranite(const Reader& reader) {
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    const nlohmann::json* object = reader.json({"", name});
    if (!object || !object->is_object() || !reader.json({"", "layer_rope_theta"})) continue;
    const nlohmann::json kind = object->value("rope_type", object->value("type", nlohmann::json("default")));
    if (kind == "default") continue;
    Error error = reader.invalid({"", name}, "A scaled rope with a base for each layer is not supported", "default",
                                 kind.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80));
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  return {};
}

// Newer folders have other names of the router and the stacks.
ExpertForm graniteSwaExperts(const Reader& reader, int sharedSize) {
  ExpertForm experts = graniteExperts(sharedSize);
  experts.sharedGateUp.gguf = "blk.#.ffn_up_shexp";
  constexpr TensorName router{"", "model.layers.#.block_sparse_moe.router"};
  if (reader.isGguf() || !reader.has(router, 0)) return experts;
  experts.router.huggingFace = router.huggingFace;
  experts.fusedGateUp = "model.layers.#.block_sparse_moe.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.block_sparse_moe.experts.down_proj";
  return experts;
}

Result<void> fillGraniteSwa(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rotary = false;
  form.defaultEpsilon = 1e-5;
  MINERVA_TRY(refuseScaledGranite(reader));
  constexpr Key sharedKey{"expert_shared_feed_forward_length", "shared_intermediate_size"};
  MINERVA_ASSIGN(const auto count, reader.integer({"expert_count", "num_local_experts"}));
  MINERVA_ASSIGN(const auto shared, reader.integer(sharedKey));
  int sharedSize = 0;
  if (shared.value_or(0) != 0) {
    MINERVA_ASSIGN(sharedSize, reader.count(sharedKey, Limits::feedForward));
  }
  const ExpertForm experts = graniteSwaExperts(reader, sharedSize);
  if (count.value_or(0) > 0) form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_TRY(readGraniteScales(reader, config));
  const int layers = static_cast<int>(config.layers.size());
  MINERVA_ASSIGN(const double base, reader.positive({"rope.freq_base", "rope_theta"}, 1e15, 10000.0));
  MINERVA_ASSIGN(const std::vector<double> bases, readGraniteBases(reader, layers, base));
  MINERVA_TRY(readGraniteRopes(reader, bases, config));
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context, 128));
  const bool listed = reader.isGguf() || reader.json({"", "layer_types"});
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, layers, 0));
  for (int i = 0; i < layers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    LayerConfig& layer = config.layers[index];
    layer.visible.window = (listed ? sliding[index] : i % 4 != 0) ? window : 0;
    const std::string name = reader.isGguf() ? reader.nameOf(TensorName{"blk.#.attn_sinks", ""}, i, ".weight")
                                             : reader.nameOf(TensorName{"", "model.layers.#.self_attn.sinks"}, i, "");
    MINERVA_ASSIGN(layer.sinks, reader.tensor(name, vectorShape(layer.headCount)));
  }
  return {};
}

constexpr std::string_view graniteSwaGgufNames[] = {"granite_swa"};
constexpr std::string_view graniteSwaHuggingFaceNames[] = {"granite_swa", "granitemoe_swa"};

}  // namespace

const Family graniteSwaFamily{"granite-swa", graniteSwaGgufNames, graniteSwaHuggingFaceNames, fillGraniteSwa};

}  // namespace minerva::model
