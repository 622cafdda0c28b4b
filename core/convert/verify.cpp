#include "core/convert/verify.h"

#include "core/text/tokenizer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace minerva::convert {

namespace {

// What both tokenizers must agree on.
constexpr std::string_view probes[] = {
    "Hello, World!  It's 12345.678 o'clock; we'LL see\tTABS\n\n  indented\r\nfoo_bar(3, 'a b') // done?\n",
    "naïve café Straße абв 你好，世界。 日本語テキスト 한국어 العربية हिन्दी 😀👍🏽 ... $5 {\"k\": [1,2]} camelCase "
    "v2.0   end  "};

struct Difference {
  std::string what;
  double before = 0, after = 0;
};

// Collects the first number that differs by more than float32 rounds.
class Comparison {
 public:
  void same(std::string_view what, double before, double after) {
    // A divisor of 1e30 is GGUF's way to say 0.
    if (first || before == after || std::abs(before - after) <= std::max(1e-5 * std::abs(before), 1e-25)) return;
    first = Difference{std::string(what), before, after};
  }
  void same(std::string_view what, const std::vector<float>& before, const std::vector<float>& after) {
    same(what, static_cast<double>(before.size()), static_cast<double>(after.size()));
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) same(what, before[i], after[i]);
  }
  std::optional<Difference> first;
};

void compare(const model::Rope& before, const model::Rope& after, Comparison& to) {
  to.same("rotary dimension", before.dimension, after.dimension);
  to.same("rotation", before.frequencies, after.frequencies);
  to.same("scale of the rotary embedding", before.magnitude, after.magnitude);
  to.same("rotary frequencies beyond the original context", before.longFrequencies, after.longFrequencies);
  to.same("original context length", before.switchLength, after.switchLength);
}

void compare(const model::Experts& before, const model::Experts& after, Comparison& to) {
  to.same("number of experts", before.count, after.count);
  to.same("experts used", before.used, after.used);
  to.same("size of an expert", before.feedForwardSize, after.feedForwardSize);
  to.same("normalization of the experts' shares", before.normalised, after.normalised);
  to.same("scale of the experts", before.scale, after.scale);
  to.same("groups of experts", before.groups, after.groups);
  to.same("groups of experts used", before.groupsUsed, after.groupsUsed);
  if (before.groups > 1) to.same("rank of a group of experts", static_cast<int>(before.groupRank), static_cast<int>(after.groupRank));
  to.same("scoring of the experts", static_cast<int>(before.scoring), static_cast<int>(after.scoring));
  to.same("selection bias of the experts", !before.selectionBias.empty(), !after.selectionBias.empty());
  to.same("scale of each expert", !before.expertScale.empty(), !after.expertScale.empty());
  to.same("scale of the experts' input", before.scalesInput, after.scalesInput);
  to.same("gate of the experts", before.gated, after.gated);
  const auto latentOf = [](const model::Experts& e) {
    return e.latentDown.weight.empty() ? 0.0 : static_cast<double>(e.latentDown.weight.shape.rows());
  };
  to.same("size of the experts' latent space", latentOf(before), latentOf(after));
  to.same("size of the shared expert", before.sharedSize, after.sharedSize);
  to.same("limit of the experts' gates", before.gateLimit, after.gateLimit);
  to.same("limit of the shared expert's gates", before.sharedGateLimit, after.sharedGateLimit);
  to.same("input of the router", before.routesEarly, after.routesEarly);
}

// What keeps a state in place of keys and values.
void compareMixers(const model::LayerConfig& a, const model::LayerConfig& b, Comparison& to) {
  to.same("key heads of the delta net", a.deltaNet.keyHeads, b.deltaNet.keyHeads);
  to.same("value heads of the delta net", a.deltaNet.valueHeads, b.deltaNet.valueHeads);
  to.same("size of the delta net's keys", a.deltaNet.keyDim, b.deltaNet.keyDim);
  to.same("size of the delta net's values", a.deltaNet.valueDim, b.deltaNet.valueDim);
  to.same("channels of the delta net's decay", a.deltaNet.channelDecay, b.deltaNet.channelDecay);
  to.same("convolution of the delta net", a.deltaNet.convolution, b.deltaNet.convolution);
  to.same("heads of Mamba", a.mamba.heads, b.mamba.heads);
  to.same("size of Mamba's heads", a.mamba.headDim, b.mamba.headDim);
  to.same("groups of Mamba", a.mamba.groups, b.mamba.groups);
  to.same("state of Mamba", a.mamba.stateSize, b.mamba.stateSize);
  to.same("rank of Mamba's steps", a.mamba.stepRank, b.mamba.stepRank);
  to.same("norm of Mamba's steps", a.mamba.stepNorm.present(), b.mamba.stepNorm.present());
  to.same("convolution of Mamba", a.mamba.convolution, b.mamba.convolution);
  to.same("norm of Mamba", a.mamba.norm.present(), b.mamba.norm.present());
  to.same("smallest step of Mamba", a.mamba.stepMin, b.mamba.stepMin);
  to.same("largest step of Mamba", a.mamba.stepMax, b.mamba.stepMax);
  to.same("short convolution", a.shortConvolution.width, b.shortConvolution.width);
}

void compareAttention(const model::LayerConfig& a, const model::LayerConfig& b, std::size_t index, Comparison& to) {
  const std::string layer = " of layer " + std::to_string(index);
  to.same("heads", a.headCount, b.headCount);
  to.same("key/value heads", a.kvHeadCount, b.kvHeadCount);
  to.same("size of a head", a.headDim, b.headDim);
  to.same("size of a value", a.valueSize(), b.valueSize());
  to.same("sliding window" + layer, a.visible.window, b.visible.window);
  to.same("chunk of the attention" + layer, a.visible.chunk, b.visible.chunk);
  to.same("direction of the attention" + layer, a.visible.bidirectional, b.visible.bidirectional);
  to.same("rotary embedding" + layer, a.rope >= 0, b.rope >= 0);
  to.same("attention scale" + layer, a.attentionScale, b.attentionScale);
  to.same("norm of the attention's result" + layer, a.attentionResultNorm.present(), b.attentionResultNorm.present());
  to.same("norm of the queries" + layer, a.qNorm.weights.present(), b.qNorm.weights.present());
  to.same("order of norm and rotation" + layer, a.normsRotated, b.normsRotated);
  to.same("temperature of the queries" + layer, a.temperature.strength, b.temperature.strength);
  to.same("length of the queries' temperature" + layer, a.temperature.length, b.temperature.length);
  to.same("offset of the queries' temperature" + layer, a.temperature.offset, b.temperature.offset);
  to.same("source of keys and values" + layer, a.kvFrom, b.kvFrom);
  to.same("norm behind" + layer, a.feedForwardSumNorm.present(), b.feedForwardSumNorm.present());
  to.same("sinks of the attention" + layer, !a.sinks.empty(), !b.sinks.empty());
  to.same("scale of the attention's result" + layer, a.attentionResultScale, b.attentionResultScale);
  to.same("gate of the attention" + layer, !a.outputGate.weight.empty(), !b.outputGate.weight.empty());
}

void compareLayer(const model::ModelConfig& before, const model::ModelConfig& after, std::size_t index, Comparison& to) {
  const model::LayerConfig &a = before.layers[index], &b = after.layers[index];
  compareAttention(a, b, index, to);
  compareMixers(a, b, to);
  if (a.hasDense()) to.same("feed-forward size", a.feedForwardSize, b.feedForwardSize);
  to.same("limit of the gates", a.gateLimit, b.gateLimit);
  to.same("scale of the feed-forward's result", a.feedForwardResultScale, b.feedForwardResultScale);
  compare(a.experts, b.experts, to);
  if (!to.first && a.rope >= 0) compare(before.ropes[static_cast<std::size_t>(a.rope)], after.ropes[static_cast<std::size_t>(b.rope)], to);
}

std::optional<Difference> compare(const model::ModelConfig& before, const model::ModelConfig& after) {
  Comparison to;
  to.same("vocabulary size", before.vocabularySize, after.vocabularySize);
  to.same("hidden size", before.hiddenSize, after.hiddenSize);
  to.same("context length", before.contextLength, after.contextLength);
  to.same("norm type", static_cast<int>(before.norm), static_cast<int>(after.norm));
  to.same("norm epsilon", before.normEpsilon, after.normEpsilon);
  to.same("activation", static_cast<int>(before.activation), static_cast<int>(after.activation));
  to.same("attention scale", before.attentionScale, after.attentionScale);
  to.same("soft cap of the attention scores", before.attentionSoftCap, after.attentionSoftCap);
  to.same("loss of the attention scores with distance", before.alibi, after.alibi);
  to.same("scale of the embedding", before.embeddingScale, after.embeddingScale);
  to.same("scale of the residual", before.residualScale, after.residualScale);
  to.same("scale of the logits", before.logitScale, after.logitScale);
  to.same("soft cap of the logits", before.logitSoftCap, after.logitSoftCap);
  to.same("parallel blocks", before.parallelBlocks, after.parallelBlocks);
  to.same("pooling", static_cast<int>(before.embedding.pooling), static_cast<int>(after.embedding.pooling));
  if (before.embeds()) to.same("normalization of the vectors", before.embedding.normalised, after.embedding.normalised);
  to.same("input of each layer", before.perLayerEmbedding.size, after.perLayerEmbedding.size);
  to.same("number of layers", static_cast<double>(before.layers.size()), static_cast<double>(after.layers.size()));
  for (std::size_t i = 0; !to.first && i < before.layers.size(); ++i) compareLayer(before, after, i, to);
  return to.first;
}

Result<void> verifyTokenizer(const format::ModelFile& model, const format::ModelFile& file, std::vector<std::string>& warnings) {
  const auto before = text::createTokenizer(model), after = text::createTokenizer(file);
  if (!before) return {};
  if (!after) return fail(after.error());
  for (const std::string_view probe : probes) {
    if ((*before)->encode(probe, {}) == (*after)->encode(probe, {})) continue;
    warnings.emplace_back("The new file's tokenizer splits some texts differently: GGUF cannot express this tokenizer exactly");
    break;
  }
  if (!std::ranges::includes((*after)->special().endOfGeneration, (*before)->special().endOfGeneration))
    warnings.emplace_back("The new file does not name all tokens that end the model's replies: some may not end");
  return {};
}

}  // namespace

void takeScalesOut(model::ModelConfig& config) {
  config.embeddingScale = config.logitScale = 1;
  for (model::LayerConfig& layer : config.layers) {
    layer.attentionScale = 0;
    layer.attentionResultScale = layer.feedForwardResultScale = 1;
  }
}

Result<void> verifyCopy(const format::ModelFile& model, const model::ModelConfig* before, const std::filesystem::path& written,
                        std::vector<std::string>& warnings) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(written));
  if (before != nullptr) {
    MINERVA_ASSIGN(const model::ModelConfig after, model::readModelConfig(*file));
    if (const auto difference = compare(*before, after)) {
      return fail({.kind = ErrorKind::unsupported,
                   .what = "A GGUF file of this architecture cannot express the model's " + difference->what,
                   .where = model.path().string(),
                   .expected = std::to_string(difference->before),
                   .actual = std::to_string(difference->after) + " in the new file",
                   .hint = "Use the model as it is; Minerva runs its folder."});
    }
  }
  return verifyTokenizer(model, *file, warnings);
}

}  // namespace minerva::convert
