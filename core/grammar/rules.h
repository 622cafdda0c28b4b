// A grammar while it is built: rules made of nodes, which refer to other nodes and to rules by number.
//
// Beyond limits::nodes nothing is added any more, so that building is bounded, whatever is asked; Grammar::compile() then refuses. A
// value type.
#pragma once

#include "core/grammar/char_set.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::grammar {

using NodeId = std::uint32_t;
using RuleId = std::uint32_t;
inline constexpr std::uint32_t unlimited = 0xFFFFFFFF;  // as the upper bound of a repetition

struct Node {
  enum class Kind : std::uint8_t { sequence, choice, chars, repeat, rule } kind = Kind::sequence;
  std::uint32_t first = 0, count = 0;  // sequence, choice: the parts, in Rules::parts(); chars: index in sets(); rule: RuleId
  std::uint32_t least = 0, most = 0;   // repeat, of the node parts()[first]
};

struct Rule {
  std::string name;
  NodeId body = 0;
  bool defined = false;
};

class Rules {
 public:
  Rules();
  [[nodiscard]] NodeId nothing() const { return 0; }  // the empty text
  [[nodiscard]] NodeId text(std::string_view utf8);
  [[nodiscard]] NodeId chars(const CharSet& set);
  [[nodiscard]] NodeId sequence(const std::vector<NodeId>& parts);
  [[nodiscard]] NodeId choice(const std::vector<NodeId>& parts);  // without parts: matches nothing at all
  [[nodiscard]] NodeId repeat(NodeId node, std::uint32_t least, std::uint32_t most);
  [[nodiscard]] NodeId optional(NodeId node) { return repeat(node, 0, 1); }
  [[nodiscard]] NodeId rule(RuleId rule);
  [[nodiscard]] RuleId declare(std::string name);
  void define(RuleId rule, NodeId body);

  [[nodiscard]] const std::vector<Node>& nodes() const { return m_nodes; }
  [[nodiscard]] const std::vector<std::uint32_t>& parts() const { return m_parts; }
  [[nodiscard]] const std::vector<CharSet>& sets() const { return m_sets; }
  [[nodiscard]] const std::vector<Rule>& rules() const { return m_rules; }
  [[nodiscard]] bool tooLarge() const { return m_tooLarge; }

 private:
  [[nodiscard]] NodeId add(const Node& node);
  [[nodiscard]] NodeId addList(Node::Kind kind, const std::vector<NodeId>& parts);
  std::vector<Node> m_nodes;
  std::vector<std::uint32_t> m_parts;
  std::vector<CharSet> m_sets;
  std::vector<Rule> m_rules;
  std::vector<NodeId> m_ascii;  // the nodes of single ASCII characters, which are many and the same; 0: not made yet
  bool m_tooLarge = false;
};

}  // namespace minerva::grammar
