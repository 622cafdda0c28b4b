#include "core/engine/sampling/chain.h"
#include "core/engine/sampling/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace minerva::engine {
namespace {

using sampling::Candidate;
using sampling::Candidates;
using sampling::CandidateState;

// Largest finite score; NaN if the logits are unusable.
float largestOf(std::span<const float> logits) {
  constexpr std::size_t lanes = 16;  // independent maxima, to avoid one long dependency chain
  std::array<float, lanes> largest;
  largest.fill(-std::numeric_limits<float>::infinity());
  std::array<int, lanes> nans{};
  const std::size_t whole = logits.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const float logit = logits[i + k];
      largest[k] = logit > largest[k] ? logit : largest[k];
      nans[k] |= logit != logit ? 1 : 0;
    }
  }
  for (std::size_t i = whole; i < logits.size(); ++i) {
    largest[0] = std::max(largest[0], logits[i]);
    nans[0] |= logits[i] != logits[i] ? 1 : 0;
  }
  const float best = *std::ranges::max_element(largest);
  const bool nan = std::ranges::any_of(nans, [](int found) { return found != 0; });
  return nan || !std::isfinite(best) ? std::numeric_limits<float>::quiet_NaN() : best;
}

// Sets the scores of tokens that are not allowed to minus infinity and returns the largest of the others.
float forbid(std::span<const std::uint64_t> allowed, std::vector<float>& scores) {
  constexpr float never = -std::numeric_limits<float>::infinity();
  constexpr std::size_t bits = 64;
  float largest = never;
  for (std::size_t begin = 0; begin < scores.size(); begin += bits) {
    const std::span<float> part = std::span(scores).subspan(begin, std::min(bits, scores.size() - begin));
    const std::uint64_t word = begin / bits < allowed.size() ? allowed[begin / bits] : 0;
    if (word == 0) {
      std::ranges::fill(part, never);
      continue;
    }
    for (std::size_t i = 0; word != ~std::uint64_t{0} && i < part.size(); ++i)
      if ((word >> i & 1) == 0) part[i] = never;
    for (const float score : part) largest = score > largest ? score : largest;
  }
  return largest;
}

float weight(float score, float largest) { return score - largest > -80.0F ? std::exp(score - largest) : 0.0F; }

// Draws an element of [0, n) in proportion to weightAt(i) and returns idAt(i).
template <class WeightAt, class IdAt>
std::int32_t draw(sampling::Random& random, std::size_t n, WeightAt weightAt, IdAt idAt) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += static_cast<double>(weightAt(i));
  double left = random.uniform() * total;
  std::int32_t last = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const auto w = static_cast<double>(weightAt(i));
    if (w <= 0) continue;
    last = idAt(i);
    left -= w;
    if (left < 0) return last;
  }
  return last;  // reached only through rounding
}

}  // namespace

struct Sampler::State {
  SamplingOptions options;
  std::span<const sampling::Stage> chain;
  sampling::Random random;
  Candidates candidates;
  std::vector<float> weights;
};

Sampler::Sampler(const SamplingOptions& options) : Sampler(options, sampling::stages()) {}
Sampler::Sampler(const SamplingOptions& options, std::span<const sampling::Stage> chain)
    : m_state(std::make_unique<State>(options, chain, sampling::Random(options.seed), Candidates{}, std::vector<float>{})) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

std::int32_t Sampler::sample(std::span<const float> logits, std::span<const std::int32_t> recent, std::span<const std::uint64_t> allowed) {
  Candidates& c = m_state->candidates;
  const SamplingOptions& options = m_state->options;
  c.largest = largestOf(logits);
  if (!std::isfinite(c.largest)) return unusableLogits;
  c.state = CandidateState::everything;
  c.scores.assign(logits.begin(), logits.end());
  if (!allowed.empty()) c.largest = forbid(allowed, c.scores);
  if (!std::isfinite(c.largest)) return nothingAllowed;
  const bool greedy = !(options.temperature > 0);
  for (const sampling::Stage& stage : m_state->chain) {
    if (!stage.enabled(options) || (greedy && !stage.changesBest)) continue;
    const bool accepted = c.state == CandidateState::everything ? stage.acceptsEverything : stage.acceptsChosen;
    if (!accepted) return unusableLogits;  // wrong order in the table; covered by tests
    stage.apply(options, recent, c);
    c.state = stage.leaves;
  }
  const bool all = c.state == CandidateState::everything;
  if (greedy && all) return static_cast<std::int32_t>(std::ranges::max_element(c.scores) - c.scores.begin());
  if (greedy) return std::ranges::min_element(c.chosen, sampling::better)->id;

  std::vector<float>& weights = m_state->weights;
  weights.resize(all ? c.scores.size() : c.chosen.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = weight(all ? c.scores[i] : c.chosen[i].score, c.largest);
  return draw(
      m_state->random, weights.size(), [&](std::size_t i) { return weights[i]; },
      [&](std::size_t i) { return all ? static_cast<std::int32_t>(i) : c.chosen[i].id; });
}

}  // namespace minerva::engine
