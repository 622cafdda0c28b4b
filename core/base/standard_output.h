// Whether what a program printed has arrived.
#pragma once

#include "core/base/error.h"

#include <string_view>

namespace minerva {

// Prints the text at once. Whoever prints much, and is told here that nobody gets it, can stop. Errors: io.
[[nodiscard]] Result<void> writeStandardOutput(std::string_view text);
// Writes what is still in stdout's buffer. Errors: io, if that or anything printed before could not be written (a full disk); with the
// reason, unless printf met it.
[[nodiscard]] Result<void> flushStandardOutput();

}  // namespace minerva
