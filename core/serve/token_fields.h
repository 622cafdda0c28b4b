// Token ids in a request, in place of a text.
#pragma once

#include "core/engine/engine.h"
#include "core/serve/parse_json.h"

#include <vector>

namespace minerva::serve {

[[nodiscard]] bool areTokens(const Json& value);  // an array of integers, not empty
// Whether the vocabulary has them is the engine's to say. Precondition: areTokens(value). Errors: invalidArgument (where is `field`).
[[nodiscard]] Result<std::vector<text::TokenId>> tokensOf(const Json& value, const char* field);

// The prompt of a request, as text or as token ids. Errors: invalidArgument.
[[nodiscard]] Result<void> readPrompt(const Json& value, engine::Request& request);

}  // namespace minerva::serve
