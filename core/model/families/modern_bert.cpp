// ModernBERT: norms before each block (the first layer has none before its attention), rotary positions, and windows to both sides in most
// layers, with a rotation of their own.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"

#include <algorithm>

namespace minerva::model {

namespace {

// Every n-th layer from the first on sees the whole text, or a list says which layers do not.
Result<std::vector<bool>> windowedLayers(const Reader& reader, int layers) {
  constexpr std::string_view kinds[] = {"full_attention", "sliding_attention"};
  MINERVA_ASSIGN(const std::vector<int> stated, layerKinds(reader, "layer_types", layers, kinds));
  constexpr Key every{"attention.sliding_window_pattern", "global_attn_every_n_layers"};
  MINERVA_ASSIGN(const std::vector<int> numbers, reader.counts(every, layers, Limits::layers, 3));
  const bool listed = std::ranges::all_of(numbers, [](int number) { return number <= 1; });
  std::vector<bool> windowed;
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) {
    const bool whole = listed ? numbers[i] == 0 : i % static_cast<std::size_t>(numbers.front()) == 0;
    windowed.push_back(stated.empty() ? !whole : stated[i] == 1);
  }
  return windowed;
}

Result<void> fillModernBert(Reader& reader, ModelConfig& config) {
  poolAnyway(config);
  const std::string base = reader.hasNamed("model.embeddings.tok_embeddings.weight") ? "model." : "";
  const std::string layer = base + "layers.#.";
  const std::string embedding = base + "embeddings.tok_embeddings", embeddingNorm = base + "embeddings.norm", qkv = layer + "attn.Wqkv",
                    o = layer + "attn.Wo", attentionNorm = layer + "attn_norm", feedForwardNorm = layer + "mlp_norm",
                    gateUp = layer + "mlp.Wi", down = layer + "mlp.Wo", outputNorm = base + "final_norm";
  DecoderForm form;
  form.embedding.huggingFace = embedding;
  form.attentionNorm = form.head = {};
  form.qkv.huggingFace = qkv;
  form.o.huggingFace = o;
  form.feedForwardNorm.huggingFace = feedForwardNorm;
  form.gateUp.huggingFace = gateUp;
  form.ggufUpHoldsGate = true;
  form.down.huggingFace = down;
  form.outputNorm.huggingFace = outputNorm;
  form.kvHeads.huggingFace = {};
  form.epsilon = {"attention.layer_norm_epsilon", "norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.activationKey = form.ggufActivationKey = "hidden_activation";
  form.activation = Activation::geluErf;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::optional;
  form.rope.base = {"rope.freq_base", "global_rope_theta"};
  form.rope.defaultBase = 160000;
  form.rope.layerType = "full_attention";
  MINERVA_TRY(fillDecoder(reader, form, config));
  RopeForm local;
  local.base = {"rope.freq_base_swa", "local_rope_theta"};
  local.layerType = "sliding_attention";
  local.scaled = false;
  MINERVA_ASSIGN(Rope rope, readRope(reader, local, config.layers.front().headDim, config.contextLength, config.warnings));
  config.ropes.push_back(std::move(rope));
  MINERVA_ASSIGN(const int window, reader.count({"attention.sliding_window", "local_attention"}, Limits::context, 128));
  const TensorName norm{"blk.#.attn_norm", attentionNorm};
  MINERVA_ASSIGN(const std::vector<bool> windowed, windowedLayers(reader, static_cast<int>(config.layers.size())));
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& one = config.layers[i];
    one.visible = aroundEachToken(windowed[i] ? window : 0);
    one.rope = windowed[i] ? 1 : 0;
    if (i == 0 && !reader.has(norm, 0)) continue;
    MINERVA_ASSIGN(one.attentionNorm, reader.norm(norm, static_cast<int>(i), config.hiddenSize, form.normBias));
  }
  MINERVA_ASSIGN(config.embeddingNorm, reader.norm({"token_embd_norm", embeddingNorm}, 0, config.hiddenSize, form.normBias));
  return {};
}

constexpr std::string_view modernBertGgufNames[] = {"modern-bert"};
constexpr std::string_view modernBertHuggingFaceNames[] = {"modernbert"};

}  // namespace

const Family modernBertFamily{"modernbert", modernBertGgufNames, modernBertHuggingFaceNames, fillModernBert};

}  // namespace minerva::model
