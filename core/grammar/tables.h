// A grammar's automaton for one vocabulary, with the masks of allowed tokens that were needed so far. Shared by replies with the same
// grammar, on one thread.
#pragma once

#include "core/grammar/automaton.h"
#include "core/grammar/limits.h"
#include "core/grammar/vocabulary.h"

#include <memory>
#include <unordered_map>

namespace minerva::grammar {

// A model's tokens. Tokenizers that drop a leading space have other bytes for the first token of a text.
struct Vocabularies {
  std::shared_ptr<const Vocabulary> inside;
  std::shared_ptr<const Vocabulary> atStart;  // the same as `inside` if no token differs
};

class Tables {
 public:
  using State = Automaton::State;

  Tables(std::shared_ptr<const Grammar> grammar, Vocabularies vocabularies)
      : Tables(std::make_shared<Automaton>(std::move(grammar)), std::move(vocabularies)) {}

  [[nodiscard]] Automaton& automaton() { return *m_automaton; }
  // A bit per token that may come next; none if that took too much work (Automaton::workSpent()). Valid until the next call.
  [[nodiscard]] std::span<const std::uint64_t> mask(State state, bool atStart);
  // There are more states than should be kept.
  [[nodiscard]] bool full() const { return m_automaton->states() > m_mostStates || m_automaton->configurations() > limits::kept; }
  // The same without all states but this one, whose number changes.
  [[nodiscard]] std::shared_ptr<Tables> anew(State& state) const;

 private:
  // How a state goes on by characters of these groups: to `next`, for which the same may hold.
  struct Run {
    Groups groups = 0;
    State next = Automaton::dead;
    bool known = false;
    // How many such characters may follow one another, at least; `last` is the state after them.
    int length = 0;
    State last = Automaton::dead;
  };

  Tables(std::shared_ptr<Automaton> automaton, Vocabularies vocabularies);
  [[nodiscard]] Mask make(State state, const Vocabulary& vocabulary);
  void walk(State state, const Vocabulary& vocabulary, Groups pure, int pureLength, Mask& mask);
  [[nodiscard]] Run& runOf(State state);
  [[nodiscard]] const Run& measuredRunOf(State state);

  std::shared_ptr<Automaton> m_automaton;
  Vocabularies m_vocabularies;
  std::size_t m_mostStates;
  std::unordered_map<std::uint64_t, Mask> m_masks;
  Mask m_none;              // in place of one that was not finished
  std::vector<Run> m_runs;  // by state
};

}  // namespace minerva::grammar
