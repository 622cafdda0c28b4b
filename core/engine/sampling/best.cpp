#include "core/engine/sampling/best.h"

#include <cmath>
#include <limits>

namespace minerva::engine::sampling {

bool settleBest(Candidates& candidates) {
  std::erase_if(candidates.chosen, [&](const Candidate& c) { return !(c.score > candidates.limit); });
  if (candidates.chosen.empty()) return false;
  std::ranges::sort(candidates.chosen, better);
  candidates.largest = candidates.chosen.front().score;
  return true;
}

void forgetTotal(Candidates& candidates) {
  candidates.leastTotal = 0;
  candidates.mostTotal = std::numeric_limits<double>::infinity();
}

std::size_t countReaching(double wanted, std::span<const Candidate> candidates, float largest) {
  double mass = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    mass += static_cast<double>(std::exp(candidates[i].score - largest));
    if (mass >= wanted) return i + 1;
  }
  return candidates.size() + 1;
}

}  // namespace minerva::engine::sampling
