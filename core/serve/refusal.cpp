#include "core/serve/refusal.h"

#include "core/engine/prompt.h"
#include "core/serve/parse_json.h"

#include <algorithm>

namespace minerva::serve {
namespace {

bool isFieldName(const std::string& where) {
  return !where.empty() && std::ranges::all_of(where, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '$' || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '[' ||
           c == ']';
  });
}

// That of "at most 4095 tokens".
std::string figureIn(const std::string& text) {
  constexpr const char* digits = "0123456789";
  const std::size_t begin = text.find_first_of(digits);
  return begin == std::string::npos ? text : text.substr(begin, text.find_first_not_of(digits, begin) - begin);
}

void tellOverflow(const Error& error, Refusal& refusal) {
  refusal.code = contextCode;
  refusal.overflow = {.tokens = figureIn(error.actual), .most = figureIn(error.expected), .hint = error.hint};
  const auto& [tokens, most, hint] = *refusal.overflow;
  refusal.message =
      "This model's maximum context length is " + most + " tokens and one for the reply, but the prompt has " + tokens + ". " + hint;
}

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Refusal refusalOf(const Error& error) {
  Refusal refusal{.message = error.message()};
  if (isFieldName(error.where)) refusal.param = error.where;
  switch (error.kind) {
    case ErrorKind::notFound:
      refusal.code = error.where == modelField      ? "model_not_found"
                     : error.where == previousField ? "previous_response_not_found"
                                                    : "not_found";
      if (error.where != previousField) refusal.status = 404;
      break;
    case ErrorKind::limit:
      if (error.where != queueIsFull) break;
      refusal = {.status = 429, .type = "rate_limit_error", .code = "queue_full", .message = refusal.message};
      break;
    case ErrorKind::unsupported: refusal.code = "unsupported"; break;
    case ErrorKind::invalidArgument:
      if (error.where == engine::contextField) tellOverflow(error, refusal);
      break;
    case ErrorKind::corrupt: break;
    case ErrorKind::outOfMemory:
    case ErrorKind::cancelled: refusal = {.status = 503, .type = "server_error", .code = "unavailable", .message = refusal.message}; break;
    case ErrorKind::io:
    case ErrorKind::deviceLost:
    case ErrorKind::memoryLost:
    case ErrorKind::internal: refusal = {.status = 500, .type = "server_error", .code = "internal", .message = refusal.message}; break;
  }
  return refusal;
}

std::string errorObject(const Refusal& refusal) {
  return written(Json{
      {"error", {{"message", refusal.message}, {"type", refusal.type}, {"param", orNull(refusal.param)}, {"code", orNull(refusal.code)}}}});
}

std::string messagesErrorObject(const Refusal& refusal) {
  const auto typeOf = [&] {
    switch (refusal.status) {
      case 404: return "not_found_error";
      case 413: return "request_too_large";
      case 500: return "api_error";
      case 503: return "overloaded_error";
      default: return refusal.type.c_str();
    }
  };
  std::string message = refusal.message;
  if (refusal.overflow) {
    const auto& [tokens, most, hint] = *refusal.overflow;
    message = "prompt is too long: " + tokens + " tokens > " + most + " maximum. " + hint;
  }
  return written(Json{{"type", "error"}, {"error", {{"type", typeOf()}, {"message", message}}}, {"request_id", nullptr}});
}

}  // namespace minerva::serve
