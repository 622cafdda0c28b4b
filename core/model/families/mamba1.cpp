// Mamba alone: no attention, no feed-forward, no limit of the context.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/mamba.h"

namespace minerva::model {

namespace {

Result<void> fillMamba1(Reader& reader, ModelConfig& config) {
  constexpr Key normed{"ssm.dt_b_c_rms", ""};
  MINERVA_ASSIGN(const auto falcon, reader.boolean(normed));
  if (falcon.value_or(false)) {
    Error error = reader.invalid(normed, "Falcon Mamba, with norms of dt, B and C, is not supported", "false", "true");
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  DecoderForm form;
  form.window = {};
  form.feedForward = {};
  form.embedding.huggingFace = "backbone.embeddings";
  form.attentionNorm.huggingFace = "backbone.layers.#.norm";
  form.outputNorm.huggingFace = "backbone.norm_f";
  form.epsilon.huggingFace = "layer_norm_epsilon";
  form.defaultEpsilon = 1e-5;
  form.defaultContext = 1 << 20;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  form.parts.assign(static_cast<std::size_t>(layers), {.attention = false, .mixer = true, .feedForward = false});
  MINERVA_TRY(fillDecoder(reader, form, config));
  SelectiveForm mamba;
  mamba.prefix = "backbone.layers.#.mixer.";
  mamba.expand.huggingFace = "expand";
  mamba.stateSize.huggingFace = "state_size";
  mamba.convolution.huggingFace = "conv_kernel";
  mamba.stepRank.huggingFace = "time_step_rank";
  return fillSelectiveMamba(reader, mamba, form.parts, config);
}

constexpr std::string_view mamba1Names[] = {"mamba"};

}  // namespace

const Family mamba1Family{"mamba", mamba1Names, mamba1Names, fillMamba1};

}  // namespace minerva::model
