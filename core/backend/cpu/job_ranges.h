// Deals out the jobs of an op so that each thread reads memory in one stream: it takes the jobs of a range of its own, in ascending order,
// so that what a kernel fetches beyond the end of a job is what its thread reads next. A thread that is done with its range takes what is
// left of the others', from the back.
//
// A thread's finished jobs are counted beside its range first, in a cache line that it has anyway, and not each by itself in a line that
// all threads want.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace minerva::cpu {

class JobRanges {
 public:
  explicit JobRanges(int threads) : m_threads(threads), m_ranges(std::make_unique<Range[]>(static_cast<std::size_t>(threads))) {}
  // Begins another step; call on one thread before any thread takes jobs. It does not touch the ranges, whose lines are in the caches of
  // other cores: what was taken in another step counts as nothing (see Range).
  void reset() {
    m_step = (m_step + 1) % steps;
    if (m_step != 0) return;
    for (int i = 0; i < m_threads; ++i) m_ranges[i].taken.store(0, std::memory_order_relaxed);  // of a step of this number, long ago
    m_step = 1;
  }

  // The next job of `total` for this thread; total if none is left. The same total, below 16 million, must be given until reset().
  [[nodiscard]] int take(int thread, int total) {
    const int own = takeOwn(thread, total);
    return own < total ? own : takeOthers(thread, total);
  }
  // From its own range.
  [[nodiscard]] int takeOwn(int thread, int total) { return takeFrom(thread, total, true); }
  // From what is left of the others', which means to look at all of them.
  [[nodiscard]] int takeOthers(int thread, int total) {
    for (int i = 1; i < m_threads; ++i) {
      if (const int job = takeFrom((thread + i) % m_threads, total, false); job < total) return job;
    }
    return total;
  }

  [[nodiscard]] int threads() const { return m_threads; }
  // The first job of a thread's range.
  [[nodiscard]] int begin(int thread, int total) const { return static_cast<int>(static_cast<std::int64_t>(total) * thread / m_threads); }

  // One more of this thread's jobs is finished.
  void count(int thread) { m_ranges[thread].finished.fetch_add(1, std::memory_order_release); }
  // How many of a thread's jobs finished that nobody asked for before. Any thread may ask, so those of a descheduled one are not lost; the
  // writes of these jobs are visible to it.
  [[nodiscard]] int collect(int thread) { return m_ranges[thread].finished.exchange(0, std::memory_order_acquire); }

 private:
  static constexpr std::uint32_t steps = 1U << 16;
  // taken: the step (16 bits), then how many jobs were taken in it from the back and from the front of the range (24 bits each). One word,
  // so that each job is dealt out once; it guards nothing else, so its changes need no order.
  static constexpr int countBits = 24;
  static constexpr std::uint64_t back = std::uint64_t{1} << countBits;
  struct alignas(64) Range {
    std::atomic<std::uint64_t> taken{0};
    std::atomic<int> finished{0};
  };

  // The next job of a range, from its front or its back; total if it has none left.
  int takeFrom(int thread, int total, bool front) {
    const int first = begin(thread, total), size = begin(thread + 1, total) - first;
    std::atomic<std::uint64_t>& word = m_ranges[thread].taken;
    const std::uint64_t untouched = std::uint64_t{m_step} << 2 * countBits;
    for (std::uint64_t found = word.load(std::memory_order_relaxed);;) {
      const std::uint64_t taken = found >> 2 * countBits == m_step ? found : untouched;
      const auto before = static_cast<int>(taken % back), behind = static_cast<int>(taken / back % back);
      if (before + behind >= size) return total;
      if (word.compare_exchange_weak(found, taken + (front ? 1 : back), std::memory_order_relaxed))
        return first + (front ? before : size - 1 - behind);
    }
  }

  int m_threads;
  std::uint32_t m_step = 1;
  std::unique_ptr<Range[]> m_ranges;
};

}  // namespace minerva::cpu
