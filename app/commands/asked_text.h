// What `minerva ask` is to answer.
#pragma once

#include "core/base/error.h"

#include <QString>

#include <string>

namespace minerva::app {

// argument: a text, to which a pipe or a file on standard input is added after an empty line; "-" or nothing: standard input alone, unless
// it is a terminal. An empty text: there was none. Errors: io, limit, corrupt (not UTF-8).
[[nodiscard]] Result<std::string> askedText(const QString& argument);

}  // namespace minerva::app
