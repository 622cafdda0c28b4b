// The work of one op of a step: jobs numbered from 0, taken by whichever thread asks next and counted when they are
// done.
//
// Threads wait for jobs, not for each other: a thread that the system has descheduled and that holds no job holds nobody up.
// A job it does hold can be done again by another where the op allows it (allowRepeats): such a job first copies the op's
// input into memory of its own thread, computes there, and writes where others read only if it is the first to claim its
// results. The op counts as finished when all jobs are done and nobody is copying, so nothing overwrites an input that is
// still being read; the copy is the one short time in which a descheduled thread does hold the others up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace minerva::cpu {

class JobCounter {
 public:
  void reset();  // by one thread, before others take any
  // The first of the next `count` jobs; there may be fewer, or none: what is too much is for the caller to see.
  [[nodiscard]] int take(int count = 1) { return m_next.fetch_add(count, std::memory_order_relaxed); }
  // One of `total` jobs is done: what it wrote is seen by all who waited.
  void finish(int total) { tellIfFinished(m_state.fetch_add(1, std::memory_order_acq_rel) + 1, total); }
  [[nodiscard]] bool finished(int total) const { return isFinished(m_state.load(std::memory_order_acquire), total); }
  void wait(int total) const;  // spins for some microseconds, then sleeps

  // Until endReading() the op is not finished. False: all jobs are done, and the input may be in use again.
  [[nodiscard]] bool beginReading(int total);
  void endReading(int total) { tellIfFinished(m_state.fetch_sub(oneReader, std::memory_order_acq_rel) - oneReader, total); }

 private:
  // Jobs done and threads that read, in one word: which of two changes came first is then never in doubt.
  static constexpr std::uint32_t oneReader = 1U << 20;
  static bool isFinished(std::uint32_t state, int total) { return state < oneReader && state >= static_cast<std::uint32_t>(total); }
  void tellIfFinished(std::uint32_t state, int total) {
    if (isFinished(state, total)) m_state.notify_all();
  }

  std::atomic<int> m_next{0};
  std::atomic<std::uint32_t> m_state{0};
};

struct OpJobs {
  alignas(64) JobCounter jobs;
  JobCounter preparation;  // what comes before them, or behind

  // For ops whose jobs can be done again: room for the claims on so many jobs' results.
  void allowRepeats(int most);
  [[nodiscard]] bool repeats(int total) const { return total <= m_mostRepeated; }
  void reset();
  // True for the first who asks in this step.
  [[nodiscard]] bool claimResults(int job) { return m_claims[job].exchange(m_step, std::memory_order_acq_rel) != m_step; }
  [[nodiscard]] bool hasResults(int job) const { return m_claims[job].load(std::memory_order_acquire) == m_step; }

 private:
  std::unique_ptr<std::atomic<std::uint32_t>[]> m_claims;  // the step whose results were claimed last
  int m_mostRepeated = 0;
  std::uint32_t m_step = 0;
};

}  // namespace minerva::cpu
