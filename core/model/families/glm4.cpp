// GLM-4 (0414): norms before and after each block, interleaved rope on half of each head, gate and up in one tensor. Of the multimodal
// ones (GLM-4.1V, GLM-4.6V-Flash) the text part is read.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

// Sections of the rope are what multimodal models have; converters reorder q and k of these to halves. All sections of a text have the
// same positions.
Result<RopeLayout> glm4GgufLayout(const Reader& reader) {
  MINERVA_ASSIGN(const std::vector<int> sections, reader.counts({"rope.dimension_sections", ""}, 4, Limits::headDim, 0));
  return sections[0] > 0 && sections[1] > 0 ? RopeLayout::halves : RopeLayout::interleaved;
}

Result<void> fillGlm4(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_self_attn_layernorm"};
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_mlp_layernorm"};
  form.ggufUpHoldsGate = true;
  form.window = {};
  MINERVA_ASSIGN(form.rope.ggufLayout, glm4GgufLayout(reader));
  form.rope.huggingFaceLayout = RopeLayout::interleaved;
  form.rope.defaultPartial = 0.5;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view glm4GgufNames[] = {"glm4"};
constexpr std::string_view glm4HuggingFaceNames[] = {"glm4", "glm4v", "glm4v_text"};

}  // namespace

const Family glm4Family{"glm4", glm4GgufNames, glm4HuggingFaceNames, fillGlm4};

}  // namespace minerva::model
