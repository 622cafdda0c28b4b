// The items of a conversation of /v1/responses as messages of a chat.
#pragma once

#include "core/serve/responses_tools.h"

namespace minerva::serve {

// before: how many of the items are of earlier requests. instructions: null without any. tools: of the request, whose names earlier calls
// get. Items that a service wrote for itself (searches, compaction) are left out. Errors: invalidArgument, unsupported.
[[nodiscard]] Result<Json> messagesOfItems(const Json& items, std::size_t before, const Json& instructions, const ResponsesTools& tools);

// What "encrypted_content" of reasoning holds, the only part of it that some clients keep and send back. Nothing is encrypted: the text is
// theirs.
[[nodiscard]] std::string sealedReasoning(const std::string& text);

}  // namespace minerva::serve
