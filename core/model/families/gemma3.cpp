// Gemma 3 (text part of the multimodal models): five of six layers use a sliding window and a separate rope base; norms
// of queries and keys instead of soft caps on scores.
#include "core/model/families/family.h"
#include "core/model/families/gemma.h"
#include "core/model/families/text_embedding.h"

namespace minerva::model {

namespace {

Result<bool> seesBothDirections(const Reader& reader) {
  MINERVA_ASSIGN(const auto stated, reader.boolean({"", "use_bidirectional_attention"}));
  return stated.value_or(reader.architecture() == "gemma-embedding");
}

Result<void> fillGemma3(Reader& reader, ModelConfig& config) {
  // EmbeddingGemma sees in both directions.
  MINERVA_ASSIGN(const bool both, seesBothDirections(reader));
  if (both) poolAnyway(config);
  DecoderForm form = gemmaForm();
  addPostNorms(form);
  form.headNorms = HeadNorms::shared;
  form.rope.defaultBase = 1e6;
  form.rope.layerType = "full_attention";
  if (!reader.isGguf()) {  // missing from the published config.json of the 4B and 12B models
    form.defaultHeads = 8;
    form.defaultKvHeads = 4;
    form.defaultHeadDim = 256;
    form.defaultContext = 131072;
  }
  MINERVA_TRY(fillGemmaLike(reader, form, config));
  MINERVA_TRY(readGemmaScale(reader, 62, config));
  RopeForm local;
  local.base = {"rope.freq_base_swa", "rope_local_base_freq"};
  local.layerType = "sliding_attention";
  local.scaled = false;
  MINERVA_ASSIGN(Rope rope, readRope(reader, local, config.layers.front().headDim, config.contextLength, config.warnings));
  config.ropes.push_back(std::move(rope));
  MINERVA_ASSIGN(const double logitCap, reader.positive({"final_logit_softcapping", "final_logit_softcapping"}, 1e9, 0.0));
  config.logitSoftCap = static_cast<float>(logitCap);
  MINERVA_TRY(refuseIfSet(reader, "attn_logit_softcapping", "A soft cap on Gemma 3's scores"));
  // A GGUF file that states no window has global layers only.
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(const auto statedWindow, reader.integer(windowKey));
  const bool windowed = !reader.isGguf() || statedWindow.value_or(0) != 0;
  MINERVA_ASSIGN(const int window, windowed ? reader.count(windowKey, Limits::context, 4096) : Result<int>(0));
  const int layers = static_cast<int>(config.layers.size());
  // A number, or a list that says it of each layer.
  constexpr Key patternKey{"attention.sliding_window_pattern", "sliding_window_pattern"};
  MINERVA_ASSIGN(const std::vector<int> pattern, reader.counts(patternKey, layers, Limits::layers, 6));
  MINERVA_ASSIGN(std::vector<bool> sliding, slidingLayers(reader, layers, pattern.front()));
  if (!windowed) sliding.assign(sliding.size(), false);
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    if (both) config.layers[i].visible = aroundEachToken(sliding[i] ? window : 0);
    else config.layers[i].visible.window = sliding[i] ? window : 0;
    config.layers[i].rope = sliding[i] ? 1 : 0;
  }
  return {};
}

constexpr std::string_view gemma3GgufNames[] = {"gemma3", "gemma-embedding"};
constexpr std::string_view gemma3HuggingFaceNames[] = {"gemma3_text", "gemma3"};

}  // namespace

const Family gemma3Family{"gemma3", gemma3GgufNames, gemma3HuggingFaceNames, fillGemma3};

}  // namespace minerva::model
