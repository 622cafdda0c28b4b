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
    if (first || std::abs(before - after) <= 1e-5 * std::abs(before)) return;
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
  to.same("size of the shared expert", before.sharedSize, after.sharedSize);
}

void compareLayer(const model::ModelConfig& before, const model::ModelConfig& after, std::size_t index, Comparison& to) {
  const model::LayerConfig &a = before.layers[index], &b = after.layers[index];
  to.same("heads", a.headCount, b.headCount);
  to.same("key/value heads", a.kvHeadCount, b.kvHeadCount);
  to.same("size of a head", a.headDim, b.headDim);
  to.same("sliding window of layer " + std::to_string(index), a.visible.window, b.visible.window);
  to.same("feed-forward size", a.feedForwardSize, b.feedForwardSize);
  to.same("rotary embedding of layer " + std::to_string(index), a.rope >= 0, b.rope >= 0);
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
  to.same("scale of the embedding", before.embeddingScale, after.embeddingScale);
  to.same("scale of the residual", before.residualScale, after.residualScale);
  to.same("scale of the logits", before.logitScale, after.logitScale);
  to.same("soft cap of the logits", before.logitSoftCap, after.logitSoftCap);
  to.same("parallel blocks", before.parallelBlocks, after.parallelBlocks);
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
  return {};
}

}  // namespace

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
