// The tools of a request as grammars take them, and what is wrong with their schemas.
#pragma once

#include "core/grammar/tool_call.h"
#include "core/serve/format_fields.h"
#include "core/serve/tool_choice.h"

#include <vector>

namespace minerva::serve {

// Those that the choice allows. tools: as readTools() gives them; null: none.
[[nodiscard]] std::vector<grammar::CallableTool> callableTools(const Json& tools, const ToolChoice& choice);
[[nodiscard]] bool isStrict(const grammar::CallableTool& tool);

// The parameters of each tool are a schema, and those of a strict one can be followed to the letter, whether or not a call will be. Errors
// name the tool and the field: invalidArgument, unsupported, limit.
[[nodiscard]] Result<void> checkToolSchemas(const Json& tools, Grammars& grammars);

}  // namespace minerva::serve
