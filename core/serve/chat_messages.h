// Messages and tools of OpenAI's interface, as chat templates expect them.
#pragma once

#include "core/serve/parse_json.h"
#include "core/text/template/chat_template.h"

namespace minerva::serve {

// Content parts become one text, "developer" becomes "system"; members that are null, and lists of calls that are empty, are left out.
// callsTakeObjects: the arguments of earlier calls, which clients send as JSON text, become objects; otherwise they are text. Errors:
// invalidArgument, unsupported (images and other parts that are not text).
[[nodiscard]] Result<Json> readMessages(const Json& body, bool callsTakeObjects);
// Null if there are none or tool_choice is "none". Errors: invalidArgument. A choice that demands a call: forced_call.h.
[[nodiscard]] Result<Json> readTools(const Json& body);
// Whether the template can render a call whose arguments are an object; some only join text.
[[nodiscard]] bool takesArgumentObjects(const text::ChatTemplate& chatTemplate);

}  // namespace minerva::serve
