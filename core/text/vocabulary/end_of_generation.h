// Which tokens end a reply: the file's own, and the names publishers give them.
#pragma once

#include "core/text/vocabulary/vocabulary.h"

#include <span>

namespace minerva::text {

// Sorted, each once: `named` (ids the file names, absent ones dropped) and the well-known names in the vocabulary.
[[nodiscard]] std::vector<TokenId> endOfGeneration(const Vocabulary& vocabulary, std::span<const TokenId> named);

}  // namespace minerva::text
