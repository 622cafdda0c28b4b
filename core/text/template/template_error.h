// The exception of the template engine's internals; it never leaves parse() or render().
#pragma once

#include "core/base/error.h"

#include <string>
#include <utility>

namespace minerva::text::jinja {

struct Position {
  int line = 0;    // from 1; 0: unknown
  int column = 0;  // from 1, in characters
};

struct TemplateError {
  ErrorKind kind = ErrorKind::corrupt;
  std::string message;
  Position position;  // filled in by the interpreter if unknown where it is thrown
};

[[noreturn]] inline void raise(std::string message, Position position = {}) {
  throw TemplateError{ErrorKind::corrupt, std::move(message), position};
}
[[noreturn]] inline void raiseLimit(std::string message, Position position = {}) {
  throw TemplateError{ErrorKind::limit, std::move(message), position};
}

}  // namespace minerva::text::jinja
