// Jamba: layers of Mamba with norms of its steps, B and C, or of attention without rotation, each followed by a dense feed-forward or a
// mixture of experts.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/mamba.h"
#include "core/model/families/recurrent.h"

namespace minerva::model {

namespace {

// For each layer whether it is one of every `period`, from number `offset` on.
Result<std::vector<bool>> jambaLayers(const Reader& reader, int layers, Key period, Key offset, int usualPeriod, int usualOffset) {
  MINERVA_ASSIGN(const int every, reader.count(period, Limits::layers, usualPeriod));
  MINERVA_ASSIGN(const auto stated, reader.integer(offset));
  const std::int64_t first = stated.value_or(usualOffset);
  if (first < 0 || first >= every) {
    return fail(reader.invalid(offset, "The first of the periodic layers is not valid", "0 to " + std::to_string(every - 1),
                               std::to_string(first)));
  }
  std::vector<bool> out;
  for (int i = 0; i < layers; ++i) out.push_back(i % every == first);
  return out;
}

// GGUF: attention where there are key/value heads.
Result<void> readJambaMixers(const Reader& reader, int layers, DecoderForm& form) {
  std::vector<int> attention;
  if (reader.isGguf()) {
    MINERVA_ASSIGN(form.defaultKvHeads, attentionLayersOf(reader, layers, attention));
    form.kvHeads = {};
  } else {
    MINERVA_ASSIGN(const std::vector<bool> stated, jambaLayers(reader, layers, {"", "attn_layer_period"}, {"", "attn_layer_offset"}, 8, 4));
    attention.assign(stated.begin(), stated.end());
  }
  for (const int one : attention) form.parts.push_back({.attention = one != 0, .mixer = one == 0, .feedForward = true});
  return {};
}

// GGUF: a mixture where there is a router.
Result<ExpertForm> jambaExperts(const Reader& reader, int layers) {
  ExpertForm experts;
  experts.feedForward = {"feed_forward_length", "intermediate_size"};
  experts.normalised = false;
  experts.router.huggingFace = "model.layers.#.feed_forward.router";
  experts.stacked = "model.layers.#.feed_forward.switch_mlp.";
  experts.gate = "model.layers.#.feed_forward.experts.@.gate_proj";
  experts.up = "model.layers.#.feed_forward.experts.@.up_proj";
  experts.down = "model.layers.#.feed_forward.experts.@.down_proj";
  MINERVA_ASSIGN(const auto count, reader.integer(experts.count));
  MINERVA_ASSIGN(const std::vector<bool> mixtures,
                 jambaLayers(reader, layers, {"", "expert_layer_period"}, {"", "expert_layer_offset"}, 2, 1));
  for (int i = 0; i < layers; ++i) {
    const bool mixture = reader.isGguf() ? reader.has(experts.router, i) : mixtures[static_cast<std::size_t>(i)];
    if (!mixture || count.value_or(16) <= 1) experts.denseLayers.push_back(i);
  }
  return experts;
}

Result<void> fillJamba(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rotary = false;
  form.feedForwardNorm.huggingFace = "model.layers.#.pre_ff_layernorm";
  form.gate.huggingFace = "model.layers.#.feed_forward.gate_proj";
  form.up.huggingFace = "model.layers.#.feed_forward.up_proj";
  form.down.huggingFace = "model.layers.#.feed_forward.down_proj";
  form.outputNorm.huggingFace = "model.final_layernorm";
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  MINERVA_TRY(readJambaMixers(reader, layers, form));
  MINERVA_ASSIGN(const ExpertForm experts, jambaExperts(reader, layers));
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return fillSelectiveMamba(reader, {.normalised = true}, form.parts, config);
}

constexpr std::string_view jambaNames[] = {"jamba"};

}  // namespace

const Family jambaFamily{"jamba", jambaNames, jambaNames, fillJamba};

}  // namespace minerva::model
