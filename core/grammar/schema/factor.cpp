#include "core/grammar/schema/factor.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

constexpr int deepestRule = 40;            // rules that begin with a rule
constexpr int deepestChoice = 60;          // places after one another where ways part
constexpr std::size_t longestSame = 1000;  // nodes of a beginning: one of rules that contain themselves may not end

// What is left of a way: its nodes, the first one last.
using Rest = std::vector<NodeId>;

// Takes the beginning apart until it is characters, or a node that is not a sequence.
void openFirst(const Rules& rules, Rest& rest) {
  for (int depth = 0; !rest.empty() && depth < deepestRule;) {
    NodeId id = rest.back();
    if (rules.nodes()[id].kind == Node::Kind::rule) {
      const Rule& rule = rules.rules()[rules.nodes()[id].first];
      const bool isSequence =
          rule.defined && (rules.nodes()[rule.body].kind == Node::Kind::sequence || rules.nodes()[rule.body].kind == Node::Kind::rule);
      if (!isSequence) return;
      id = rule.body;
      ++depth;
    } else if (rules.nodes()[id].kind != Node::Kind::sequence) {
      return;
    }
    rest.pop_back();
    const Node& node = rules.nodes()[id];
    if (node.kind == Node::Kind::rule) rest.push_back(id);
    else
      for (std::uint32_t i = node.count; i-- > 0;) rest.push_back(rules.parts()[node.first + i]);
  }
}

bool same(const Rules& rules, NodeId a, NodeId b) {
  if (a == b) return true;
  const Node &one = rules.nodes()[a], &other = rules.nodes()[b];
  if (one.kind != other.kind) return false;
  if (one.kind == Node::Kind::rule) return one.first == other.first;
  return one.kind == Node::Kind::chars && rules.sets()[one.first] == rules.sets()[other.first];
}

NodeId sequenceOf(Rules& rules, std::vector<NodeId> begin, const Rest& rest) {
  begin.insert(begin.end(), rest.rbegin(), rest.rend());
  return rules.sequence(begin);
}

NodeId factored(Rules& rules, std::vector<Rest> ways, int depth) {
  std::vector<NodeId> begin;
  while (begin.size() < longestSame) {
    for (Rest& way : ways) openFirst(rules, way);
    const bool alike = std::ranges::all_of(ways, [&](const Rest& way) { return !way.empty() && same(rules, way.back(), ways[0].back()); });
    if (!alike) break;
    begin.push_back(ways[0].back());
    for (Rest& way : ways) way.pop_back();
  }
  std::vector<NodeId> out;
  for (std::size_t first = 0; first < ways.size(); ++first) {
    if (ways[first].empty()) {
      out.push_back(rules.nothing());
      continue;
    }
    const NodeId head = ways[first].back();
    if (head == rules.nothing()) continue;  // it is among an earlier group
    std::vector<Rest> group;
    for (std::size_t i = first; i < ways.size(); ++i) {
      if (ways[i].empty() || ways[i].back() == rules.nothing() || !same(rules, head, ways[i].back())) continue;
      group.push_back(std::move(ways[i]));
      ways[i] = {rules.nothing()};
    }
    if (group.size() == 1 || depth >= deepestChoice || begin.size() >= longestSame) {
      for (const Rest& one : group) out.push_back(sequenceOf(rules, {}, one));
    } else {
      out.push_back(factored(rules, std::move(group), depth + 1));
    }
  }
  return sequenceOf(rules, std::move(begin), {rules.choice(out)});
}

}  // namespace

NodeId factoredChoice(Rules& rules, const std::vector<NodeId>& ways) {
  std::vector<Rest> rests;
  for (const NodeId way : ways) rests.push_back({way});
  return rules.tooLarge() || ways.empty() ? rules.choice(ways) : factored(rules, std::move(rests), 0);
}

}  // namespace minerva::grammar
