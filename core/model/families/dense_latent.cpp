// Dense models with latent attention as DeepSeek-V2's: MiniCPM 3, whose rotation pairs the halves, with MiniCPM's factors; and PLM, with an
// ungated feed-forward.
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"
#include "core/model/families/minicpm.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

namespace {

Result<void> fillDenseLatent(Reader& reader, DecoderForm& form, const LatentDims& dims, ModelConfig& config) {
  form.window = {};
  form.attention = false;
  form.rotary = false;
  form.kvHeads = {};
  form.headDimKey = {};
  form.defaultHeadDim = dims.plain + dims.rotary;
  MINERVA_TRY(fillDecoder(reader, form, config));
  form.rope.dimension = dims.rotary;
  MINERVA_ASSIGN(Rope rope, readRope(reader, form.rope, dims.rotary, config.contextLength, config.warnings));
  config.ropes.push_back(std::move(rope));
  config.attentionScale = static_cast<float>(1 / std::sqrt(static_cast<double>(dims.plain + dims.rotary)));
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    config.layers[i].rope = 0;
    MINERVA_TRY(readLatentAttention(reader, config, static_cast<int>(i), dims));
  }
  return {};
}

Result<void> fillMiniCpm3(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  MINERVA_ASSIGN(const int heads, reader.count(form.heads, Limits::heads));
  MINERVA_ASSIGN(const int hidden, reader.count(form.hidden, Limits::hidden));
  MINERVA_ASSIGN(const LatentDims dims, readLatentDims(reader, std::max(1, hidden / heads)));
  MINERVA_TRY(fillDenseLatent(reader, form, dims, config));
  return readMiniCpmScales(reader, config);
}

Result<void> fillPlm(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.activation = Activation::reluSquared;
  form.gated = false;
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  MINERVA_ASSIGN(const LatentDims dims, readLatentDims(reader));
  return fillDenseLatent(reader, form, dims, config);
}

constexpr std::string_view miniCpm3Names[] = {"minicpm3"};
constexpr std::string_view plmNames[] = {"plm"};

}  // namespace

const Family miniCpm3Family{"minicpm3", miniCpm3Names, miniCpm3Names, fillMiniCpm3};
const Family plmFamily{"plm", plmNames, plmNames, fillPlm};

}  // namespace minerva::model
