// The work of one op of a step: jobs numbered from 0, taken by whichever thread asks next and counted when they are
// done.
//
// Threads wait for jobs, never for each other: one that the system has put aside for a while (a window draws, another
// program runs) and that holds no job holds nobody up. A job it does hold can be done again by another, where the op
// allows it: such a job computes into memory of its own thread and writes where others read only when it is the first
// to claim its results. A thread that comes back late may read inputs whose memory is in use again; its results are not
// taken.
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
  void finish(int total) {
    if (m_done.fetch_add(1, std::memory_order_acq_rel) + 1 == total) m_done.notify_all();
  }
  [[nodiscard]] bool finished(int total) const { return m_done.load(std::memory_order_acquire) >= total; }
  void wait(int total) const;  // spins for some microseconds, then sleeps

 private:
  std::atomic<int> m_next{0}, m_done{0};
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
