// Token ids in a request, in place of a text.
#pragma once

#include "core/serve/parse_json.h"
#include "core/text/tokenizer.h"

#include <vector>

namespace minerva::serve {

[[nodiscard]] bool areTokens(const Json& value);  // an array of integers, not empty
// Whether the vocabulary has them is the engine's to say. Precondition: areTokens(value). Errors: invalidArgument (where is `field`).
[[nodiscard]] Result<std::vector<text::TokenId>> tokensOf(const Json& value, const char* field);

}  // namespace minerva::serve
