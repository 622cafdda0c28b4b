// tool_choice "required", or a named function: the reply is constrained to a call. For models that write calls as JSON between
// <tool_call> markers (the Hermes format).
#pragma once

#include "core/serve/route.h"

namespace minerva::serve {

// Does nothing unless a call is demanded. tools: as readTools() gives them. Errors: invalidArgument (no such tool), unsupported (another
// format of calls, or a schema that cannot be followed).
[[nodiscard]] Result<void> forceCall(const Json& body, const Json& tools, const Context& context, engine::Request& request);

}  // namespace minerva::serve
