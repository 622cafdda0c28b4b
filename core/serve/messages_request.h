// A request of /v1/messages, Anthropic's interface, in the fields of /v1/chat/completions.
#pragma once

#include "core/serve/parse_json.h"

namespace minerva::serve {

// Blocks become texts, calls and results of tools. What only a hosted service has a use for is left out, also the tools that it would run
// itself. Errors: invalidArgument; unsupported for images and other input that is not text.
[[nodiscard]] Result<Json> chatOfMessages(const Json& body);
// Of an error about a translated field: names the field that the client sent, in this body.
[[nodiscard]] Error inMessagesFields(Error error, const Json& body);

}  // namespace minerva::serve
