// Calls of tools that follow the tools' schemas.
//
// tool_choice "required", or a named function: the reply is constrained to a call, in the model's own form if that is one of
// text::callForms() and can express what the tools' schemas say, otherwise in one without markers; so is that of a model that is told of
// tools in words. Schemas of tools that are not `strict` are followed as far as they can be. A call that the model begins by itself follows
// its schema if all tools are strict, and one token shows that it begins.
#pragma once

#include "core/serve/route.h"
#include "core/serve/tool_choice.h"

namespace minerva::serve {

// Does nothing unless a call is demanded; a format of the reply then waits for a turn without one. tools: as readTools() gives them;
// parallel: there may be several calls, in formats whose markers show where each begins. Errors: invalidArgument (no such tool, or a name
// that cannot be written), unsupported (a chat template that knows no tools, or a schema that cannot be followed).
[[nodiscard]] Result<void> forceCall(const ToolChoice& choice, const Json& tools, bool parallel, const Context& context,
                                     engine::Request& request);
// Does nothing unless the model may choose. parallel: between the same markers there may be several calls, in formats that have it so.
[[nodiscard]] Result<void> guideCalls(const ToolChoice& choice, const Json& tools, bool parallel, const Context& context,
                                      engine::Request& request);

}  // namespace minerva::serve
