// The fields that choose tokens and end a reply, under the names of OpenAI's interface and of vLLM's and llama-server's extensions.
#pragma once

#include "core/engine/engine.h"
#include "core/serve/parse_json.h"

namespace minerva::serve {

// Fields that are not given leave what the request has (the model's recommendation). Errors: invalidArgument, unsupported.
[[nodiscard]] Result<void> readSampling(const Json& body, engine::Request& request);

}  // namespace minerva::serve
