// Regular languages as deterministic automata over characters, so that what several keywords ask of one text can hold at once.
#pragma once

#include "core/base/error.h"
#include "core/grammar/rules.h"
#include "core/grammar/schema/json_text.h"
#include "core/grammar/schema/regex.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::grammar {

// What may still be spent on the languages of one schema, in steps of an automaton.
struct LanguageBudget {
  std::size_t steps = 0;
};

// Errors of all that makes one: limit, without `where`.
class Language {
 public:
  using State = std::uint32_t;
  static constexpr State none = 0xFFFFFFFF;

  // All texts.
  Language();
  // The texts in which the expression is found.
  [[nodiscard]] static Result<Language> of(const Regex& regex, LanguageBudget& budget);
  // The texts of a node without rules.
  [[nodiscard]] static Result<Language> of(const Rules& rules, NodeId node, LanguageBudget& budget);
  // Just these texts.
  [[nodiscard]] static Result<Language> of(const std::vector<std::string>& texts, LanguageBudget& budget);
  [[nodiscard]] static Result<Language> ofLength(std::uint32_t least, std::uint32_t most, LanguageBudget& budget);
  // Whole numbers, with `decimals` digits or fewer after a point, that are multiples of step / 10^decimals.
  [[nodiscard]] static Result<Language> ofMultiples(std::uint32_t step, std::uint32_t decimals, LanguageBudget& budget);

  [[nodiscard]] Result<Language> both(const Language& other, LanguageBudget& budget) const;
  // Each of its texts is one of the other's.
  [[nodiscard]] Result<bool> within(const Language& other, LanguageBudget& budget) const;
  [[nodiscard]] Language others() const;  // all texts but these
  [[nodiscard]] bool contains(std::string_view utf8) const;

  // As characters of a JSON string. Without a text that can be written there: matches nothing at all.
  [[nodiscard]] NodeId write(Rules& rules, JsonText& json) const;
  [[nodiscard]] bool canBeWritten() const;

 private:
  friend class RegexLanguage;
  friend class LanguageWriter;
  [[nodiscard]] std::size_t states() const { return m_accepts.size(); }
  [[nodiscard]] State next(State state, std::size_t atom) const { return m_next[state * m_alphabet.size() + atom]; }
  State addState(bool accepts);
  [[nodiscard]] static std::vector<CharSet> alphabetOf(const std::vector<CharSet>& sets);
  // The states from which one that accepts (or does not: a missing one included) is reached.
  [[nodiscard]] std::vector<bool> reaching(bool accepting) const;
  void mergeAlike();

  std::vector<CharSet> m_alphabet;  // disjoint, all characters together
  std::vector<State> m_next;        // by state and part of the alphabet
  std::vector<bool> m_accepts;      // by state; the first is the start
};

}  // namespace minerva::grammar
