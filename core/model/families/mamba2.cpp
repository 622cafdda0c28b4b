// Mamba 2 alone: no attention, no feed-forward, no limit of the context.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/mamba.h"

namespace minerva::model {

namespace {

Result<void> fillMamba2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.feedForward = {};
  form.embedding.huggingFace = "backbone.embeddings";
  form.attentionNorm.huggingFace = "backbone.layers.#.norm";
  form.outputNorm.huggingFace = "backbone.norm_f";
  form.epsilon.huggingFace = "layer_norm_epsilon";
  form.defaultContext = 1 << 20;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  form.parts.assign(static_cast<std::size_t>(layers), {.attention = false, .mixer = true, .feedForward = false});
  MINERVA_TRY(fillDecoder(reader, form, config));
  MambaForm mamba;
  mamba.prefix = "backbone.layers.#.mixer.";
  mamba.heads.huggingFace = "num_heads";
  mamba.headDim.huggingFace = "head_dim";
  mamba.groups.huggingFace = "n_groups";
  mamba.stateSize.huggingFace = "state_size";
  mamba.convolution.huggingFace = "conv_kernel";
  return fillMamba(reader, mamba, form.parts, config);
}

constexpr std::string_view mamba2Names[] = {"mamba2"};

}  // namespace

const Family mamba2Family{"mamba2", mamba2Names, mamba2Names, fillMamba2};

}  // namespace minerva::model
