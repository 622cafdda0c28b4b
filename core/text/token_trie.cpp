#include "core/text/token_trie.h"

#include <algorithm>

namespace minerva::text {

TokenTrie::TokenTrie(std::vector<std::pair<std::string, std::int32_t>> strings) {
  std::erase_if(strings, [](const auto& entry) { return entry.first.empty(); });
  std::stable_sort(strings.begin(), strings.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  struct Range {  // strings [begin, end) share their first `depth` bytes, which lead to `node`
    std::size_t begin, end, depth, node;
  };
  m_nodes.emplace_back();
  std::vector<Range> queue{{0, strings.size(), 0, 0}};
  for (std::size_t done = 0; done < queue.size(); ++done) {  // breadth first, so that a node's edges are side by side
    const Range range = queue[done];
    std::size_t at = range.begin;
    for (; at < range.end && strings[at].first.size() == range.depth; ++at)
      if (m_nodes[range.node].value < 0) m_nodes[range.node].value = strings[at].second;
    m_nodes[range.node].firstEdge = static_cast<std::uint32_t>(m_edges.size());
    while (at < range.end) {
      const char byte = strings[at].first[range.depth];
      std::size_t end = at;
      while (end < range.end && strings[end].first[range.depth] == byte) ++end;
      m_edges.push_back({static_cast<unsigned char>(byte), static_cast<std::uint32_t>(m_nodes.size())});
      queue.push_back({at, end, range.depth + 1, m_nodes.size()});
      m_nodes.emplace_back();
      ++m_nodes[range.node].edgeCount;
      at = end;
    }
  }
  for (std::uint32_t i = 0; i < m_nodes[0].edgeCount; ++i) m_firstByte[m_edges[i].byte] = true;
}

TokenTrie::Match TokenTrie::longestAt(std::string_view text, std::size_t pos) const {
  Match best;
  std::size_t node = 0;
  for (std::size_t at = pos; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const Edge* begin = m_edges.data() + m_nodes[node].firstEdge;
    const Edge* end = begin + m_nodes[node].edgeCount;
    const Edge* edge = std::lower_bound(begin, end, byte, [](const Edge& e, unsigned char b) { return e.byte < b; });
    if (edge == end || edge->byte != byte) break;
    node = edge->node;
    if (m_nodes[node].value >= 0) best = {at + 1 - pos, m_nodes[node].value};
  }
  return best;
}

}  // namespace minerva::text
