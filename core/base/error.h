// Errors that tell the user what to do. Every fallible function of Minerva returns Result<T>.
//
// An Error is filled in where the facts are known: `what` is one plain sentence without the path, `where` names the file,
// tensor or offset, `expected` and `actual` carry figures, `hint` says what to do next. message() omits empty
// fields and replaces control characters: a field may quote a file. A value type.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace minerva {

enum class ErrorKind {
  notFound,         // a file, tensor or device that should exist does not
  corrupt,          // bytes contradict their own format
  unsupported,      // well formed, but not something this build can run
  invalidArgument,  // the caller asked for something impossible
  outOfMemory,      // memory of the host or of a device
  io,               // the operating system refused or failed
  deviceLost,       // a GPU stopped answering
  memoryLost,       // a GPU kept nothing of its memory while the system slept
  limit,            // a time, size or nesting limit of ours
  cancelled,        // the user stopped it
  internal,         // our own mistake
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string what{};
  std::string where{};
  std::string expected{};
  std::string actual{};
  std::string hint{};

  // One line: "what (where): expected X, found Y. hint"; without an expectation "what (where): Y. hint"
  [[nodiscard]] std::string message() const;
};

// Stable lower-case name of a kind, for logs and JSON: "corrupt", "out of memory", ...
[[nodiscard]] const char* name(ErrorKind kind);

// Whether what was on a GPU is gone, so that it must be loaded again on a new device.
[[nodiscard]] inline bool losesDevice(ErrorKind kind) { return kind == ErrorKind::deviceLost || kind == ErrorKind::memoryLost; }

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace minerva

// Returns from the enclosing function with the error of `expression` (a Result), if there is one.
#define MINERVA_TRY(expression)                                                                                   \
  do {                                                                                                            \
    if (auto minervaTried = (expression); !minervaTried) return ::minerva::fail(std::move(minervaTried.error())); \
  } while (false)

#define MINERVA_CONCAT_INNER(a, b) a##b
#define MINERVA_CONCAT(a, b) MINERVA_CONCAT_INNER(a, b)
// MINERVA_ASSIGN(auto x, expression): declares x from a Result's value or returns its error.
#define MINERVA_ASSIGN(declaration, expression) MINERVA_ASSIGN_INNER(MINERVA_CONCAT(minervaResult, __LINE__), declaration, expression)
#define MINERVA_ASSIGN_INNER(result, declaration, expression)     \
  auto result = (expression);                                     \
  if (!result) return ::minerva::fail(std::move(result.error())); \
  declaration = std::move(*result)
