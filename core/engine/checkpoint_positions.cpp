#include "core/engine/checkpoint_positions.h"

#include <algorithm>
#include <limits>

namespace minerva::engine {

CheckpointPositions::CheckpointPositions(std::span<const text::TokenId> prompt, std::span<const text::TokenId> endOfTurn, int kept)
    : m_any(true) {
  const int last = static_cast<int>(prompt.size()) - 1;  // at least one token of a prompt is always computed
  std::vector<int> ends;
  for (int i = kept; i < last; ++i) {
    if (std::ranges::find(endOfTurn, prompt[static_cast<std::size_t>(i)]) != endOfTurn.end()) ends.push_back(i + 1);
  }
  int before = kept;
  const auto distance = [&before](int position) { return position - std::max(before, position / every * every); };
  for (const int end : ends) {
    const bool wanted = end == ends.back() ? distance(end) > 0 : distance(end) >= apart;
    if (!wanted) continue;
    m_inPrompt.push_back(end);
    before = end;
  }
  const int late = last / apart * apart;
  if (distance(late) >= apart) m_inPrompt.push_back(late);
}

int CheckpointPositions::after(int position) const {
  if (!m_any) return std::numeric_limits<int>::max();
  const int multiple = (position / every + 1) * every;
  const auto next = std::ranges::upper_bound(m_inPrompt, position);
  return next == m_inPrompt.end() ? multiple : std::min(*next, multiple);
}

}  // namespace minerva::engine
