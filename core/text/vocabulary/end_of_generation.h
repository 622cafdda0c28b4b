// Determines which tokens end a reply: those declared by the file and those with well-known names.
#pragma once

#include "core/text/vocabulary/vocabulary.h"

#include <span>

namespace minerva::text {

// Returns sorted, unique ids: `named` (declared by the file; unassigned ids are dropped) and well-known names in the
// vocabulary.
[[nodiscard]] std::vector<TokenId> endOfGeneration(const Vocabulary& vocabulary, std::span<const TokenId> named);

}  // namespace minerva::text
