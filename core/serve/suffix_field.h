// "suffix" in a request: the text behind the one that is asked for, as editors send it.
#pragma once

#include "core/serve/route.h"

namespace minerva::serve {

// Makes of request.prompt the tokens that ask for what is between it and the suffix; nothing without one, or with an empty one. Errors:
// invalidArgument (no text; a prompt of token ids), unsupported (the model has no tokens for that).
[[nodiscard]] Result<void> readSuffix(const Json& body, const Context& context, engine::Request& request);
// The tokens that ask for what is between two texts. field: that of the latter. Error: unsupported, as above.
[[nodiscard]] Result<std::vector<text::TokenId>> infillTokens(const Context& context, const std::string& before, const std::string& after,
                                                              const char* field);

}  // namespace minerva::serve
