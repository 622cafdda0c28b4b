#include "app/commands/asked_text.h"

#include "core/base/utf8.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace minerva::app {
namespace {

constexpr std::size_t mostRead = std::size_t{16} << 20;  // more than the context of any model
constexpr std::size_t pieceBytes = std::size_t{1} << 16;
constexpr int silenceMs = 1000;

// What starts Minerva without saying where its input comes from passes on a terminal or /dev/null, which are nothing to read.
bool isPipeOrFile() {
  struct stat status {};
  return fstat(STDIN_FILENO, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

// A pipe that nobody closes would look like a model that takes its time.
void sayIfSilent() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&input, 1, silenceMs) == 0) std::fprintf(stderr, "waiting for the text on standard input (without one: < /dev/null)\n");
}

std::unexpected<Error> inputError(ErrorKind kind, const char* what, std::string expected, std::string actual) {
  return fail(
      {.kind = kind, .what = what, .where = "standard input", .expected = std::move(expected), .actual = std::move(actual), .hint = {}});
}

Result<std::string> readInput() {
  sayIfSilent();
  std::string text;
  std::array<char, pieceBytes> piece{};
  for (ssize_t count = 0; (count = read(STDIN_FILENO, piece.data(), piece.size())) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return inputError(ErrorKind::io, "the text could not be read", {}, std::strerror(errno));
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > mostRead)
      return inputError(ErrorKind::limit, "the text is too long", "at most " + std::to_string(mostRead) + " bytes", "more");
  }
  if (!utf8::isValid(text)) return inputError(ErrorKind::corrupt, "the text cannot be read as UTF-8", {}, "bytes that are no characters");
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

}  // namespace

Result<std::string> askedText(const QString& argument) {
  if (argument.isEmpty() || argument == QLatin1String("-")) {
    if (isatty(STDIN_FILENO) != 0) return std::string();
    return readInput();
  }
  if (!isPipeOrFile()) return argument.toStdString();
  MINERVA_ASSIGN(const std::string added, readInput());
  return argument.toStdString() + (added.empty() ? "" : "\n\n" + added);
}

}  // namespace minerva::app
