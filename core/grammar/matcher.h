// Follows one reply through a grammar. Copies are independent; they share tables, so all stay on one thread.
#pragma once

#include "core/grammar/tables.h"

#include <memory>
#include <span>
#include <string_view>

namespace minerva::grammar {

class Matcher {
 public:
  explicit Matcher(std::shared_ptr<Tables> tables) : m_tables(std::move(tables)), m_state(m_tables->automaton().start()) {}

  // Goes on by these bytes. False: the grammar does not allow them, and nothing changes.
  [[nodiscard]] bool accept(std::string_view bytes);
  // The text so far is whole. mustEnd(): and nothing may follow.
  [[nodiscard]] bool canEnd() const { return m_tables->automaton().canEnd(m_state); }
  [[nodiscard]] bool mustEnd() const { return m_tables->automaton().mustEnd(m_state); }
  // A bit per token id that may come next; valid until the next call. atStart: the next token begins a text.
  [[nodiscard]] std::span<const std::uint64_t> mask(bool atStart = false);
  // The grammar can be read in too many ways at once, so that allowed text is refused.
  [[nodiscard]] bool tooAmbiguous() const { return m_workSpent || m_tables->automaton().tooAmbiguous(); }

 private:
  std::shared_ptr<Tables> m_tables;
  Automaton::State m_state;
  bool m_workSpent = false;
};

}  // namespace minerva::grammar
