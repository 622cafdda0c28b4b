// GLM-4 (0414): norms before and after each block, interleaved rope on half of each head, gate and up in one tensor.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillGlm4(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_self_attn_layernorm"};
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_mlp_layernorm"};
  form.ggufUpHoldsGate = true;
  form.window = {};
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  form.rope.defaultPartial = 0.5;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view glm4Names[] = {"glm4"};

}  // namespace

const Family glm4Family{"glm4", glm4Names, glm4Names, fillGlm4};

}  // namespace minerva::model
