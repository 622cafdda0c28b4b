// tool_choice "required", or a named function: the reply is constrained to a call, in the model's own form if that is one of
// text::callForms() and can express what the tools' schemas say, otherwise in one without markers. Schemas of tools that are not `strict`
// are followed as far as they can be.
#pragma once

#include "core/serve/route.h"
#include "core/serve/tool_choice.h"

namespace minerva::serve {

// Does nothing unless a call is demanded; a format of the reply then waits for a turn without one. tools: as readTools() gives them;
// parallel: there may be several calls, in formats that mark each. Errors: invalidArgument (no such tool, or a name that cannot be
// written), unsupported (a chat template that knows no tools, or a schema that cannot be followed).
[[nodiscard]] Result<void> forceCall(const ToolChoice& choice, const Json& tools, bool parallel, const Context& context,
                                     engine::Request& request);

}  // namespace minerva::serve
