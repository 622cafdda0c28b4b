// The request of a chat in the fields of /v1/chat/completions.
#pragma once

#include "core/serve/completion.h"

namespace minerva::serve {

// All fields; no prompt is added to `completion` yet. Errors: those of readCompletion(), readMessages(), readTools(), checkToolSchemas(),
// forceCall().
[[nodiscard]] Result<void> readChat(const Json& body, Context& context, Completion& completion, engine::Request& request);

}  // namespace minerva::serve
