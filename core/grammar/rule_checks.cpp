#include "core/grammar/rule_checks.h"

#include "core/grammar/limits.h"

#include <algorithm>
#include <string>
#include <utility>

namespace minerva::grammar {
namespace {

using Kind = Node::Kind;

std::unexpected<Error> badRule(const Rules& rules, RuleId rule, const char* what, const char* hint) {
  return fail({.kind = ErrorKind::invalidArgument, .what = what, .where = "rule " + rules.rules()[rule].name, .hint = hint});
}

std::unexpected<Error> overLimit(const char* what, std::size_t most) {
  return fail(
      {.kind = ErrorKind::limit, .what = what, .where = "grammar", .expected = "at most " + std::to_string(most), .actual = "more"});
}

// Facts about nodes that follow from those of their parts. Nodes come after their parts, so one pass over the nodes settles all but
// references to rules; passes are repeated until these agree.
class Facts {
 public:
  explicit Facts(const Rules& rules) : m_rules(rules), m_empty(rules.nodes().size()), m_finite(rules.nodes().size()) {}

  // False: still changing after limits::passes. Small grammars may have chains of rules of any length.
  bool settle() {
    for (std::size_t pass = 0; pass < limits::passes || pass * m_rules.nodes().size() < limits::passSteps; ++pass) {
      if (!passOver()) return true;
    }
    return false;
  }
  [[nodiscard]] bool finite(RuleId rule) const { return m_finite[m_rules.rules()[rule].body]; }
  [[nodiscard]] const std::vector<bool>& empty() const { return m_empty; }
  [[nodiscard]] NodeFacts take() { return {std::move(m_empty), std::move(m_finite)}; }

 private:
  template <class Fact>
  [[nodiscard]] bool all(const Node& node, const Fact& fact) const {
    return std::all_of(m_rules.parts().begin() + node.first, m_rules.parts().begin() + node.first + node.count,
                       [&](NodeId part) { return fact[part]; });
  }
  template <class Fact>
  [[nodiscard]] bool holds(const Node& node, const Fact& fact, bool ofChars) const {
    switch (node.kind) {
      case Kind::sequence: return all(node, fact);
      case Kind::choice: {
        const auto begin = m_rules.parts().begin() + node.first;
        return std::any_of(begin, begin + node.count, [&](NodeId part) { return fact[part]; });
      }
      case Kind::chars: return ofChars && !m_rules.sets()[node.first].empty();
      case Kind::repeat: return node.least == 0 || fact[m_rules.parts()[node.first]];
      case Kind::rule: return fact[m_rules.rules()[node.first].body];
    }
    return false;
  }
  bool passOver() {
    bool changed = false;
    for (std::size_t i = 0; i < m_rules.nodes().size(); ++i) {
      const bool empty = holds(m_rules.nodes()[i], m_empty, false), finite = holds(m_rules.nodes()[i], m_finite, true);
      changed = changed || empty != m_empty[i] || finite != m_finite[i];
      m_empty[i] = empty;
      m_finite[i] = finite;
    }
    return changed;
  }

  const Rules& m_rules;
  std::vector<bool> m_empty, m_finite;
};

// The rules with which a text of the node may begin.
void addFirstRules(const Rules& rules, const std::vector<bool>& empty, NodeId top, std::vector<RuleId>& out) {
  std::vector<NodeId> open{top};
  while (!open.empty()) {
    const Node& node = rules.nodes()[open.back()];
    open.pop_back();
    if (node.kind == Kind::rule) out.push_back(node.first);
    if (node.kind == Kind::rule || node.kind == Kind::chars) continue;
    for (std::uint32_t i = 0; i < node.count; ++i) {
      const NodeId part = rules.parts()[node.first + i];
      open.push_back(part);
      if (node.kind == Kind::sequence && !empty[part]) break;
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

// A rule that can begin with itself would be entered again and again before the first byte.
Result<void> refuseLeftRecursion(const Rules& rules, const std::vector<bool>& empty) {
  enum class Mark : std::uint8_t { unseen, open, done };
  struct Visit {
    RuleId rule;
    std::vector<RuleId> firsts{};
    std::size_t next = 0;
  };
  std::vector<Mark> marks(rules.rules().size(), Mark::unseen);
  for (RuleId top = 0; top < rules.rules().size(); ++top) {
    std::vector<Visit> path;
    const auto enter = [&](RuleId rule) {
      marks[rule] = Mark::open;
      path.push_back({.rule = rule});
      addFirstRules(rules, empty, rules.rules()[rule].body, path.back().firsts);
    };
    if (marks[top] == Mark::unseen) enter(top);
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next == visit.firsts.size()) {
        marks[visit.rule] = Mark::done;
        path.pop_back();
        continue;
      }
      const RuleId rule = visit.firsts[visit.next++];
      if (marks[rule] == Mark::open)
        return badRule(rules, rule, "A rule begins with itself (left recursion)", "Write the repetition with * or +, or after something");
      if (marks[rule] == Mark::unseen) enter(rule);
    }
  }
  return {};
}

}  // namespace

bool hasFiniteText(const Rules& rules, NodeId node) {
  Facts facts(rules);
  return rules.tooLarge() || !facts.settle() || facts.take().finite[node];
}

Result<NodeFacts> checkRules(const Rules& rules, RuleId root) {
  if (rules.tooLarge()) return overLimit("The grammar is too large", limits::nodes);
  for (RuleId i = 0; i < rules.rules().size(); ++i) {
    if (!rules.rules()[i].defined) return badRule(rules, i, "A rule is used, but not defined", "");
  }
  Facts facts(rules);
  if (!facts.settle())
    return overLimit("The rules refer to one another in too long chains, against the order of their definition", limits::passes);
  if (!facts.finite(root)) return badRule(rules, root, "No finite text fulfils the grammar", "");
  MINERVA_TRY(refuseLeftRecursion(rules, facts.empty()));
  for (const Node& node : rules.nodes()) {
    if (node.kind != Kind::repeat) continue;
    if (node.least > limits::least) return overLimit("A repetition demands too many", limits::least);
    if (node.most != unlimited && node.most > limits::most) return overLimit("A repetition has too large a bound", limits::most);
    if (node.most != unlimited && node.most > limits::mostOfEmpty && facts.empty()[rules.parts()[node.first]])
      return overLimit("Something that may be empty is repeated up to a large number", limits::mostOfEmpty);
  }
  return facts.take();
}

}  // namespace minerva::grammar
