// Whole replies that are not JSON: one of some texts, or a text that a regular expression describes.
#pragma once

#include "core/base/error.h"
#include "core/grammar/grammar.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::grammar {

// Errors: those of Grammar::compile(); no texts are one that nothing fulfils.
[[nodiscard]] Result<std::shared_ptr<const Grammar>> choiceGrammar(const std::vector<std::string>& texts);
// The expression is that of the whole text. Errors: unsupported (anchors within it, look-ahead), invalidArgument, limit; without `where`.
[[nodiscard]] Result<std::shared_ptr<const Grammar>> patternGrammar(std::string_view pattern);

}  // namespace minerva::grammar
