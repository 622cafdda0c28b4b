#include "core/compare/quality.h"

#include <algorithm>
#include <cmath>

namespace minerva::compare {
namespace {

using Tokens = std::vector<engine::TokenId>;
constexpr std::size_t mostKeptLogits = std::size_t{128} << 20;  // of the reference, in floats: 512 MB

Tokens tokensOf(const engine::Engine& engine, const TextTask& task) {
  if (engine.tokenizer() == nullptr) return {};
  Tokens tokens = engine.tokenizer()->encode(task.text, {.addSpecial = true, .parseSpecial = false});
  const std::size_t vocabulary = std::max<std::size_t>(1, engine.tokenizer()->vocabularySize());
  const auto most =
      std::min<std::size_t>(static_cast<std::size_t>(std::min(task.positions, engine.info().contextLength)), mostKeptLogits / vocabulary);
  tokens.resize(std::min(tokens.size(), most));
  return tokens;
}

class Surprises {
 public:
  explicit Surprises(const Tokens& tokens) : m_tokens(tokens) {}
  void add(std::size_t position, std::span<const float> logits) {
    if (position + 1 < m_tokens.size()) m_sum += surprise(logits, m_tokens[position + 1]);
  }
  [[nodiscard]] double perplexity() const { return m_tokens.size() < 2 ? 0 : std::exp(m_sum / static_cast<double>(m_tokens.size() - 1)); }

 private:
  const Tokens& m_tokens;
  double m_sum = 0;
};

Result<void> evaluate(engine::Engine& engine, const Tokens& tokens, const TextTask& task,
                      const std::function<void(std::size_t, std::span<const float>)>& take) {
  if (tokens.empty()) return {};
  return engine.evaluate(tokens, rowsAtOnce, [&](std::size_t position, std::span<const float> logits) {
    take(position, logits);
    if (task.progress) task.progress(position + 1, tokens.size());
    return !task.stop.stop_requested();
  });
}

}  // namespace

Result<Yardstick> layYardstick(engine::Engine& reference, const TextTask& task) {
  Yardstick yardstick;
  yardstick.tokens = tokensOf(reference, task);
  Surprises surprises(yardstick.tokens);
  MINERVA_TRY(evaluate(reference, yardstick.tokens, task, [&](std::size_t position, std::span<const float> logits) {
    yardstick.vocabulary = logits.size();
    yardstick.logits.insert(yardstick.logits.end(), logits.begin(), logits.end());
    surprises.add(position, logits);
  }));
  yardstick.perplexity = surprises.perplexity();
  return yardstick;
}

Result<Quality> measureQuality(engine::Engine& other, const TextTask& task, const Yardstick& yardstick) {
  Tokens tokens = tokensOf(other, task);
  // One of the two may see only a prefix of the other's tokens, as its context is shorter or its tokenizer counts more of them.
  const std::size_t common = std::min(tokens.size(), yardstick.tokens.size());
  const bool begins = std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(common), yardstick.tokens.begin());
  if (begins && common > 0) tokens.resize(common);
  Surprises surprises(tokens);
  AgreementMeter meter(yardstick.logits, yardstick.vocabulary);
  bool comparable = begins && common > 0;
  MINERVA_TRY(evaluate(other, tokens, task, [&](std::size_t position, std::span<const float> logits) {
    surprises.add(position, logits);
    comparable = comparable && logits.size() == yardstick.vocabulary;
    if (comparable) meter.add(logits);
  }));
  Quality quality{.positions = tokens.size(), .perplexity = surprises.perplexity(), .agreement = {}};
  if (comparable) quality.agreement = meter.result();
  return quality;
}

Quality qualityOf(const Yardstick& yardstick) {
  Quality quality{.positions = yardstick.tokens.size(), .perplexity = yardstick.perplexity, .agreement = {}};
  if (!yardstick.tokens.empty()) quality.agreement = Agreement{.top1 = 1};
  return quality;
}

}  // namespace minerva::compare
