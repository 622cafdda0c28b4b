// The tokens of a model as bytes, in the order of a tree: made once per model, in about 50 ms for 150,000 tokens.
//
// Immutable but for a cache with a lock; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace minerva::grammar {

using Mask = std::vector<std::uint64_t>;  // a bit per token id, of words()

[[nodiscard]] inline bool has(std::span<const std::uint64_t> mask, std::int32_t id) {
  return (mask[static_cast<std::size_t>(id) / 64] >> (static_cast<std::size_t>(id) % 64) & 1) != 0;
}
inline void add(Mask& mask, std::int32_t id) {
  mask[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1} << (static_cast<std::size_t>(id) % 64);
}

// Kinds of characters that grammars treat alike. A set of them is a bit mask.
using Groups = std::uint32_t;
namespace groups {
inline constexpr int count = 20;                 // of ASCII
inline constexpr Groups beyondAscii = 1U << 20;  // whole characters beyond ASCII
inline constexpr Groups incomplete = 1U << 21;   // bytes that are no whole character
[[nodiscard]] int of(unsigned char ascii);       // index of a bit
}  // namespace groups

class Vocabulary {
 public:
  // bytes: by token id; an empty text is never allowed. ends: the tokens that end a reply, allowed where the text may end.
  Vocabulary(const std::vector<std::string>& bytes, std::vector<std::int32_t> ends);

  // A node of the tree, in preorder. Its tokens are order()[token, token + own), those of the subtree order()[token, nodes()[end].token).
  struct Node {
    std::uint32_t end;    // the next node outside the subtree
    std::uint32_t token;  // in order()
    std::uint32_t own;    // tokens that end here
    Groups below;         // of all bytes below it, read from here on
    std::uint8_t byte;
    std::uint8_t depth, height;  // bytes up to and including this one; most bytes below
  };
  static constexpr int longest = 250;  // bytes; longer tokens are never allowed in a constrained reply

  [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }  // without a root; the last one is a sentinel
  [[nodiscard]] const std::vector<std::int32_t>& order() const { return m_order; }
  [[nodiscard]] const std::vector<std::int32_t>& ends() const { return m_ends; }
  [[nodiscard]] std::size_t size() const { return m_groups.size(); }
  [[nodiscard]] std::size_t words() const { return (size() + 63) / 64; }
  // The tokens of at most `length` bytes that are made of whole characters of these groups.
  [[nodiscard]] std::shared_ptr<const Mask> pure(Groups groups, int length) const;

 private:
  void build(const std::vector<std::string>& bytes);
  void measure();
  std::vector<Node> m_nodes;
  std::vector<std::int32_t> m_order;
  std::vector<std::int32_t> m_ends;
  std::vector<Groups> m_groups;         // by token; 0: never allowed
  std::vector<std::uint8_t> m_lengths;  // by token
  mutable std::mutex m_mutex;
  mutable std::map<std::pair<Groups, int>, std::shared_ptr<const Mask>> m_pure;  // guarded by m_mutex
};

}  // namespace minerva::grammar
