// Whether a draft model speaks of the same tokens as the model it drafts for: what one of them writes as a number the other must read as
// the same text. A pure function.
#pragma once

#include "core/base/error.h"
#include "core/text/tokenizer.h"

#include <string>

namespace minerva::engine {

// Compares the text of every token that both have. One of them may have more, which are padding or special tokens, and special tokens may
// have different names: none of these is text. A null tokenizer is one that its file does not have. where: the draft model, for errors.
// Errors: unsupported, with the first id that differs, or the tokenizer that is missing.
[[nodiscard]] Result<void> checkSameVocabulary(const text::Tokenizer* target, const text::Tokenizer* draft, const std::string& where);

}  // namespace minerva::engine
