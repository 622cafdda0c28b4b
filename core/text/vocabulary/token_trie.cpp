#include "core/text/vocabulary/token_trie.h"

#include <algorithm>

namespace minerva::text {

TokenTrie::TokenTrie(std::vector<std::pair<std::string, std::int32_t>> strings) {
  std::erase_if(strings, [](const auto& entry) { return entry.first.empty(); });
  std::stable_sort(strings.begin(), strings.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {  // strings [begin, end) share their first `depth` bytes, which lead to a node
    std::size_t begin, end, depth;
  };
  std::vector<Range> queue{{0, strings.size(), 0}};
  for (std::size_t node = 0; node < queue.size(); ++node) {
    const Range range = queue[node];
    Node made;
    std::size_t at = range.begin;
    for (; at < range.end && strings[at].first.size() == range.depth; ++at)
      if (made.value < 0) made.value = strings[at].second;
    made.firstEdge = static_cast<std::uint32_t>(m_labels.size());
    while (at < range.end) {
      const char label = strings[at].first[range.depth];
      std::size_t end = at;
      while (end < range.end && strings[end].first[range.depth] == label) ++end;
      m_labels.push_back(label);
      queue.push_back({at, end, range.depth + 1});
      ++made.edgeCount;
      at = end;
    }
    m_nodes.push_back(made);
  }
  for (std::uint32_t edge = 0; edge < m_nodes[0].edgeCount; ++edge) m_root[static_cast<unsigned char>(m_labels[edge])] = edge + 1;
}

TokenTrie::Match TokenTrie::longestAt(std::string_view text, std::size_t pos) const {
  Match best;
  visitAt(text, pos, [&best](std::size_t length, std::int32_t value) { best = {length, value}; });
  return best;
}

}  // namespace minerva::text
