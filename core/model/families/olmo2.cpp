// OLMo 2 and 3: norms after each block instead of before it; q and k are normalised over all heads together. Three of four layers of
// OLMo 3 have a sliding window, and its rope scaling is for the others only.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillOlmo2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.attentionNorm = {};
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"};
  form.feedForwardNorm = {};
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"};
  form.headNorms = HeadNorms::wholeWidth;
  form.window = {};
  form.defaultEpsilon = 1e-5;
  MINERVA_TRY(fillDecoder(reader, form, config));
  // GGUF files of OLMo 3 state YaRN's whole magnitude as the factor that elsewhere multiplies it.
  MINERVA_ASSIGN(const double magnitude, reader.positive({"rope.scaling.attn_factor", ""}, 1e6, config.ropes.front().magnitude));
  config.ropes.front().magnitude = static_cast<float>(magnitude);
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(const auto stated, reader.integer(windowKey));
  if (stated.value_or(0) == 0) return {};
  MINERVA_ASSIGN(const int window, reader.count(windowKey, Limits::context));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), 4));
  form.rope.scaled = false;
  MINERVA_ASSIGN(Rope plain, readRope(reader, form.rope, config.layers.front().headDim, config.contextLength, config.warnings));
  config.ropes.push_back(std::move(plain));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    if (!sliding[i]) continue;
    config.layers[i].visible.window = window;
    config.layers[i].rope = 1;
  }
  return {};
}

constexpr std::string_view olmo2GgufNames[] = {"olmo2"};
constexpr std::string_view olmo2HuggingFaceNames[] = {"olmo2", "olmo3"};

}  // namespace

const Family olmo2Family{"olmo2", olmo2GgufNames, olmo2HuggingFaceNames, fillOlmo2};

}  // namespace minerva::model
