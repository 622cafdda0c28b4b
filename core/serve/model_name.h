// The model a request names, against the one that is served.
#pragma once

#include "core/serve/parse_json.h"

#include <string>
#include <string_view>

namespace minerva::serve {

// As Ollama's clients write a name without a tag: with ":latest".
[[nodiscard]] std::string taggedName(const std::string& name);
// Whether a client means this model: by its name, with that tag or without it.
[[nodiscard]] bool isNameOf(std::string_view asked, std::string_view name);

// Right are no name, the model's, and, as this is the only model, those of OpenAI's and Anthropic's services. Errors: notFound,
// invalidArgument (not a string).
[[nodiscard]] Result<void> checkModelName(const Json& body, const std::string& served);

}  // namespace minerva::serve
