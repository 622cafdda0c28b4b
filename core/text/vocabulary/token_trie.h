// A trie that finds all strings of a set starting at a given position of a text. Built once; then safe to read from any
// thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minerva::text {

class TokenTrie {
 public:
  struct Match {
    std::size_t length = 0;  // 0: none
    std::int32_t value = -1;
  };
  // Values must be >= 0. The first of equal strings wins; empty strings are ignored.
  explicit TokenTrie(std::vector<std::pair<std::string, std::int32_t>> strings = {});
  [[nodiscard]] bool empty() const { return m_nodes.size() < 2; }
  [[nodiscard]] bool startsWith(unsigned char byte) const { return m_root[byte] != 0; }
  [[nodiscard]] Match longestAt(std::string_view text, std::size_t pos) const;

  // Calls take(length, value) for every string that begins at pos, shortest first.
  template <class Take>
  void visitAt(std::string_view text, std::size_t pos, Take take) const {
    if (pos >= text.size()) return;
    std::size_t at = pos;
    for (std::uint32_t node = m_root[static_cast<unsigned char>(text[at])]; node != 0; node = child(m_nodes[node], text[at])) {
      ++at;
      if (m_nodes[node].value >= 0) take(at - pos, m_nodes[node].value);
      if (at == text.size()) return;
    }
  }

 private:
  // Nodes are stored in breadth-first order, which numbers edges like the nodes they lead to: edge e leads to node e + 1.
  struct Node {
    std::uint32_t firstEdge = 0;
    std::uint32_t edgeCount = 0;
    std::int32_t value = -1;
  };
  // Returns 0 if there is none.
  [[nodiscard]] std::uint32_t child(const Node& node, char label) const {
    const char* labels = m_labels.data() + node.firstEdge;
    if (node.edgeCount <= 8) {
      for (std::uint32_t i = 0; i < node.edgeCount; ++i)
        if (labels[i] == label) return node.firstEdge + i + 1;
      return 0;
    }
    const auto* found = static_cast<const char*>(std::memchr(labels, static_cast<unsigned char>(label), node.edgeCount));
    return found == nullptr ? 0 : node.firstEdge + static_cast<std::uint32_t>(found - labels) + 1;
  }

  std::vector<Node> m_nodes;
  std::vector<char> m_labels;      // label of each edge; the edges of a node are contiguous
  std::uint32_t m_root[256] = {};  // the root's child for each byte, 0: none
};

}  // namespace minerva::text
