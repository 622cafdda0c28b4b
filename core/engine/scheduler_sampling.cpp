// The scheduler's sampling: from the best logits of each row, which come with the step, and from whole rows where those do not decide.
#include "core/engine/scheduler.h"

#include "core/base/processors.h"

#include <algorithm>
#include <atomic>

namespace minerva::engine {

// What the device has brought of the rows that are sampled, by share. Rows of which it has no best logits, or that are needed whole, are
// brought whole.
Result<std::vector<std::vector<RowLogits>>> Scheduler::logitsOf(std::span<const Share> shares) {
  std::vector<std::vector<RowLogits>> logits(shares.size());
  int output = 0;
  for (std::size_t s = 0; s < shares.size(); ++s) {
    const Share& share = shares[s];
    const int wanted = share.rows < share.sequence->pending() ? 0 : 1 + share.sequence->drafted();
    for (int i = 0; i < wanted; ++i, ++output) {
      RowLogits row;
      if (!share.sequence->needsWholeRows()) row.best = m_model.placement->topLogits(output);
      if (!row.best) {
        MINERVA_ASSIGN(row.all, m_model.placement->logits(output));
      }
      logits[s].push_back(row);
    }
  }
  return logits;
}

// Samples for all shares whose last pending row was run. The few whose best logits do not decide the token get the row and go on.
Result<void> Scheduler::sample(std::span<const Share> shares) {
  MINERVA_ASSIGN(std::vector<std::vector<RowLogits>> logits, logitsOf(shares));
  std::vector<int> firstOutputs;
  std::vector<std::size_t> open;
  int output = 0;
  for (std::size_t s = 0; s < shares.size(); ++s) {
    if (!logits[s].empty()) open.push_back(s);
    firstOutputs.push_back(output);
    output += static_cast<int>(logits[s].size());
  }
  while (!open.empty()) {
    const std::vector<std::optional<std::size_t>> missing = sampleOnce(shares, logits, open);
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!missing[i]) continue;
      const std::size_t s = open[i];
      MINERVA_ASSIGN(logits[s][*missing[i]].all, m_model.placement->logits(firstOutputs[s] + static_cast<int>(*missing[i])));
      next.push_back(s);
    }
    open = std::move(next);
  }
  return {};
}

// Side by side if that pays: whole rows take long. Returns the rows that are missing (Sequence::sample).
std::vector<std::optional<std::size_t>> Scheduler::sampleOnce(std::span<const Share> shares, std::span<const std::vector<RowLogits>> logits,
                                                              std::span<const std::size_t> open) {
  constexpr std::size_t worthThreads = 3;
  constexpr int mostThreads = 8;
  std::vector<std::optional<std::size_t>> missing(open.size());
  std::size_t whole = 0;
  for (const std::size_t s : open)
    whole += static_cast<std::size_t>(std::ranges::count_if(logits[s], [](const RowLogits& row) { return !row.all.empty(); }));
  const auto sampleOf = [&](std::size_t i, bool constrained) {
    Sequence& sequence = *shares[open[i]].sequence;
    if (sequence.isConstrained() == constrained) missing[i] = sequence.sample(logits[open[i]]);
  };
  for (std::size_t i = 0; i < open.size(); ++i) sampleOf(i, true);
  if (whole >= worthThreads && open.size() > 1) {
    const int threads = m_model.info.device.threads;  // what the user allows; 0 on a GPU
    const int cores = threads > 0 ? threads : physicalCores();
    if (!m_samplers) m_samplers = std::make_unique<ThreadPool>(std::clamp(cores, 1, mostThreads));
    std::atomic<std::size_t> next{0};
    m_samplers->run([&](int) {
      for (std::size_t i = next++; i < open.size(); i = next++) sampleOf(i, false);
    });
  } else {
    for (std::size_t i = 0; i < open.size(); ++i) sampleOf(i, false);
  }
  return missing;
}

}  // namespace minerva::engine
