// Messages and tools of OpenAI's interface, as chat templates expect them.
#pragma once

#include "core/serve/message_style.h"
#include "core/serve/parse_json.h"

namespace minerva::serve {

// Content parts become one text, "developer" becomes "system"; members that are null, and lists of calls that are empty, are left out.
// What else templates differ in is written as `style` has it: arguments and ids of earlier calls (call_ids.h), several calls of a turn,
// several system messages at the beginning. Reasoning has both names that templates know. Errors: invalidArgument, unsupported (images and
// other parts that are not text).
[[nodiscard]] Result<Json> readMessages(const Json& body, const MessageStyle& style);
// Whether the reply goes on with the final message: as continue_final_message says; without it, if that is a text of the assistant's with
// no calls, unless add_generation_prompt asks for a new turn. messages: as readMessages() gives them. Errors: invalidArgument.
[[nodiscard]] Result<bool> continuesFinalMessage(const Json& body, const Json& messages);
// Null if there are none. Errors: invalidArgument. Which of them the model may call: tool_choice.h.
[[nodiscard]] Result<Json> readTools(const Json& body);

}  // namespace minerva::serve
