// A thread, or word that the system has none to give, where the constructor of std::jthread throws.
#pragma once

#include "core/base/error.h"

#include <system_error>
#include <thread>

namespace minerva {

// The thread runs a copy of the function, which may take a std::stop_token. One that ran before is joined. Errors: outOfMemory; then the
// thread stays what it was.
template <class Function>
[[nodiscard]] Result<void> startThread(std::jthread& thread, const Function& function) try {
  thread = std::jthread(function);
  return {};
} catch (const std::system_error&) {
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "The system has no thread to give",
               .where = "thread",
               .hint = "Close other programs and try again"});
}

}  // namespace minerva
