// Drafts from the conversation itself: what followed the last tokens when they occurred before, in the prompt or in the reply. Code that is
// edited, text that is quoted or summarised, and names repeat what is there. No model is needed (prompt lookup decoding, Saxena 2023).
#pragma once

#include "core/text/tokenizer.h"

#include <span>
#include <vector>

namespace minerva::engine {

struct LookupDraft {
  std::vector<text::TokenId> tokens;  // empty: nothing was found
  int matched = 0;                    // last tokens that are the same there, at most LookupDraft::longest
  static constexpr int shortest = 2, longest = 16;
};

// The tokens after the latest of the longest earlier occurrences of the last tokens, `most` of them. Where these run into the last tokens,
// text repeats itself and is drafted as going on so. Takes a time in proportion to the number of tokens, some microseconds for thousands.
[[nodiscard]] LookupDraft lookUpDraft(std::span<const text::TokenId> tokens, int most);

}  // namespace minerva::engine
