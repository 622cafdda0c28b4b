#include "core/base/error.h"

#include "core/base/utf8.h"

namespace minerva {

std::string Error::message() const {
  std::string text = what;
  if (!where.empty()) text += " (" + where + ")";
  if (!expected.empty()) text += ": expected " + expected;
  if (!actual.empty()) text += (expected.empty() ? ": " : ", found ") + actual;
  if (!hint.empty()) text += ". " + hint;
  return utf8::printable(text, utf8::LineFeeds::kept);
}

const char* name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::notFound: return "not found";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::invalidArgument: return "invalid argument";
    case ErrorKind::outOfMemory: return "out of memory";
    case ErrorKind::io: return "input/output";
    case ErrorKind::deviceLost: return "device lost";
    case ErrorKind::memoryLost: return "memory lost";
    case ErrorKind::limit: return "limit";
    case ErrorKind::cancelled: return "cancelled";
    case ErrorKind::internal: return "internal";
  }
  return "internal";
}

}  // namespace minerva
