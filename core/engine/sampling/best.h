// The best of many candidates, in one pass with a heap: most candidates fail a single comparison.
#pragma once

#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {

// Replaces `best` by the `count` best of the candidates at(0) .. at(n - 1), best first.
template <class At>
void findBest(std::size_t count, std::size_t n, At at, std::vector<Candidate>& best) {
  best.clear();
  const std::size_t kept = std::min(count, n);
  for (std::size_t i = 0; i < kept; ++i) best.push_back(at(i));
  std::ranges::make_heap(best, better);  // the front is the worst of the current best
  for (std::size_t i = kept; i < n && kept > 0; ++i) {
    const Candidate next = at(i);
    if (!better(next, best.front())) continue;
    std::ranges::pop_heap(best, better);
    best.back() = next;
    std::ranges::push_heap(best, better);
  }
  std::ranges::sort(best, better);
}

}  // namespace minerva::engine::sampling
