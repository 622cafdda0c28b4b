// What tests of grammars have in common.
#pragma once

#include "core/grammar/automaton.h"
#include "core/grammar/gbnf.h"

#include <gtest/gtest.h>

#include <memory>
#include <string_view>

namespace minerva::grammar {

using GrammarPointer = std::shared_ptr<const Grammar>;

inline GrammarPointer gbnf(std::string_view text) {
  auto made = parseGbnf(text);
  EXPECT_TRUE(made) << text << "\n" << made.error().message();
  return made ? *made : nullptr;
}

// The text is one of the grammar's, from its beginning to its end.
inline bool takes(const GrammarPointer& grammar, std::string_view text) {
  Automaton automaton(grammar);
  Automaton::State state = automaton.start();
  for (const char c : text) state = automaton.next(state, static_cast<unsigned char>(c));
  return state != Automaton::dead && automaton.canEnd(state);
}

}  // namespace minerva::grammar
