// Distributes the jobs of one op of a step: threads take numbered jobs, from a shared counter or from ranges, and count finished ones.
//
// Threads wait for jobs, not for each other, so a descheduled thread that holds no job delays nobody. If it does hold a job,
// another thread can repeat that job if the op permits it (allowRepeats). Such jobs first copy the op's input into
// thread-local memory, compute there, and write their results only if they are the first to claim them. An op is finished
// when all jobs are done and no thread is copying, so nothing overwrites an input that is still being read. Of such an op,
// only a thread descheduled during this short copy, or between claiming a job's results and counting the job as done (the
// time it takes to write them), delays others.
//
// How writes become visible: a job's results are written before it is counted, with release, beside its thread's range. Whoever collects
// that count, its thread or another, does so with acquire, and then adds it to the state with a sequentially consistent change, which is a
// release as well. During an op the state is only added to and subtracted from, never stored, so that each later value continues what the
// earlier ones released (a release sequence): a thread that reads the final value with acquire sees the results of all jobs. The counts
// need no reset: an op is finished only when every one was collected. All else (steps, pointers) is written by one thread while no other
// is in the op, and is published by the start of ThreadPool::run or by a barrier.
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
  // Marks `count` of `total` jobs as done; their writes become visible to all threads that wait().
  void finish(int total, int count = 1) {
    const auto done = static_cast<std::uint32_t>(count);
    tellIfFinished(m_state.fetch_add(done) + done, total);
  }
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

// Each counter has a cache line of its own, apart from what every thread reads for each job: with many threads, a line that all write is
// hardly ever where it is read.
struct OpJobs {
  explicit OpJobs(int threads) : ranges(threads) {}

  alignas(64) JobCounter jobs;
  alignas(64) JobCounter preparation;  // jobs of an earlier or later phase of the op
  alignas(64) JobRanges ranges;        // of ops that stream weights: their jobs are taken here, and counted in `jobs` when they are done

  // The next job from the ranges, as JobRanges::take. A thread that is done with its own range tells so before it looks for other jobs:
  // those that wait for the op need not wait for that as well.
  [[nodiscard]] int next(int thread, int total) {
    if (const int own = ranges.takeOwn(thread, total); own < total) return own;
    tell(thread, total);
    return ranges.takeOthers(thread, total);
  }
  // Tells all that wait for the op what a thread finished so far (JobRanges::count).
  void tell(int thread, int total) {
    if (const int done = ranges.collect(thread); done > 0) jobs.finish(total, done);
  }

  // Allows repeating jobs, of ops with at most `most` jobs; allocates their result claims.
  void allowRepeats(int most);
  [[nodiscard]] bool repeats(int total) const { return total <= m_mostRepeated; }
  void reset();
  // True for the first caller per job and step.
  [[nodiscard]] bool claimResults(int job) { return m_claims[job].results.exchange(m_step, std::memory_order_acq_rel) != m_step; }
  // repeat(job) for each job without results, beginning with this thread's own, so that not all threads begin with the same. Unless
  // `again`, each job is left to the first thread that comes to it in this step.
  template <class Repeat>
  void repeatLate(int thread, int total, bool again, Repeat repeat) {
    const int first = ranges.begin(thread, total);
    for (int i = 0; i < total; ++i) {
      const int job = (first + i) % total;
      if (!hasResults(job) && (claimRepeat(job) || again)) repeat(job);
    }
  }

 private:
  struct Claims {  // the last step in which a job's results were claimed, and in which another thread began to repeat it
    std::atomic<std::uint32_t> results{0}, repeat{0};
  };
  [[nodiscard]] bool hasResults(int job) const { return m_claims[job].results.load(std::memory_order_acquire) == m_step; }
  // Only saves work, so it needs no order: what a job computes is taken once however often it is repeated.
  [[nodiscard]] bool claimRepeat(int job) { return m_claims[job].repeat.exchange(m_step, std::memory_order_relaxed) != m_step; }

  std::unique_ptr<Claims[]> m_claims;  // by job
  int m_mostRepeated = 0;
  std::uint32_t m_step = 0;
};

}  // namespace minerva::cpu
