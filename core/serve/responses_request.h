// A request of /v1/responses in the fields of /v1/chat/completions.
#pragma once

#include "core/serve/parse_json.h"

namespace minerva::serve {

// Instructions and items become messages, flat tools nested ones, text.format response_format. Errors: invalidArgument; unsupported for
// what needs kept replies (previous_response_id) and input that is not text. Tools that are no functions are left out, unless tool_choice
// demands one: unsupported.
[[nodiscard]] Result<Json> chatOfResponses(const Json& body);
// Of an error about a translated field: names the field that the client sent.
[[nodiscard]] Error inResponsesFields(Error error);

}  // namespace minerva::serve
