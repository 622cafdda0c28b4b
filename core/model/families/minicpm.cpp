// MiniCPM 1, 2 and 4: Llama's decoder with factors for embedding, residual sums and logits.
#include "core/model/families/minicpm.h"

#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <cmath>

namespace minerva::model {

namespace {

Result<void> refuseMixture(const Reader& reader) {
  MINERVA_TRY(refuseIfSet(reader, "num_experts", "A mixture of experts in MiniCPM"));
  constexpr Key key{"expert_count", ""};
  MINERVA_ASSIGN(const auto experts, reader.integer(key));
  if (experts.value_or(0) == 0) return {};
  Error error = reader.invalid(key, "A mixture of experts in MiniCPM is not supported", "none", std::to_string(*experts));
  error.kind = ErrorKind::unsupported;
  return fail(std::move(error));
}

Result<void> fillMiniCpm(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_TRY(refuseMixture(reader));
  MINERVA_TRY(fillDecoder(reader, form, config));
  if (reader.json({"", "sparse_config"}))
    config.warnings.emplace_back("Attention that leaves out blocks of long texts is not used: every token sees all before it");
  return readMiniCpmScales(reader, config);
}

constexpr std::string_view miniCpmNames[] = {"minicpm"};

}  // namespace

Result<void> readMiniCpmScales(const Reader& reader, ModelConfig& config) {
  constexpr double large = 1e6;
  const double depth = std::sqrt(static_cast<double>(config.layers.size()));
  double embedding = 1, residual = 1, divisor = 1;
  if (reader.isGguf()) {
    MINERVA_ASSIGN(embedding, reader.positive({"embedding_scale", ""}, large, 12.0));
    MINERVA_ASSIGN(residual, reader.positive({"residual_scale", ""}, large, 1.4 / depth));
    MINERVA_ASSIGN(divisor, reader.positive({"logit_scale", ""}, large, config.hiddenSize / 256.0));
  } else {
    MINERVA_ASSIGN(embedding, reader.positive({"", "scale_emb"}, large, 1.0));
    MINERVA_ASSIGN(const double ofAll, reader.positive({"", "scale_depth"}, large, 1.0));
    MINERVA_ASSIGN(const double base, reader.positive({"", "dim_model_base"}, large, 1.0));
    residual = ofAll / depth;
    divisor = config.hiddenSize / base;
  }
  config.embeddingScale = static_cast<float>(embedding);
  config.residualScale = static_cast<float>(residual);
  config.logitScale = static_cast<float>(1 / divisor);
  return {};
}

const Family miniCpmFamily{"minicpm", miniCpmNames, miniCpmNames, fillMiniCpm};

}  // namespace minerva::model
