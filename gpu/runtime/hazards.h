// When a barrier is needed between dispatches: worked out from what each reads and writes, never written by hand.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace minerva::gpu {

class Hazards {
 public:
  using Resource = int;

  // True when a dispatch with these sets must wait for what came before (read after write, write after read, write after
  // write since the last barrier); the caller then records one barrier, after which only this dispatch is pending.
  [[nodiscard]] bool add(std::span<const Resource> reads, std::span<const Resource> writes) {
    const bool conflict = meets(reads, m_written) || meets(writes, m_written) || meets(writes, m_read);
    if (conflict) clear();
    m_read.insert(m_read.end(), reads.begin(), reads.end());
    m_written.insert(m_written.end(), writes.begin(), writes.end());
    return conflict;
  }
  // A barrier was recorded for another reason.
  void clear() {
    m_read.clear();
    m_written.clear();
  }

 private:
  static bool meets(std::span<const Resource> a, std::span<const Resource> b) {
    return std::ranges::any_of(a, [&](Resource r) { return std::ranges::find(b, r) != b.end(); });
  }
  std::vector<Resource> m_read, m_written;  // since the last barrier
};

}  // namespace minerva::gpu
