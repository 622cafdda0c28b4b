// The model a request names, against the one that is served.
#pragma once

#include "core/serve/parse_json.h"

#include <string>

namespace minerva::serve {

// No name, the model's, and the model's with Ollama's tag ":latest" are right. Errors: notFound, invalidArgument (not a string).
[[nodiscard]] Result<void> checkModelName(const Json& body, const std::string& served);

}  // namespace minerva::serve
