#include "core/base/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace minerva {

Result<void> flushStandardOutput() {
  const bool failedBefore = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failedBefore) return {};
  return fail({.kind = ErrorKind::io,
               .what = "the output could not be written",
               .where = "standard output",
               .expected = {},
               .actual = errno != 0 ? std::strerror(errno) : "",
               .hint = {}});
}

}  // namespace minerva
