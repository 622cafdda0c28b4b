#include "core/base/standard_output.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace minerva {
namespace {

// The reason of the first failure. A stream keeps only that there was one, and what it failed to write is gone.
std::atomic<int> failure = 0;

Result<void> whetherWritten(bool written) {
  const int now = errno;
  if (written && std::ferror(stdout) == 0) return {};
  int reason = 0;
  if (failure.compare_exchange_strong(reason, now)) reason = now;
  return fail({.kind = ErrorKind::io,
               .what = "the output could not be written",
               .where = "standard output",
               .expected = {},
               .actual = reason != 0 ? std::strerror(reason) : "",
               .hint = {}});
}

}  // namespace

Result<void> writeStandardOutput(std::string_view text) {
  errno = 0;
  const bool taken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return whetherWritten(taken && std::fflush(stdout) == 0);
}

Result<void> flushStandardOutput() {
  errno = 0;
  return whetherWritten(std::fflush(stdout) == 0);
}

}  // namespace minerva
