#include "core/grammar/rules.h"

#include "core/base/utf8.h"
#include "core/grammar/limits.h"

#include <utility>

namespace minerva::grammar {

Rules::Rules() : m_nodes(1), m_ascii(128, 0) {}

NodeId Rules::add(const Node& node) {
  m_tooLarge = m_tooLarge || m_nodes.size() + m_parts.size() >= limits::nodes;
  if (m_tooLarge) return 0;
  m_nodes.push_back(node);
  return static_cast<NodeId>(m_nodes.size() - 1);
}

NodeId Rules::addList(Node::Kind kind, const std::vector<NodeId>& parts) {
  m_tooLarge = m_tooLarge || m_parts.size() + parts.size() >= limits::nodes;
  if (m_tooLarge) return 0;
  const Node node{kind, static_cast<std::uint32_t>(m_parts.size()), static_cast<std::uint32_t>(parts.size()), 0, 0};
  m_parts.insert(m_parts.end(), parts.begin(), parts.end());
  return add(node);
}

NodeId Rules::sequence(const std::vector<NodeId>& parts) { return parts.size() == 1 ? parts[0] : addList(Node::Kind::sequence, parts); }
NodeId Rules::choice(const std::vector<NodeId>& parts) { return parts.size() == 1 ? parts[0] : addList(Node::Kind::choice, parts); }

NodeId Rules::chars(const CharSet& set) {
  m_sets.push_back(set);
  return add({Node::Kind::chars, static_cast<std::uint32_t>(m_sets.size() - 1), 0, 0, 0});
}

NodeId Rules::text(std::string_view utf8) {
  std::vector<NodeId> parts;
  for (std::size_t at = 0; at < utf8.size();) {
    const utf8::Decoded c = utf8::decode(utf8, at);
    at += c.length;
    NodeId made = c.codePoint < 128 ? m_ascii[c.codePoint] : 0;
    if (made == 0) made = chars({c.codePoint, c.codePoint});
    if (c.codePoint < 128) m_ascii[c.codePoint] = made;
    parts.push_back(made);
  }
  return sequence(parts);
}

NodeId Rules::repeat(NodeId node, std::uint32_t least, std::uint32_t most) {
  if (least == 1 && most == 1) return node;
  if (most == 0) return nothing();
  if (m_tooLarge) return 0;
  m_parts.push_back(node);
  return add({Node::Kind::repeat, static_cast<std::uint32_t>(m_parts.size() - 1), 1, least, most});
}

NodeId Rules::rule(RuleId rule) { return add({Node::Kind::rule, rule, 0, 0, 0}); }

RuleId Rules::declare(std::string name) {
  m_tooLarge = m_tooLarge || m_rules.size() >= limits::rules;
  if (!m_tooLarge) m_rules.push_back({std::move(name), 0, false});
  return static_cast<RuleId>(m_rules.empty() ? 0 : m_rules.size() - 1);
}

void Rules::define(RuleId rule, NodeId body) {
  if (rule >= m_rules.size()) return;
  m_rules[rule].body = body;
  m_rules[rule].defined = true;
}

}  // namespace minerva::grammar
