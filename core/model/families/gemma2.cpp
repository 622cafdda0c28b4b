// Gemma 2: norms before and after each block, a sliding window in every other layer, soft caps on scores and logits.
#include "core/model/families/family.h"
#include "core/model/families/gemma.h"

namespace minerva::model {

namespace {

Result<void> fillGemma2(Reader& reader, ModelConfig& config) {
  DecoderForm form = gemmaForm();
  addPostNorms(form);
  MINERVA_TRY(fillGemmaLike(reader, form, config));
  MINERVA_TRY(readGemmaScale(reader, 46, config));
  // Null in config.json means no cap. The first GGUF files of Gemma 2 have no keys for its caps.
  const double usualScores = reader.isGguf() ? 50.0 : 0.0, usualLogits = reader.isGguf() ? 30.0 : 0.0;
  constexpr Key scores{"attn_logit_softcapping", "attn_logit_softcapping"}, logits{"final_logit_softcapping", "final_logit_softcapping"};
  MINERVA_ASSIGN(const double scoreCap, reader.positive(scores, 1e9, usualScores));
  MINERVA_ASSIGN(const double logitCap, reader.positive(logits, 1e9, usualLogits));
  config.attentionSoftCap = static_cast<float>(scoreCap);
  config.logitSoftCap = static_cast<float>(logitCap);
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "sliding_window"}, Limits::context, 4096));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), 2));
  for (std::size_t i = 0; i < sliding.size(); ++i) config.layers[i].visible.window = sliding[i] ? window : 0;
  return {};
}

constexpr std::string_view gemma2Names[] = {"gemma2"};

}  // namespace

const Family gemma2Family{"gemma2", gemma2Names, gemma2Names, fillGemma2};

}  // namespace minerva::model
