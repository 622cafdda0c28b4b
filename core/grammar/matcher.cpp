#include "core/grammar/matcher.h"

namespace minerva::grammar {

bool Matcher::accept(std::string_view bytes) {
  Automaton::State state = m_state;
  m_tables->automaton().beginToken();
  for (const char c : bytes) {
    state = m_tables->automaton().next(state, static_cast<unsigned char>(c));
    if (state == Automaton::dead) {
      m_workSpent = m_workSpent || m_tables->automaton().workSpent();
      return false;
    }
  }
  m_state = state;
  if (m_tables->full()) m_tables = m_tables->anew(m_state);
  return true;
}

std::span<const std::uint64_t> Matcher::mask(bool atStart) {
  const std::span<const std::uint64_t> made = m_tables->mask(m_state, atStart);
  m_workSpent = m_workSpent || m_tables->automaton().workSpent();
  return made;
}

}  // namespace minerva::grammar
