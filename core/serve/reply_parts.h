// Parts that the replies of several interfaces share.
#pragma once

#include "core/serve/parse_json.h"
#include "core/text/tool_calls.h"

#include <string>

namespace minerva::serve {

// The prefix and 24 random letters and digits.
[[nodiscard]] std::string newId(const char* prefix);
// The arguments as one JSON text, as OpenAI's clients expect them.
[[nodiscard]] std::string argumentsOf(const text::ToolCall& call);
// The same as an object. A value that is not JSON becomes text.
[[nodiscard]] Json argumentsObject(const text::ToolCall& call);

}  // namespace minerva::serve
