// Determines which tokens end a reply: those declared by the file, those with well-known names, and those that the chat template writes
// between turns.
#pragma once

#include "core/text/vocabulary/vocabulary.h"

#include <span>

namespace minerva::text {

// Returns sorted, unique ids: `named` (declared by the file; unassigned ids are dropped) and well-known names in the
// vocabulary. templateSource: the model's chat template; empty if it has none.
[[nodiscard]] std::vector<TokenId> endOfGeneration(const Vocabulary& vocabulary, std::span<const TokenId> named,
                                                   std::string_view templateSource);

}  // namespace minerva::text
