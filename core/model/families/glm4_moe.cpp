// GLM-4.5 and 4.6: experts chosen by biased sigmoids, rope on half of each head, q and k normalised per head (not in 4.5-Air). Of 4.5V and
// 4.6V the text part is read. Solar Open is the same without dense layers, with whole heads rotated.
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillGlm4Moe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.feedForwardNorm.gguf = "blk.#.post_attention_norm";
  form.window = {};
  form.defaultEpsilon = 1e-5;
  form.rope.defaultPartial = 0.5;
  if (reader.architecture() == "solar_open") {
    form.rope.defaultPartial = 1;
    form.rope.defaultBase = 1e6;
    form.defaultHeadDim = 128;
  }
  MINERVA_ASSIGN(const auto normed, reader.boolean({"", "use_qk_norm"}));
  if (normed.value_or(reader.has(form.qNorm, 0))) form.headNorms = HeadNorms::shared;
  MINERVA_ASSIGN(const ExpertForm experts, biasedExperts(reader));
  form.experts = &experts;
  form.prediction = &predictionBehindLayers;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view glm4MoeGgufNames[] = {"glm4moe"};
constexpr std::string_view glm4MoeHuggingFaceNames[] = {"glm4_moe", "glm4v_moe", "glm4v_moe_text", "solar_open"};

}  // namespace

const Family glm4MoeFamily{"glm4-moe", glm4MoeGgufNames, glm4MoeHuggingFaceNames, fillGlm4Moe};

}  // namespace minerva::model
