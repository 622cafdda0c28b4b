// GBNF, llama.cpp's notation of grammars: rules `name ::= ...` of literals, character classes, groups, alternatives and repetitions
// (* + ? {m} {m,} {m,n}), with # comments. The text begins with rule "root". Its notation of tokens (<[1]>, <name>) is refused.
#pragma once

#include "core/base/error.h"
#include "core/grammar/grammar.h"

#include <memory>
#include <string_view>

namespace minerva::grammar {

// Errors: invalidArgument with line and column; limit; those of Grammar::compile().
[[nodiscard]] Result<std::shared_ptr<const Grammar>> parseGbnf(std::string_view text);

}  // namespace minerva::grammar
