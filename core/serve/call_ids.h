// The ids that tie results of tools to calls.
#pragma once

#include "core/serve/message_style.h"
#include "core/serve/parse_json.h"

namespace minerva::serve {

// Writes ids of the template's form into calls ("id") and results ("tool_call_id"). A result has the id of the latest call that had its id;
// one without belongs to the first call since the last message of the user that has no result yet: Ollama's clients send no ids. Calls
// without an id are numbered.
void giveCallIds(Json& messages, MessageStyle::CallIds form);

}  // namespace minerva::serve
