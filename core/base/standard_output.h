// Whether what a program printed has arrived.
#pragma once

#include "core/base/error.h"

namespace minerva {

// Writes what is still in stdout's buffer. Errors: io, if that or anything printed before could not be written (a full disk).
[[nodiscard]] Result<void> flushStandardOutput();

}  // namespace minerva
