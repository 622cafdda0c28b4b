// Finds the longest of a set of strings at a place of a text. Built once, then read from any thread.
#pragma once

#include <cstdint>
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
  // Of equal strings the first wins; empty strings are left out.
  explicit TokenTrie(std::vector<std::pair<std::string, std::int32_t>> strings = {});
  [[nodiscard]] bool empty() const { return m_nodes.size() < 2; }
  [[nodiscard]] bool startsWith(unsigned char byte) const { return m_firstByte[byte]; }
  [[nodiscard]] Match longestAt(std::string_view text, std::size_t pos) const;

 private:
  struct Node {
    std::uint32_t firstEdge = 0;
    std::uint32_t edgeCount = 0;
    std::int32_t value = -1;
  };
  struct Edge {
    unsigned char byte = 0;
    std::uint32_t node = 0;
  };
  std::vector<Node> m_nodes;
  std::vector<Edge> m_edges;  // of a node side by side, sorted by byte
  bool m_firstByte[256] = {};
};

}  // namespace minerva::text
