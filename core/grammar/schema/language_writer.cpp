// Automata as nodes of a grammar: a rule for each state that several others lead to.
#include "core/grammar/schema/language.h"

#include <algorithm>
#include <map>
#include <optional>

namespace minerva::grammar {

class LanguageWriter {
 public:
  using State = Language::State;
  LanguageWriter(const Language& language, Rules& rules, JsonText& json) : m_language(language), m_rules(rules), m_json(json) {}

  NodeId write() {
    findEdges();
    if (m_edges.empty()) return m_rules.choice({});
    const NodeId first = reference(0, 0);
    while (!m_open.empty()) {
      const State state = m_open.back();
      m_open.pop_back();
      const NodeId body = bodyOf(state, 0);
      m_rules.define(m_ruleOf[state], body);
    }
    return first;
  }

 private:
  static constexpr int deepest = 24;  // states within a rule: nodes are read recursively

  // By state, the characters that lead to each of those from which the text can still end. Without edges at all: no text.
  void findEdges() {
    const CharSet written = JsonText::writable();
    Language usable = m_language;
    for (std::size_t atom = 0; atom < usable.m_alphabet.size(); ++atom) {
      if (!usable.m_alphabet[atom].common(written).empty()) continue;
      for (State state = 0; state < usable.states(); ++state) usable.m_next[state * usable.m_alphabet.size() + atom] = Language::none;
    }
    const std::vector<bool> ends = usable.reaching(true);
    if (!ends[0]) return;
    m_edges.resize(usable.states());
    m_incoming.assign(usable.states(), 0);
    m_incoming[0] = 1;
    for (State state = 0; state < usable.states(); ++state) {
      for (std::size_t atom = 0; atom < usable.m_alphabet.size(); ++atom) {
        const State to = m_language.next(state, atom);
        if (to != Language::none && ends[to]) m_edges[state][to].add(usable.m_alphabet[atom]);
      }
      for (const auto& [to, set] : m_edges[state])
        if (to != state) ++m_incoming[to];
    }
  }

  NodeId characters(const CharSet& set) {
    if (set == CharSet::everything()) return m_json.character();
    return m_json.characterOf(set).value_or(m_rules.choice({}));
  }

  NodeId reference(State state, int depth) {
    if (m_incoming[state] <= 1 && depth < deepest) return bodyOf(state, depth);
    const auto known = m_ruleOf.find(state);
    if (known != m_ruleOf.end()) return m_rules.rule(known->second);
    const RuleId rule = m_rules.declare("text");
    m_ruleOf.emplace(state, rule);
    m_open.push_back(state);
    return m_rules.rule(rule);
  }

  NodeId bodyOf(State state, int depth) {
    std::vector<NodeId> ways;
    std::optional<NodeId> again;
    for (const auto& [to, set] : m_edges[state]) {
      if (to == state) again = m_rules.repeat(characters(set), 0, unlimited);
      else ways.push_back(m_rules.sequence({characters(set), reference(to, depth + 1)}));
    }
    if (m_language.m_accepts[state]) ways.push_back(m_rules.nothing());
    const NodeId on = m_rules.choice(ways);
    return again ? m_rules.sequence({*again, on}) : on;
  }

  const Language& m_language;
  Rules& m_rules;
  JsonText& m_json;
  std::vector<std::map<State, CharSet>> m_edges;
  std::vector<std::uint32_t> m_incoming;
  std::map<State, RuleId> m_ruleOf;
  std::vector<State> m_open;
};

NodeId Language::write(Rules& rules, JsonText& json) const { return LanguageWriter(*this, rules, json).write(); }

bool Language::canBeWritten() const {
  Language usable = *this;
  for (std::size_t atom = 0; atom < m_alphabet.size(); ++atom)
    for (State state = 0; state < states() && m_alphabet[atom].common(JsonText::writable()).empty(); ++state)
      usable.m_next[state * m_alphabet.size() + atom] = none;
  return usable.reaching(true)[0];
}

}  // namespace minerva::grammar
