// How often each token occurs among the recent ones that a penalty looks at. Takes time for each of them, and none for the vocabulary: a
// window may be a whole context.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace minerva::engine::sampling {

// One at a time in a thread, as all use the thread's table.
class RecentCounts {
 public:
  explicit RecentCounts(std::span<const std::int32_t> window) {
    const std::int32_t largest = window.empty() ? -1 : *std::ranges::max_element(window);
    if (largest >= static_cast<std::int32_t>(table().size())) table().resize(static_cast<std::size_t>(largest) + 1, 0);
    m_ids.reserve(window.size());
    for (const std::int32_t id : window)
      if (id >= 0 && table()[static_cast<std::size_t>(id)]++ == 0) m_ids.push_back(id);
  }
  ~RecentCounts() {
    for (const std::int32_t id : m_ids) table()[static_cast<std::size_t>(id)] = 0;
  }
  RecentCounts(const RecentCounts&) = delete;
  RecentCounts& operator=(const RecentCounts&) = delete;

  [[nodiscard]] int of(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < table().size() ? table()[static_cast<std::size_t>(id)] : 0;
  }
  [[nodiscard]] const std::vector<std::int32_t>& ids() const { return m_ids; }  // each once

 private:
  static std::vector<int>& table() {
    thread_local std::vector<int> counts;  // all 0 between uses
    return counts;
  }

  std::vector<std::int32_t> m_ids;
};

}  // namespace minerva::engine::sampling
