// Granite 4: layers of Mamba 2 or attention with Granite's multipliers, and a shared feed-forward, alone or beside routed experts. The
// dense models without Mamba have this form in Hugging Face files only; as GGUF they are plain Granite.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/granite.h"
#include "core/model/families/mamba.h"
#include "core/model/families/recurrent.h"

namespace minerva::model {

namespace {

// Sets which layers have attention. GGUF: those with key/value heads, whose number is the same in all of them.
Result<void> readGraniteLayers(const Reader& reader, int layers, DecoderForm& form) {
  constexpr std::string_view kinds[] = {"linear_attention", "full_attention"};
  MINERVA_ASSIGN(std::vector<int> attention, layerKinds(reader, "layer_types", layers, kinds));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(form.defaultKvHeads, attentionLayersOf(reader, layers, attention));
    form.kvHeads = {};
  } else if (attention.empty()) {
    return fail(reader.invalid({"", "layer_types"}, "The model's config lacks the layer types",
                               "a list of linear_attention or full_attention", "nothing"));
  }
  for (const int one : attention) form.parts.push_back({.attention = one != 0, .mixer = one == 0, .feedForward = true});
  return {};
}

// GGUF says with this key whether the attention layers are rotated.
Result<bool> isGraniteRotated(const Reader& reader) {
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const auto rotated, reader.boolean({"rope.scaling.finetuned", ""}));
    return rotated.value_or(true);
  }
  constexpr Key key{"", "position_embedding_type"};
  MINERVA_ASSIGN(const auto stated, reader.string(key));
  const std::string kind = stated.value_or("nope");
  if (kind == "rope" || kind == "nope") return kind == "rope";
  return fail(reader.invalid(key, "The kind of positions is not valid", "rope or nope", kind));
}

Result<void> fillGraniteHybrid(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_ASSIGN(form.rotary, isGraniteRotated(reader));
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  MINERVA_TRY(readGraniteLayers(reader, layers, form));
  MINERVA_ASSIGN(const auto count, reader.integer({"expert_count", "num_local_experts"}));
  ExpertForm experts;
  if (count.value_or(0) > 0) {
    MINERVA_ASSIGN(const int shared, reader.count({"expert_shared_feed_forward_length", "shared_intermediate_size"}, Limits::feedForward));
    experts = graniteExperts(shared);
    form.experts = &experts;
  } else {
    form.feedForward.huggingFace = "shared_intermediate_size";
    form.gateUp.huggingFace = "model.layers.#.shared_mlp.input_linear";
    // Folders of MLX's tools have an ordinary feed-forward instead.
    if (reader.has(form.gateUp, 0)) form.down.huggingFace = "model.layers.#.shared_mlp.output_linear";
  }
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_TRY(readGraniteScales(reader, config));
  return fillMamba(reader, MambaForm{}, form.parts, config);
}

constexpr std::string_view graniteHybridGgufNames[] = {"granitehybrid"};
constexpr std::string_view graniteHybridHuggingFaceNames[] = {"granitemoehybrid"};

}  // namespace

const Family graniteHybridFamily{"granite-hybrid", graniteHybridGgufNames, graniteHybridHuggingFaceNames, fillGraniteHybrid};

}  // namespace minerva::model
