// Keeps the smallest set of best candidates whose total probability reaches p (Holtzman et al. 2020, nucleus sampling).
//
// A whole vocabulary is not sorted: scores are binned into narrow buckets by their distance to the largest. Whole buckets
// are taken up to the one in which p is reached, and only that bucket is sorted.
#include "core/engine/sampling/chain.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace minerva::engine::sampling {
namespace {

constexpr std::size_t bucketCount = 2048;
constexpr float bucketsPerUnit = 64;  // the last bucket holds everything more than e^32 times less likely than the best

bool asksForTopP(const SamplingOptions& options) { return options.topP < 1.0F; }

std::size_t bucketOf(float distance) {
  const float scaled = distance * bucketsPerUnit;
  return scaled < static_cast<float>(bucketCount - 1) ? static_cast<std::size_t>(scaled) : bucketCount - 1;
}

// Truncates a list sorted best first to the prefix that reaches the mass `wanted`; keeps at least one.
void cutSorted(std::vector<Candidate>& list, float largest, double wanted) {
  list.resize(std::min(list.size(), countReaching(wanted, list, largest)));
}

void cutChosen(const SamplingOptions& options, Candidates& candidates) {
  std::ranges::sort(candidates.chosen, better);
  double total = 0;
  for (const Candidate& c : candidates.chosen) total += static_cast<double>(std::exp(c.score - candidates.largest));
  cutSorted(candidates.chosen, candidates.largest, total * static_cast<double>(options.topP));
}

void cutEverything(const SamplingOptions& options, Candidates& candidates) {
  std::array<double, bucketCount> masses{};
  double total = 0;
  for (const float score : candidates.scores) {
    const float distance = candidates.largest - score;
    if (!(distance < 80)) continue;  // negligible probability
    const auto mass = static_cast<double>(std::exp(-distance));
    masses[bucketOf(distance)] += mass;
    total += mass;
  }
  const double wanted = total * static_cast<double>(options.topP);
  double before = 0;
  std::size_t border = 0;
  while (border + 1 < bucketCount && before + masses[border] < wanted) before += masses[border++];

  std::vector<Candidate> atBorder;
  candidates.chosen.clear();
  for (std::size_t i = 0; i < candidates.scores.size(); ++i) {
    const float score = candidates.scores[i];
    const float distance = candidates.largest - score;
    if (!(distance < 80)) continue;
    const std::size_t bucket = bucketOf(distance);
    if (bucket > border) continue;
    (bucket == border ? atBorder : candidates.chosen).push_back({static_cast<std::int32_t>(i), score});
  }
  std::ranges::sort(atBorder, better);
  if (candidates.chosen.empty() || before < wanted) {
    cutSorted(atBorder, candidates.largest, wanted - before);
    candidates.chosen.insert(candidates.chosen.end(), atBorder.begin(), atBorder.end());
  }
}

void applyTopP(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  if (candidates.state == CandidateState::chosen) {
    cutChosen(options, candidates);
  } else {
    cutEverything(options, candidates);
  }
}

// What is known of the sum over all tokens must say where the border is.
bool applyTopPToBest(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const auto kept = [&](double total) {
    return countReaching(total * static_cast<double>(options.topP), candidates.chosen, candidates.largest);
  };
  const std::size_t count = kept(candidates.mostTotal);
  if (count > candidates.chosen.size() || kept(candidates.leastTotal) != count) return false;
  candidates.chosen.resize(count);
  candidates.state = CandidateState::chosen;
  return true;
}

}  // namespace

const Stage topP{"top-p", asksForTopP, true, true, CandidateState::chosen, applyTopP, false, applyTopPToBest};

}  // namespace minerva::engine::sampling
