// Runs a grammar over bytes: a pushdown automaton whose states (sets of all the ways in which the text so far can be read) are made and
// numbered when they are first reached, so that a step over a byte is a look-up from then on.
//
// Not thread-safe. States are valid for this automaton's lifetime.
#pragma once

#include "core/grammar/grammar.h"

#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minerva::grammar {

class Automaton {
 public:
  using State = std::uint32_t;
  static constexpr State dead = 0;  // the text cannot be read
  static constexpr int ascii = 128;

  explicit Automaton(std::shared_ptr<const Grammar> grammar);

  [[nodiscard]] State start() const { return m_start; }
  [[nodiscard]] State next(State state, unsigned char byte) {
    const State known = m_table[state][byte];
    return known != unknown ? known : make(state, byte);
  }
  [[nodiscard]] bool canEnd(State state) const { return m_states[state].canEnd; }
  // Nothing but the end is possible.
  [[nodiscard]] bool mustEnd(State state) const { return canEnd(state) && m_states[state].count == 0; }

  // All states from `state` by one of the characters of a class (`inClass`: those of ASCII; beyond: all others) are the same one,
  // or dead if they are not or the text ends there.
  [[nodiscard]] State nextBeyondAscii(State state);

  [[nodiscard]] std::size_t states() const { return m_states.size(); }
  [[nodiscard]] std::size_t configurations() const { return m_configurations.size(); }
  // Allows limits::work again; called for each token.
  void beginToken() {
    m_work = 0;
    m_workSpent = false;
  }
  // States that were reached since beginToken() were taken as dead, because they took too much work; the next token may try again.
  [[nodiscard]] bool workSpent() const { return m_workSpent; }
  // A state has more than limits::configurations ways to be read; such states are taken as dead.
  [[nodiscard]] bool tooAmbiguous() const { return m_tooAmbiguous; }
  // The same state in a new automaton, which knows no other.
  [[nodiscard]] std::pair<std::shared_ptr<Automaton>, State> anew(State state) const;

 private:
  static constexpr State unknown = 0xFFFFFFFF;
  using Stack = std::uint32_t;  // its top frame; 0: empty
  struct Frame {
    Stack below;
    std::uint32_t at;     // the instruction to go on with, or the repetition
    std::uint32_t count;  // repetitions done
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  struct FrameHash {
    std::size_t operator()(const Frame& f) const;
  };
  // Waits at a `chars` instruction for a character, of which `partial` bytes have been read (utf8_step.h; 0: none).
  struct Configuration {
    std::uint32_t at, partial;
    Stack stack;
    friend auto operator<=>(const Configuration&, const Configuration&) = default;
  };
  struct Known {
    std::size_t first = 0;  // in m_configurations
    std::uint32_t count = 0;
    bool canEnd = false;
    State beyond = unknown;  // see nextBeyondAscii()
  };
  // A configuration within a bounded repetition that may end with it.
  struct Counted {
    std::uint32_t at, partial;
    Stack below;
    std::uint32_t loop, count;
    Stack stack;
    friend auto operator<=>(const Counted&, const Counted&) = default;
  };
  struct Point {
    std::uint32_t at;
    Stack stack;
    friend bool operator==(const Point&, const Point&) = default;
  };

  [[nodiscard]] State make(State state, unsigned char byte);
  [[nodiscard]] State number();
  void dropCovered();
  [[nodiscard]] Stack push(const Frame& frame);
  void reach(std::uint32_t at, Stack stack);
  void follow();
  void visit(const Point& point);
  void repeat(std::uint32_t at, std::uint32_t count, Stack below);
  void finish(Stack stack);
  [[nodiscard]] bool finishes(std::uint32_t at) const;
  [[nodiscard]] Stack copy(const Automaton& other, Stack stack);
  [[nodiscard]] std::span<const Configuration> configurationsOf(State state) const {
    return std::span(m_configurations).subspan(m_states[state].first, m_states[state].count);
  }

  std::shared_ptr<const Grammar> m_grammar;
  std::vector<Frame> m_frames{{}};
  std::unordered_map<Frame, Stack, FrameHash> m_frameIds;
  std::vector<Known> m_states;
  std::vector<std::array<State, 256>> m_table;
  std::vector<Configuration> m_configurations;  // of all states
  std::unordered_multimap<std::uint64_t, State> m_stateIds;
  State m_start = dead;
  bool m_tooAmbiguous = false;
  std::size_t m_work = 0;
  bool m_workSpent = false;
  // The state that is being made.
  std::vector<Point> m_open, m_seen;
  std::unordered_map<std::uint64_t, bool> m_seenMany;
  std::vector<Configuration> m_made;
  std::vector<Counted> m_counted;
  bool m_madeCanEnd = false;
};

}  // namespace minerva::grammar
