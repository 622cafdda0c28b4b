#include "core/backend/backend.h"
#include "core/engine/sampling/best.h"
#include "core/engine/sampling/largest.h"
#include "core/engine/sampling/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace minerva::engine {
namespace {

using sampling::Candidate;
using sampling::Candidates;
using sampling::CandidateState;
using sampling::largestOf;

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

bool isAllowed(std::span<const std::uint64_t> allowed, std::int32_t token) {
  constexpr std::size_t bits = 64;
  const auto at = static_cast<std::size_t>(token);
  return at / bits < allowed.size() && (allowed[at / bits] >> (at % bits) & 1) != 0;
}

double weight(const Candidate& c, float largest) {
  return c.score - largest > -80.0F ? static_cast<double>(std::exp(c.score - largest)) : 0.0;
}

// Draws a candidate in proportion to its weight: the uniform number counts from the best on, and beyond the first TopLogits::most of them
// in the order they have. So a draw that falls on one of these can do without the others.
template <class At>
std::int32_t draw(sampling::Random& random, std::size_t n, At at, float largest, std::vector<Candidate>& best) {
  sampling::findBest(backend::TopLogits::most, n, at, best);
  const auto isOther = [&](const Candidate& c) { return sampling::better(best.back(), c); };
  double total = 0;
  for (const Candidate& c : best) total += weight(c, largest);
  for (std::size_t i = 0; i < n && n > best.size(); ++i) total += isOther(at(i)) ? weight(at(i), largest) : 0;
  const double target = random.uniform() * total;
  double passed = 0;
  std::int32_t last = -1;
  const auto isHit = [&](const Candidate& c) {
    const double w = weight(c, largest);
    if (w > 0) last = c.id;
    return w > 0 && target < (passed += w);
  };
  for (const Candidate& c : best) {
    if (isHit(c)) return last;
  }
  for (std::size_t i = 0; i < n && n > best.size(); ++i) {
    if (isOther(at(i)) && isHit(at(i))) return last;
  }
  return last;  // reached only through rounding
}

// The same where the candidates are the best ones and no more is known of the others than the total: nullopt if it might be another.
std::optional<std::int32_t> drawFromBest(sampling::Random& random, const Candidates& c) {
  const double share = random.uniform();
  double passed = 0;
  for (const Candidate& candidate : c.chosen) {
    passed += weight(candidate, c.largest);
    if (share * c.leastTotal >= passed) continue;
    return share * c.mostTotal < passed ? std::optional(candidate.id) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

struct Sampler::State {
  SamplingOptions options;
  std::span<const sampling::Stage> chain;
  sampling::Random random;
  Candidates candidates;
  std::vector<Candidate> best;  // of a draw

  [[nodiscard]] bool greedy() const { return !(options.temperature > 0); }
  [[nodiscard]] bool skips(const sampling::Stage& stage) const { return !stage.enabled(options) || (greedy() && !stage.changesBest); }
  // Draws the number of a stage that wants one.
  void drawChance() {
    const auto asks = [&](const sampling::Stage& stage) { return stage.asksForChance && !skips(stage); };
    if (std::ranges::any_of(chain, asks)) candidates.chance = random.uniform();
  }
  [[nodiscard]] std::int32_t choose();
  [[nodiscard]] bool narrowBest(std::span<const std::int32_t> recent);
};

Sampler::Sampler(const SamplingOptions& options) : Sampler(options, sampling::stages()) {}
Sampler::Sampler(const SamplingOptions& options, std::span<const sampling::Stage> chain)
    : m_state(std::make_unique<State>(options, chain, sampling::Random(options.seed), Candidates{}, std::vector<Candidate>{})) {}
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
  m_state->drawChance();
  for (const sampling::Stage& stage : m_state->chain) {
    if (m_state->skips(stage)) continue;
    const bool accepted = c.state == CandidateState::everything ? stage.acceptsEverything : stage.acceptsChosen;
    if (!accepted) return unusableLogits;  // wrong order in the table; covered by tests
    stage.apply(options, recent, c);
    if (!std::isfinite(c.largest)) return nothingAllowed;  // a bias has ruled out all that is left
    c.state = stage.leaves;
  }
  return m_state->choose();
}

// What the whole chain has left.
std::int32_t Sampler::State::choose() {
  const Candidates& c = candidates;
  const bool all = c.state == CandidateState::everything;
  if (greedy() && all) return static_cast<std::int32_t>(std::ranges::max_element(c.scores) - c.scores.begin());
  if (greedy()) return std::ranges::min_element(c.chosen, sampling::better)->id;
  const auto scoreAt = [&](std::size_t i) { return Candidate{static_cast<std::int32_t>(i), c.scores[i]}; };
  if (all) return draw(random, c.scores.size(), scoreAt, c.largest, best);
  return draw(
      random, c.chosen.size(), [&](std::size_t i) { return c.chosen[i]; }, c.largest, best);
}

// Runs the chain on the best candidates alone. Returns false if they do not decide what it leaves.
bool Sampler::State::narrowBest(std::span<const std::int32_t> recent) {
  Candidates& c = candidates;
  for (const sampling::Stage& stage : chain) {
    if (skips(stage)) continue;
    if (c.state == CandidateState::chosen) {
      if (!stage.acceptsChosen) return false;
      stage.apply(options, recent, c);
    } else if (stage.applyToBest == nullptr || !stage.applyToBest(options, recent, c)) {
      return false;
    }
  }
  return true;
}

std::optional<std::int32_t> Sampler::sampleTop(const backend::TopLogits& top, std::span<const std::int32_t> recent,
                                               std::span<const std::uint64_t> allowed) {
  if (!std::isfinite(top.largest)) return unusableLogits;
  Candidates& c = m_state->candidates;
  c.state = CandidateState::best;
  c.chosen.clear();
  for (const backend::TopLogits::Entry& entry : top.best) {
    if (allowed.empty() || isAllowed(allowed, entry.token)) c.chosen.push_back({entry.token, entry.logit});
  }
  // An entry as small as the last one is not used: a stage may round the logit of a token that is not listed to the same.
  c.limit = top.whole || top.best.empty() ? -std::numeric_limits<float>::infinity() : top.best.back().logit;
  c.leastTotal = top.sum * (1 - backend::TopLogits::sumError);
  c.mostTotal = top.sum * (1 + backend::TopLogits::sumError);
  if (!allowed.empty()) sampling::forgetTotal(c);
  const sampling::Random before = m_state->random;
  m_state->drawChance();
  if (!sampling::settleBest(c) || !m_state->narrowBest(recent)) {
    m_state->random = before;
    return std::nullopt;
  }
  if (c.state == CandidateState::chosen) return m_state->choose();
  if (m_state->greedy()) return c.chosen.front().id;
  const std::optional<std::int32_t> drawn = drawFromBest(m_state->random, c);
  if (!drawn) m_state->random = before;
  return drawn;
}

}  // namespace minerva::engine
