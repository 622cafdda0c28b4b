// Keeps the k best, best first, in one pass with a heap of size k: most scores fail a single comparison.
#include "core/engine/sampling/chain.h"

#include <algorithm>

namespace minerva::engine::sampling {
namespace {

bool asksForTopK(const SamplingOptions& options) { return options.topK > 0; }

void applyTopK(const SamplingOptions& options, std::span<const std::int32_t>, Candidates& candidates) {
  const std::vector<float>& scores = candidates.scores;
  const std::size_t k = std::min(static_cast<std::size_t>(options.topK), scores.size());
  std::vector<Candidate>& heap = candidates.chosen;  // the front is the worst of the current k best
  heap.clear();
  for (std::size_t i = 0; i < k; ++i) heap.push_back({static_cast<std::int32_t>(i), scores[i]});
  std::ranges::make_heap(heap, better);
  for (std::size_t i = k; i < scores.size(); ++i) {
    if (!(scores[i] > heap.front().score)) continue;  // an equal score has a higher id, so it is not better
    std::ranges::pop_heap(heap, better);
    heap.back() = {static_cast<std::int32_t>(i), scores[i]};
    std::ranges::push_heap(heap, better);
  }
  std::ranges::sort(heap, better);
}

}  // namespace

const Stage topK{"top-k", asksForTopK, true, false, CandidateState::chosen, applyTopK, false};

}  // namespace minerva::engine::sampling
