// Distributes the jobs of one op of a step: threads take numbered jobs, from a shared counter or from ranges, and count finished ones.
//
// Threads wait for jobs, not for each other, so a descheduled thread that holds no job delays nobody. If it does hold a job,
// another thread can repeat that job if the op permits it (allowRepeats). Such jobs first copy the op's input into
// thread-local memory, compute there, and write their results only if they are the first to claim them. An op is finished
// when all jobs are done and no thread is copying, so nothing overwrites an input that is still being read. Of such an op,
// only a thread descheduled during this short copy, or between claiming a job's results and counting the job as done (the
// time it takes to write them), delays others.
#pragma once

#include "core/backend/cpu/job_ranges.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace minerva::cpu {

class JobCounter {
 public:
  void reset();  // call on one thread before any thread takes jobs
  // Returns the first of the next `count` jobs. The range may exceed the number of jobs; the caller must check.
  [[nodiscard]] int take(int count = 1) { return m_next.fetch_add(count, std::memory_order_relaxed); }
  // Marks one of `total` jobs as done; its writes become visible to all threads that wait().
  void finish(int total) { tellIfFinished(m_state.fetch_add(1) + 1, total); }
  [[nodiscard]] bool finished(int total) const { return isFinished(m_state.load(std::memory_order_acquire), total); }
  void wait(int total) const;  // spins for some microseconds, then sleeps

  // Prevents the op, of fewer than a million jobs, from finishing until endReading(). False if all jobs are done already; the input may
  // then be in use again.
  [[nodiscard]] bool beginReading(int total);
  void endReading(int total) { tellIfFinished(m_state.fetch_sub(oneReader) - oneReader, total); }

 private:
  // Finished jobs (low bits) and reading threads (high bits) in one word, so that both change atomically. Only jobs that may be repeated
  // are read in this way, and an op has few of those; where there are more jobs than the low bits can count, the whole word counts them.
  static constexpr std::uint32_t oneReader = 1U << 20;
  static bool isFinished(std::uint32_t state, int total) {
    const auto all = static_cast<std::uint32_t>(total);
    return state >= all && (state < oneReader || all >= oneReader);
  }
  // After a sequentially consistent change, so that nobody goes to sleep unseen (see thread_pool.cpp).
  void tellIfFinished(std::uint32_t state, int total) {
    if (isFinished(state, total)) m_state.notify_all();
  }

  std::atomic<int> m_next{0};
  std::atomic<std::uint32_t> m_state{0};
};

struct OpJobs {
  explicit OpJobs(int threads) : ranges(threads) {}

  alignas(64) JobCounter jobs;
  JobCounter preparation;  // jobs of an earlier or later phase of the op
  JobRanges ranges;        // of ops that stream weights: their jobs are taken here, and counted in `jobs` when they are done

  // Allows repeating jobs, of ops with at most `most` jobs; allocates their result claims.
  void allowRepeats(int most);
  [[nodiscard]] bool repeats(int total) const { return total <= m_mostRepeated; }
  void reset();
  // True for the first caller per job and step.
  [[nodiscard]] bool claimResults(int job) { return m_claims[job].exchange(m_step, std::memory_order_acq_rel) != m_step; }
  [[nodiscard]] bool hasResults(int job) const { return m_claims[job].load(std::memory_order_acquire) == m_step; }

 private:
  std::unique_ptr<std::atomic<std::uint32_t>[]> m_claims;  // per job: the last step in which its results were claimed
  int m_mostRepeated = 0;
  std::uint32_t m_step = 0;
};

}  // namespace minerva::cpu
