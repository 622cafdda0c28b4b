// Regular expressions as deterministic automata, by sets of threads. A look-ahead is an automaton of its own, which goes along with the
// thread that passed it (a duty) and must accept at the end of the text; so is the end of the text itself.
#include "core/grammar/limits.h"
#include "core/grammar/schema/language.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

namespace minerva::grammar {

class RegexLanguage {
 public:
  using State = Language::State;
  RegexLanguage(const Regex& regex, std::vector<CharSet> alphabet, LanguageBudget& budget)
      : m_regex(regex), m_alphabet(std::move(alphabet)), m_budget(budget) {
    m_sets.resize(regex.nodes.size());
    for (std::size_t i = 0; i < regex.nodes.size(); ++i)
      for (std::size_t atom = 0; atom < m_alphabet.size(); ++atom)
        m_sets[i].push_back(regex.nodes[i].set.contains(m_alphabet[atom].ranges().front().first));
    Language end;  // the empty text
    end.m_alphabet = m_alphabet;
    end.m_next.assign(m_alphabet.size(), Language::none);
    (void)addAutomaton(std::move(end));
  }

  // The texts in which the node is found: anywhere, or at their beginning, which is that of the whole text (atStart) or is not.
  Result<Language> make(std::uint32_t node, bool anywhere, bool atStart) {
    m_program.clear();
    if (anywhere) {
      m_program.push_back({Step::Op::split, 3, 1});
      m_program.push_back({Step::Op::any, 0, 0});
      m_program.push_back({Step::Op::jump, 0, 0});
    }
    compile(node);
    m_program.push_back({Step::Op::found, 0, 0});
    return determine(atStart);
  }

 private:
  struct Step {
    enum class Op : std::uint8_t { chars, any, split, jump, start, end, ahead, found } op;
    std::uint32_t a, b;  // the node, or places in the program
  };
  using Duties = std::vector<std::pair<std::uint32_t, State>>;  // automata and their states, in order
  using Thread = std::pair<std::uint32_t, std::uint32_t>;       // a place in the program, and the number of its duties
  struct Automaton {
    Language language;
    std::vector<bool> canAccept, canRefuse;
  };

  std::uint32_t addAutomaton(Language language) {
    std::vector<bool> accept = language.reaching(true), refuse = language.reaching(false);
    m_automata.push_back({std::move(language), std::move(accept), std::move(refuse)});
    return static_cast<std::uint32_t>(m_automata.size() - 1);
  }

  bool spend(std::size_t steps) {
    const bool enough = steps <= m_budget.steps && m_program.size() <= 4 * limits::languageStates;
    m_budget.steps -= std::min(steps, m_budget.steps);
    return enough;
  }
  [[nodiscard]] static std::unexpected<Error> tooMuch() {
    return fail({.kind = ErrorKind::limit,
                 .what = "A pattern is too large beside what else its text must fulfil, or with what it looks ahead to",
                 .where = "",
                 .expected = "an automaton of at most " + std::to_string(limits::languageStates) + " states, soon made",
                 .actual = "more"});
  }

  void compile(std::uint32_t index) {
    if (!spend(1)) return;
    const RegexNode& node = m_regex.nodes[index];
    const auto here = [&] { return static_cast<std::uint32_t>(m_program.size()); };
    switch (node.kind) {
      case RegexNode::Kind::chars: m_program.push_back({Step::Op::chars, index, 0}); break;
      case RegexNode::Kind::start: m_program.push_back({Step::Op::start, 0, 0}); break;
      case RegexNode::Kind::end: m_program.push_back({Step::Op::end, 0, 0}); break;
      case RegexNode::Kind::ahead: m_program.push_back({Step::Op::ahead, index, 0}); break;
      case RegexNode::Kind::sequence:
        for (const std::uint32_t part : node.parts) compile(part);
        break;
      case RegexNode::Kind::choice: {
        std::vector<std::uint32_t> jumps;
        for (std::size_t i = 0; i < node.parts.size(); ++i) {
          const bool last = i + 1 == node.parts.size();
          const std::uint32_t split = here();
          if (!last) m_program.push_back({Step::Op::split, split + 1, 0});
          compile(node.parts[i]);
          jumps.push_back(here());
          m_program.push_back({Step::Op::jump, 0, 0});
          if (!last) m_program[split].b = here();
        }
        for (const std::uint32_t jump : jumps) m_program[jump].a = here();
        break;
      }
      case RegexNode::Kind::repeat: {
        for (std::uint32_t i = 0; i < node.least && spend(1); ++i) compile(node.parts[0]);
        const std::uint32_t split = here();
        if (node.most == unlimited) {
          m_program.push_back({Step::Op::split, split + 1, 0});
          compile(node.parts[0]);
          m_program.push_back({Step::Op::jump, split, 0});
          m_program[split].b = here();
          break;
        }
        std::vector<std::uint32_t> exits;
        for (std::uint32_t i = node.least; i < node.most && spend(1); ++i) {
          exits.push_back(here());
          m_program.push_back({Step::Op::split, here() + 1, 0});
          compile(node.parts[0]);
        }
        for (const std::uint32_t exit : exits) m_program[exit].b = here();
        break;
      }
    }
  }

  // The automaton of a look-ahead from here on.
  Result<std::uint32_t> automatonOf(std::uint32_t index, bool atStart) {
    const auto known = m_aheads.find({index, atStart});
    if (known != m_aheads.end()) return known->second;
    const RegexNode& node = m_regex.nodes[index];
    RegexLanguage inner(m_regex, m_alphabet, m_budget);
    MINERVA_ASSIGN(Language made, inner.make(node.parts[0], false, atStart));
    const std::uint32_t added = addAutomaton(node.most == 0 ? made.others() : std::move(made));
    m_aheads.emplace(std::pair(index, atStart), added);
    return added;
  }

  std::uint32_t numberOf(Duties duties) {
    std::ranges::sort(duties);
    duties.erase(std::unique(duties.begin(), duties.end()), duties.end());
    const auto [entry, isNew] = m_dutyIds.emplace(duties, static_cast<std::uint32_t>(m_duties.size()));
    if (isNew) m_duties.push_back(std::move(duties));
    return entry->second;
  }
  // With one more duty; false: it cannot be fulfilled.
  bool addDuty(std::uint32_t automaton, State state, Duties& duties) const {
    if (state == Language::none || !m_automata[automaton].canAccept[state]) return false;
    if (m_automata[automaton].canRefuse[state]) duties.emplace_back(automaton, state);
    return true;
  }

  // All places that the thread gets to without a character.
  Result<void> reach(Thread first, bool atStart, std::vector<Thread>& reached, std::unordered_set<std::uint64_t>& seen) {
    std::vector<Thread> open{first};
    while (!open.empty()) {
      const auto [at, duties] = open.back();
      open.pop_back();
      if (!seen.insert(static_cast<std::uint64_t>(at) << 32 | duties).second) continue;
      if (!spend(1)) return tooMuch();
      const Step step = m_program[at];
      switch (step.op) {
        case Step::Op::chars:
        case Step::Op::any:
        case Step::Op::found: reached.emplace_back(at, duties); break;
        case Step::Op::split:
          open.emplace_back(step.b, duties);
          open.emplace_back(step.a, duties);
          break;
        case Step::Op::jump: open.emplace_back(step.a, duties); break;
        case Step::Op::start:
          if (atStart) open.emplace_back(at + 1, duties);
          break;
        case Step::Op::end:
        case Step::Op::ahead: {
          std::uint32_t automaton = 0;
          if (step.op == Step::Op::ahead) {
            MINERVA_ASSIGN(automaton, automatonOf(step.a, atStart));
          }
          Duties more = m_duties[duties];
          if (addDuty(automaton, 0, more)) open.emplace_back(at + 1, numberOf(std::move(more)));
          break;
        }
      }
    }
    return {};
  }

  // The duties after a character; nullopt: one cannot be fulfilled any more.
  std::optional<std::uint32_t> dutiesAfter(std::uint32_t number, std::size_t atom) {
    if (m_duties[number].empty()) return number;
    Duties after;
    for (const auto& [automaton, state] : m_duties[number])
      if (!addDuty(automaton, m_automata[automaton].language.next(state, atom), after)) return std::nullopt;
    return numberOf(std::move(after));
  }

  Result<std::vector<Thread>> threadsAfter(const std::vector<Thread>& threads, std::size_t atom) {
    std::vector<Thread> after;
    std::unordered_set<std::uint64_t> seen;
    for (const auto& [at, duties] : threads) {
      const Step step = m_program[at];
      if (step.op == Step::Op::chars && !m_sets[step.a][atom]) continue;
      const auto kept = dutiesAfter(duties, atom);
      if (!kept) continue;
      MINERVA_TRY(reach({step.op == Step::Op::found ? at : at + 1, *kept}, false, after, seen));
    }
    return after;
  }

  Result<Language> determine(bool atStart) {
    Language out;
    out.m_alphabet = m_alphabet;
    out.m_next.clear();
    out.m_accepts.clear();
    (void)numberOf({});
    std::map<std::vector<Thread>, State> known;
    std::vector<std::vector<Thread>> states;
    const auto stateOf = [&](std::vector<Thread> threads) {
      if (threads.empty()) return Language::none;
      std::ranges::sort(threads);
      // What is found without a duty stays so, whatever else is possible.
      const auto found = std::ranges::find_if(threads, [&](Thread t) { return m_program[t.first].op == Step::Op::found && t.second == 0; });
      if (found != threads.end()) threads = {*found};
      const auto [entry, isNew] = known.emplace(threads, static_cast<State>(states.size()));
      if (isNew) {
        const auto accepts = [&](Thread t) {
          return m_program[t.first].op == Step::Op::found && std::ranges::all_of(m_duties[t.second], [&](const auto& duty) {
                   return m_automata[duty.first].language.m_accepts[duty.second];
                 });
        };
        out.addState(std::ranges::any_of(threads, accepts));
        states.push_back(std::move(threads));
      }
      return entry->second;
    };
    std::vector<Thread> begin;
    std::unordered_set<std::uint64_t> seen;
    MINERVA_TRY(reach({0, 0}, atStart, begin, seen));
    if (stateOf(std::move(begin)) == Language::none) out.addState(false);
    for (State state = 0; state < states.size(); ++state) {
      if (states.size() > limits::languageStates || !spend(m_alphabet.size() * states[state].size())) return tooMuch();
      for (std::size_t atom = 0; atom < m_alphabet.size(); ++atom) {
        MINERVA_ASSIGN(std::vector<Thread> after, threadsAfter(states[state], atom));
        const State to = stateOf(std::move(after));
        out.m_next[state * m_alphabet.size() + atom] = to;
      }
    }
    out.mergeAlike();
    return out;
  }

  const Regex& m_regex;
  const std::vector<CharSet> m_alphabet;
  LanguageBudget& m_budget;
  std::vector<std::vector<bool>> m_sets;  // by node and part of the alphabet
  std::vector<Step> m_program;
  std::vector<Automaton> m_automata;  // the first: the end of the text
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> m_aheads;
  std::vector<Duties> m_duties;  // by number; the first: none
  std::map<Duties, std::uint32_t> m_dutyIds;
};

namespace {

// The nodes below a node without rules, as those of an expression.
std::uint32_t copyNode(const Rules& rules, NodeId id, Regex& regex) {
  const Node& node = rules.nodes()[id];
  RegexNode made;
  if (node.kind == Node::Kind::chars) {
    made.kind = RegexNode::Kind::chars;
    made.set = rules.sets()[node.first];
  } else {
    made.kind = node.kind == Node::Kind::sequence ? RegexNode::Kind::sequence
                : node.kind == Node::Kind::choice ? RegexNode::Kind::choice
                                                  : RegexNode::Kind::repeat;
    for (std::uint32_t i = 0; i < node.count; ++i) made.parts.push_back(copyNode(rules, rules.parts()[node.first + i], regex));
    made.least = node.least;
    made.most = node.most;
  }
  regex.nodes.push_back(std::move(made));
  return static_cast<std::uint32_t>(regex.nodes.size() - 1);
}

}  // namespace

Result<Language> Language::of(const Regex& regex, LanguageBudget& budget) {
  std::vector<CharSet> sets;
  for (const RegexNode& node : regex.nodes)
    if (node.kind == RegexNode::Kind::chars && std::ranges::find(sets, node.set) == sets.end()) sets.push_back(node.set);
  return RegexLanguage(regex, alphabetOf(sets), budget).make(regex.root, true, true);
}

Result<Language> Language::of(const Rules& rules, NodeId node, LanguageBudget& budget) {
  Regex regex;
  regex.nodes = {{.kind = RegexNode::Kind::start, .set = {}, .parts = {}}, {.kind = RegexNode::Kind::end, .set = {}, .parts = {}}};
  const std::uint32_t inner = copyNode(rules, node, regex);
  regex.nodes.push_back({.kind = RegexNode::Kind::sequence, .set = {}, .parts = {0, inner, 1}});
  regex.root = static_cast<std::uint32_t>(regex.nodes.size() - 1);
  return of(regex, budget);
}

}  // namespace minerva::grammar
