// How often each token occurs among the recent ones that a penalty looks at. Takes time for each of them, and none for the vocabulary: a
// window may be a whole context.
#pragma once

#include "core/engine/sampling/sampling.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace minerva::engine::sampling {

// One at a time in a thread, as all use the thread's table.
class RecentCounts {
 public:
  RecentCounts(const SamplingOptions& options, std::span<const std::int32_t> recent)
      : m_window(options.repeatLastN < 0 ? recent : recent.last(std::min(recent.size(), static_cast<std::size_t>(options.repeatLastN)))) {
    const std::int32_t largest = m_window.empty() ? -1 : *std::ranges::max_element(m_window);
    if (largest >= static_cast<std::int32_t>(table().size())) table().resize(static_cast<std::size_t>(largest) + 1, 0);
    for (const std::int32_t id : m_window) {
      if (id < 0) continue;
      m_distinct += table()[static_cast<std::size_t>(id)]++ == 0 ? 1 : 0;
    }
  }
  ~RecentCounts() {
    for (const std::int32_t id : m_window)
      if (id >= 0) table()[static_cast<std::size_t>(id)] = 0;
  }
  RecentCounts(const RecentCounts&) = delete;
  RecentCounts& operator=(const RecentCounts&) = delete;

  [[nodiscard]] int of(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < table().size() ? table()[static_cast<std::size_t>(id)] : 0;
  }
  [[nodiscard]] std::size_t distinct() const { return m_distinct; }
  // Calls act(id, occurrences) once for each token.
  template <class Act>
  void forEach(const Act& act) {
    for (const std::int32_t id : m_window) {
      const int occurrences = of(id);
      if (occurrences <= 0) continue;
      act(id, occurrences);
      table()[static_cast<std::size_t>(id)] = -occurrences;  // seen
    }
    for (const std::int32_t id : m_window)
      if (const int seen = of(id); seen < 0) table()[static_cast<std::size_t>(id)] = -seen;
  }

 private:
  static std::vector<int>& table() {
    thread_local std::vector<int> counts;  // all 0 between uses
    return counts;
  }

  std::span<const std::int32_t> m_window;
  std::size_t m_distinct = 0;
};

}  // namespace minerva::engine::sampling
