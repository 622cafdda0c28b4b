// Derives barriers between dispatches from the resources each one reads and writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace minerva::gpu {

class Hazards {
 public:
  // A buffer, or columns [begin, end) of all of its rows.
  struct Resource {
    // NOLINTNEXTLINE(google-explicit-constructor): a number is the whole buffer
    constexpr Resource(int buffer) : id(buffer) {}
    constexpr Resource(int buffer, std::uint32_t from, std::uint32_t to) : id(buffer), begin(from), end(to) {}
    [[nodiscard]] constexpr bool meets(const Resource& other) const { return id == other.id && begin < other.end && other.begin < end; }

    int id;
    std::uint32_t begin = 0, end = std::numeric_limits<std::uint32_t>::max();
  };

  // True if a dispatch with these sets must wait for earlier ones (read after write, write after read or write after write
  // since the last barrier). The caller must then record one barrier; after it only this dispatch is pending.
  [[nodiscard]] bool add(std::span<const Resource> reads, std::span<const Resource> writes) {
    const bool conflict = meets(reads, m_written) || meets(writes, m_written) || meets(writes, m_read);
    if (conflict) clear();
    m_read.insert(m_read.end(), reads.begin(), reads.end());
    m_written.insert(m_written.end(), writes.begin(), writes.end());
    return conflict;
  }
  // Call after recording a barrier for another reason.
  void clear() {
    m_read.clear();
    m_written.clear();
  }

 private:
  static bool meets(std::span<const Resource> a, std::span<const Resource> b) {
    return std::ranges::any_of(a, [&](const Resource& r) { return std::ranges::any_of(b, [&](const Resource& s) { return r.meets(s); }); });
  }
  std::vector<Resource> m_read, m_written;  // since the last barrier
};

}  // namespace minerva::gpu
