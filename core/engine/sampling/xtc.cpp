// "Exclude top choices" (p-e-w, 2024): with some probability, of the candidates that are likely enough only the least likely one stays, so
// that the text leaves the beaten path where there are several.
#include "core/engine/sampling/chain.h"

#include <algorithm>
#include <cmath>

namespace minerva::engine::sampling {
namespace {

// Above one half, no second candidate can be likely enough.
bool asksForXtc(const SamplingOptions& options) { return options.xtcProbability > 0 && options.xtcThreshold <= 0.5F; }

void listAll(Candidates& candidates) {
  if (candidates.state == CandidateState::chosen) return;
  candidates.chosen.clear();
  for (std::size_t i = 0; i < candidates.scores.size(); ++i)
    if (std::isfinite(candidates.scores[i])) candidates.chosen.push_back({static_cast<std::int32_t>(i), candidates.scores[i]});
}

void applyXtc(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  listAll(candidates);
  if (candidates.chance >= static_cast<double>(options.xtcProbability)) return;
  double total = 0;
  for (const Candidate& c : candidates.chosen) total += std::exp(static_cast<double>(c.score) - static_cast<double>(candidates.largest));
  const auto isLikely = [&](const Candidate& c) {
    const double share = std::exp(static_cast<double>(c.score) - static_cast<double>(candidates.largest)) / total;
    return share >= static_cast<double>(options.xtcThreshold);
  };
  const Candidate* last = nullptr;  // the least likely of those
  for (const Candidate& c : candidates.chosen)
    if (isLikely(c) && (last == nullptr || better(*last, c))) last = &c;
  if (last == nullptr) return;
  const Candidate kept = *last;
  std::erase_if(candidates.chosen, [&](const Candidate& c) { return better(c, kept); });
  candidates.largest = kept.score;
}

}  // namespace

const Stage xtc{"xtc", asksForXtc, true, true, CandidateState::chosen, applyXtc, true, nullptr, true};

}  // namespace minerva::engine::sampling
