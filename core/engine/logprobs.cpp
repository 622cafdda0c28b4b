#include "core/engine/logprobs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::engine {

std::optional<Logprobs> logprobsOf(std::span<const float> logits, TokenId chosen, int count, std::span<const TokenId> suppressed) {
  if (count < 0) return std::nullopt;
  std::vector<TokenLogprob> top(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) top[i] = {static_cast<TokenId>(i), logits[i]};
  for (const TokenId id : suppressed) top[static_cast<std::size_t>(id)].logprob = -std::numeric_limits<float>::infinity();
  const float largest = std::ranges::max_element(top, {}, &TokenLogprob::logprob)->logprob;
  double sum = 0;
  for (const TokenLogprob& one : top) sum += std::exp(static_cast<double>(one.logprob) - static_cast<double>(largest));
  const double whole = static_cast<double>(largest) + std::log(sum);
  const auto logprob = [&](float logit) { return static_cast<float>(static_cast<double>(logit) - whole); };
  const auto kept = std::min(static_cast<std::size_t>(count), top.size() - suppressed.size());
  std::ranges::partial_sort(top, top.begin() + static_cast<std::ptrdiff_t>(kept), [](const TokenLogprob& a, const TokenLogprob& b) {
    return a.logprob != b.logprob ? a.logprob > b.logprob : a.token < b.token;
  });
  top.resize(kept);
  for (TokenLogprob& one : top) one.logprob = logprob(one.logprob);
  return Logprobs{logprob(logits[static_cast<std::size_t>(chosen)]), std::move(top)};
}

}  // namespace minerva::engine
