// Errors as clients expect them, those of OpenAI's interface: a status and {"error": {"message", "type", "param", "code"}}.
#pragma once

#include "core/base/error.h"

#include <optional>
#include <string>

namespace minerva::serve {

struct Refusal {
  int status = 400;
  std::string type = "invalid_request_error";
  std::string code{};   // empty: null
  std::string param{};  // the field of the request; empty: null
  std::string message{};
  // Of a prompt that is longer than the context.
  struct Overflow {
    std::string tokens, most, hint;
  };
  std::optional<Overflow> overflow{};
};

// `where` of an error that stands for a full queue: 429 rather than 400.
inline constexpr const char* queueIsFull = "queue";
// The code of a prompt that is longer than the context, of which clients shorten the conversation.
inline constexpr const char* contextCode = "context_length_exceeded";
// `where` of an error that names a model this server does not have: 404.
inline constexpr const char* modelField = "model";

// `where` of an error that names a response this server does not keep: 400, with a code by which clients send the whole conversation.
inline constexpr const char* previousField = "previous_response_id";

// The status follows from the kind, param from `where` if it is a field's name. A prompt that is too long is told in the words by which
// clients recognise that and shorten the conversation: OpenAI's, and in messagesErrorObject() Anthropic's.
[[nodiscard]] Refusal refusalOf(const Error& error);
// The body. Text that is not UTF-8 is repaired.
[[nodiscard]] std::string errorObject(const Refusal& refusal);
// The same as clients of Anthropic's interface expect it: {"type": "error", "error": {"type", "message"}}.
[[nodiscard]] std::string messagesErrorObject(const Refusal& refusal);

}  // namespace minerva::serve
