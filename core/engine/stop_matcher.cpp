#include "core/engine/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace minerva::engine {

StopMatcher::StopMatcher(std::vector<std::string> stops) : m_stops(std::move(stops)) {
  std::erase_if(m_stops, [](const std::string& stop) { return stop.empty(); });
}

// Length of the longest suffix of m_held that is a proper prefix of a stop string.
std::size_t StopMatcher::heldLength() const {
  std::size_t longest = 0;
  for (const std::string& stop : m_stops) {
    for (std::size_t n = std::min(stop.size() - 1, m_held.size()); n > longest; --n) {
      if (std::string_view(m_held).substr(m_held.size() - n) == std::string_view(stop).substr(0, n)) longest = n;
    }
  }
  return longest;
}

std::string StopMatcher::push(std::string_view text) {
  if (matched()) return {};
  m_held += text;
  std::size_t first = std::string::npos;
  for (const std::string& stop : m_stops) {
    const std::size_t at = m_held.find(stop);
    if (at >= first) continue;
    first = at;
    m_match = stop;
  }
  if (matched()) {
    m_held.resize(first);
    return std::exchange(m_held, {});
  }
  const std::size_t shown = m_held.size() - heldLength();
  std::string out = m_held.substr(0, shown);
  m_held.erase(0, shown);
  return out;
}

std::string StopMatcher::flush() { return matched() ? std::string() : std::exchange(m_held, {}); }

}  // namespace minerva::engine
