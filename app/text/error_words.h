// The engine's errors in the window's language.
//
// core knows one language: its errors are English sentences, which logs, the terminal and the server show as they are. In the window a
// sentence is looked up as a whole or, if it holds values such as the name of a tensor, by its pattern in error_patterns.h. Both are
// found in the sources by resources/translations/update. A sentence without translation stays as it is.
#pragma once

#include "core/base/error.h"

#include <QString>

namespace minerva::app {

[[nodiscard]] QString shownSentence(const std::string& english);  // Error::what, Error::hint, a warning
[[nodiscard]] QString shownFigure(const std::string& english);    // Error::expected, Error::actual
// "what: expected X, found Y"
[[nodiscard]] QString shownReason(const Error& error);
// One line, as Error::message().
[[nodiscard]] QString shownMessage(const Error& error);

}  // namespace minerva::app
