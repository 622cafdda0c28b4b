// Deals out the jobs of an op so that each thread reads memory in one stream: it takes the jobs of a range of its own, in ascending order,
// so that what a kernel fetches beyond the end of a job is what its thread reads next. A thread that is done with its range takes what is
// left of the others', from the back.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace minerva::cpu {

class JobRanges {
 public:
  explicit JobRanges(int threads) : m_threads(threads), m_taken(std::make_unique<Taken[]>(static_cast<std::size_t>(threads))) {}
  void reset() {  // call on one thread before any thread takes jobs
    for (int i = 0; i < m_threads; ++i) m_taken[i].ends.store(0, std::memory_order_relaxed);
  }

  // The next job of `total` for this thread; total if none is left. The same total must be given until reset().
  [[nodiscard]] int take(int thread, int total) {
    for (int i = 0; i < m_threads; ++i) {
      const int of = (thread + i) % m_threads, first = begin(of, total), end = begin(of + 1, total);
      const int job = takeFrom(m_taken[of].ends, end - first, i == 0);
      if (job >= 0) return first + job;
    }
    return total;
  }

 private:
  // The first job of a thread's range.
  [[nodiscard]] int begin(int thread, int total) const { return static_cast<int>(static_cast<std::int64_t>(total) * thread / m_threads); }
  // Jobs taken from the front of a range (low half) and from its back (high half), in one word.
  static constexpr std::uint64_t back = std::uint64_t{1} << 32;
  struct alignas(64) Taken {
    std::atomic<std::uint64_t> ends{0};
  };

  static int takeFrom(std::atomic<std::uint64_t>& ends, int size, bool front) {
    for (std::uint64_t taken = ends.load(std::memory_order_relaxed);;) {
      const auto before = static_cast<int>(taken % back), behind = static_cast<int>(taken / back);
      if (before + behind >= size) return -1;
      if (ends.compare_exchange_weak(taken, taken + (front ? 1 : back), std::memory_order_relaxed))
        return front ? before : size - 1 - behind;
    }
  }

  int m_threads;
  std::unique_ptr<Taken[]> m_taken;
};

}  // namespace minerva::cpu
