// Seed-OSS: Llama's decoder with biases of q, k and v and an explicit head size.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillSeedOss(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.feedForwardNorm.gguf = "blk.#.post_attention_norm";
  form.window = {};
  form.defaultHeadDim = 128;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view seedOssNames[] = {"seed_oss"};

}  // namespace

const Family seedOssFamily{"seed-oss", seedOssNames, seedOssNames, fillSeedOss};

}  // namespace minerva::model
