// OLMo 2: norms after each block instead of before it; q and k are normalised over all heads together.
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
  return fillDecoder(reader, form, config);
}

constexpr std::string_view olmo2Names[] = {"olmo2"};

}  // namespace

const Family olmo2Family{"olmo2", olmo2Names, olmo2Names, fillOlmo2};

}  // namespace minerva::model
