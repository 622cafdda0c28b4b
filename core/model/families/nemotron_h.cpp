// Nemotron H and Nemotron 3: each layer is one of Mamba 2, attention without rotation, a dense feed-forward or a mixture of experts, with
// one norm before it. The feed-forwards have no gate, but the square of a ReLU.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/mamba.h"
#include "core/model/families/recurrent.h"

#include <algorithm>

namespace minerva::model {

namespace {

enum class NemotronLayer { mamba, attention, dense, mixture };

// Folders say it in a list, older ones in a string of one character per layer.
Result<std::vector<NemotronLayer>> nemotronLayersOfFolder(const Reader& reader) {
  constexpr std::string_view kinds[] = {"linear_attention", "full_attention", "mlp", "moe"}, characters = "M*-E";
  std::vector<NemotronLayer> out;
  if (const nlohmann::json* list = reader.json({"", "layers_block_type"}); list && list->size() <= Limits::layers) {
    MINERVA_ASSIGN(const std::vector<int> stated, layerKinds(reader, "layers_block_type", static_cast<int>(list->size()), kinds));
    for (const int kind : stated) out.push_back(static_cast<NemotronLayer>(kind));
  } else {
    constexpr Key key{"", "hybrid_override_pattern"};
    MINERVA_ASSIGN(const auto pattern, reader.string(key));
    for (const char character : pattern.value_or("")) {
      const auto kind = characters.find(character);
      if (kind == std::string_view::npos || out.size() >= Limits::layers) {
        return fail(reader.invalid(key, "The layer types are not valid", "M, *, - or E, at most " + std::to_string(Limits::layers),
                                   pattern->substr(0, 80)));
      }
      out.push_back(static_cast<NemotronLayer>(kind));
    }
  }
  MINERVA_ASSIGN(const int layers, reader.count({"", "num_hidden_layers"}, Limits::layers, std::max<int>(1, static_cast<int>(out.size()))));
  if (static_cast<std::size_t>(layers) == out.size()) return out;
  return fail(reader.invalid({"", "layers_block_type"}, "The layer types do not match the number of layers", std::to_string(layers),
                             std::to_string(out.size())));
}

// GGUF: layers with key/value heads have attention, those with a feed-forward size a feed-forward.
Result<std::vector<NemotronLayer>> nemotronLayersOfGguf(const Reader& reader, DecoderForm& form) {
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  std::vector<int> attention;
  MINERVA_ASSIGN(form.defaultKvHeads, attentionLayersOf(reader, layers, attention));
  form.kvHeads = {};
  MINERVA_ASSIGN(const std::vector<int> sizes, reader.counts(form.feedForward, layers, Limits::feedForward));
  std::vector<NemotronLayer> out;
  for (int i = 0; i < layers; ++i) {
    const int size = sizes[static_cast<std::size_t>(i)];
    const bool mixture = reader.has({"blk.#.ffn_gate_inp", ""}, i);
    if (attention[static_cast<std::size_t>(i)] != 0) out.push_back(NemotronLayer::attention);
    else if (size == 0) out.push_back(NemotronLayer::mamba);
    else out.push_back(mixture ? NemotronLayer::mixture : NemotronLayer::dense);
    if (size == 0 || mixture) continue;
    if (form.defaultFeedForward != 0 && form.defaultFeedForward != size) {
      return fail(reader.invalid(form.feedForward, "Feed-forwards of different sizes are not supported in this family",
                                 std::to_string(form.defaultFeedForward), std::to_string(size)));
    }
    form.defaultFeedForward = size;
  }
  form.feedForward = {};
  return out;
}

Result<ExpertForm> nemotronExperts(const Reader& reader, const std::vector<NemotronLayer>& layers) {
  ExpertForm experts;
  experts.gated = false;
  experts.scoring = Scoring::sigmoid;
  experts.groupRank = GroupRank::twoLargest;
  experts.selection = Reader::Bias::required;
  experts.selectionBias.huggingFace = "backbone.layers.#.mixer.gate.e_score_correction_bias";
  experts.count.huggingFace = "n_routed_experts";
  experts.router.huggingFace = "backbone.layers.#.mixer.gate";
  experts.stacked = "backbone.layers.#.mixer.switch_mlp.";
  experts.stackedUp = "fc1";
  experts.stackedDown = "fc2";
  experts.up = "backbone.layers.#.mixer.experts.@.up_proj";
  experts.down = "backbone.layers.#.mixer.experts.@.down_proj";
  experts.sharedUp.huggingFace = "backbone.layers.#.mixer.shared_experts.up_proj";
  experts.sharedDown.huggingFace = "backbone.layers.#.mixer.shared_experts.down_proj";
  constexpr Key latent{"moe_latent_size", "moe_latent_size"};  // Nemotron 3 Super and Ultra
  MINERVA_ASSIGN(const auto latentSize, reader.integer(latent));
  if (latentSize.value_or(0) != 0) {
    MINERVA_ASSIGN(experts.latentSize, reader.count(latent, Limits::hidden));
  }
  experts.latentDown.huggingFace = "backbone.layers.#.mixer.fc1_latent_proj";
  experts.latentUp.huggingFace = "backbone.layers.#.mixer.fc2_latent_proj";
  MINERVA_TRY(readExpertGroups(reader, experts));
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"expert_weights_norm", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(true);
  MINERVA_ASSIGN(experts.scale, reader.positive({"expert_weights_scale", "routed_scaling_factor"}, 1e6, 1.0));
  MINERVA_ASSIGN(const auto shared, reader.integer({"expert_shared_count", "n_shared_experts"}));
  if (shared.value_or(0) > 0) {
    MINERVA_ASSIGN(experts.sharedSize,
                   reader.count({"expert_shared_feed_forward_length", "moe_shared_expert_intermediate_size"}, Limits::feedForward));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i] != NemotronLayer::mixture) experts.denseLayers.push_back(static_cast<int>(i));
  }
  return experts;
}

DecoderForm nemotronForm(const Reader& reader) {
  DecoderForm form;
  form.window = {};
  form.rotary = false;
  form.gated = false;
  form.activation = Activation::reluSquared;
  form.activationKey = "mlp_hidden_act";
  form.epsilon.huggingFace = "layer_norm_epsilon";
  if (!reader.json({"", "head_dim"})) form.headDimKey.huggingFace = "attention_head_dim";  // of the first published folders
  form.defaultEpsilon = 1e-5;
  // Published folders have the plural, those that Transformers 5 saves the singular.
  form.embedding.huggingFace = reader.hasNamed("backbone.embedding.weight") ? "backbone.embedding" : "backbone.embeddings";
  form.attentionNorm.huggingFace = form.feedForwardNorm.huggingFace = "backbone.layers.#.norm";
  form.feedForwardNorm.gguf = form.attentionNorm.gguf;
  form.q.huggingFace = "backbone.layers.#.mixer.q_proj";
  form.k.huggingFace = "backbone.layers.#.mixer.k_proj";
  form.v.huggingFace = "backbone.layers.#.mixer.v_proj";
  form.o.huggingFace = "backbone.layers.#.mixer.o_proj";
  form.up.huggingFace = "backbone.layers.#.mixer.up_proj";
  form.down.huggingFace = "backbone.layers.#.mixer.down_proj";
  form.outputNorm.huggingFace = "backbone.norm_f";
  return form;
}

Result<void> fillNemotronH(Reader& reader, ModelConfig& config) {
  DecoderForm form = nemotronForm(reader);
  MINERVA_ASSIGN(const std::vector<NemotronLayer> layers,
                 reader.isGguf() ? nemotronLayersOfGguf(reader, form) : nemotronLayersOfFolder(reader));
  if (!reader.isGguf()) form.defaultLayers = static_cast<int>(layers.size());
  for (const NemotronLayer layer : layers) {
    form.parts.push_back({.attention = layer == NemotronLayer::attention,
                          .mixer = layer == NemotronLayer::mamba,
                          .feedForward = layer == NemotronLayer::dense || layer == NemotronLayer::mixture});
  }
  ExpertForm experts;
  if (std::ranges::find(layers, NemotronLayer::mixture) != layers.end()) {
    MINERVA_ASSIGN(experts, nemotronExperts(reader, layers));
    form.experts = &experts;
  }
  MINERVA_TRY(fillDecoder(reader, form, config));
  MambaForm mamba;
  mamba.prefix = "backbone.layers.#.mixer.";
  mamba.heads.huggingFace = "mamba_num_heads";
  mamba.headDim.huggingFace = "mamba_head_dim";
  mamba.groups.huggingFace = "n_groups";
  mamba.stateSize.huggingFace = "ssm_state_size";
  mamba.convolution.huggingFace = "conv_kernel";
  return fillMamba(reader, mamba, form.parts, config);
}

constexpr std::string_view nemotronHGgufNames[] = {"nemotron_h", "nemotron_h_moe"};
constexpr std::string_view nemotronHHuggingFaceNames[] = {"nemotron_h"};

}  // namespace

const Family nemotronHFamily{"nemotron-h", nemotronHGgufNames, nemotronHHuggingFaceNames, fillNemotronH};

}  // namespace minerva::model
