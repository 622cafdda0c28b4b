// A request of /v1/responses in the fields of /v1/chat/completions.
#pragma once

#include "core/serve/kept_responses.h"
#include "core/serve/responses_tools.h"

namespace minerva::serve {

struct ResponsesChat {
  Json chat = Json::object();
  ResponsesTools tools{};
  bool sealsReasoning = false;  // the client asks for reasoning in encrypted_content
  bool keeps = false;           // the response is to be kept, with these items before it
  Json items = Json::array();
};
// Instructions and items become messages, flat tools nested ones, text.format response_format. Errors: those of wholeConversation();
// unsupported for input that is not text. Tools that the service would run are left out, unless tool_choice demands one: unsupported.
[[nodiscard]] Result<ResponsesChat> chatOfResponses(const Json& body, const KeptResponses* kept = nullptr);
// Of an error about a translated field: names the field that the client sent.
[[nodiscard]] Error inResponsesFields(Error error, const ResponsesTools& tools);

}  // namespace minerva::serve
