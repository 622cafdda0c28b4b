#include "core/engine/likeliest.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace minerva::engine {
namespace {

using backend::TokenId;

// Most logits are so small that their exponentials count for nothing. Of logits that are not numbers no token is likely.
TokenId likeliest(std::span<const float> logits, double leastProbability) {
  constexpr float negligible = 20;
  const auto best = std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) {
    if (logit >= *best - negligible) sum += std::exp(static_cast<double>(logit - *best));
    if (sum * leastProbability > 1) return -1;
  }
  return sum >= 1 ? static_cast<TokenId>(best - logits.begin()) : -1;
}

// The same from the best logits alone, if they decide it.
std::optional<TokenId> likeliest(const backend::TopLogits& top, double leastProbability) {
  if (top.best.empty() || !std::isfinite(top.largest)) return std::nullopt;
  const bool isLikely = top.sum * (1 + backend::TopLogits::sumError) * leastProbability <= 1;
  if (isLikely) return top.best.front().token;
  // Most of what the other function leaves out is within the error of the sum, and a draft never changes a reply.
  return top.sum * (1 - backend::TopLogits::sumError) * leastProbability > 1 ? std::optional<TokenId>(-1) : std::nullopt;
}

}  // namespace

// A vocabulary that is larger than what counts needs the whole row.
Result<TokenId> likeliestToken(backend::Placement& placement, const model::Plan& plan, int i, int vocabulary, double leastProbability) {
  const auto top = vocabulary == plan.vocabularySize ? placement.topLogits(i) : std::nullopt;
  if (const auto token = top ? likeliest(*top, leastProbability) : std::nullopt) return *token;
  MINERVA_ASSIGN(const std::span<const float> logits, placement.logits(i));
  return likeliest(logits.first(static_cast<std::size_t>(vocabulary)), leastProbability);
}

}  // namespace minerva::engine
