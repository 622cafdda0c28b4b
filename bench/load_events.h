// What a server streams for one chat completion: server-sent events, and the chunks in them. Everything here comes from a server that
// may be broken: any bytes are taken, and what is wrong is said.
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace minerva::bench {

// Splits a stream of bytes, in pieces of any size, into the data of its events.
class EventReader {
 public:
  explicit EventReader(std::function<void(std::string_view data)> take) : m_take(std::move(take)) {}

  // False once a line or the data of an event is longer than any real one (1 MiB): the rest is then not read.
  bool feed(std::string_view bytes);
  void finish();  // the end of the stream also ends its last event

 private:
  bool endLine();
  void dispatch();

  std::function<void(std::string_view)> m_take;
  std::string m_line, m_data;
  bool m_hasData = false, m_broken = false;
};

// Why a request failed: a short name to count by, and words.
struct LoadError {
  std::string kind;  // "connect", "timeout", "http_429", "cut_off", "nonsense", "error_event"
  std::string words;
};

// What one chat completion brought so far.
struct ChatProgress {
  TimePoint first{}, last{};                                        // of the pieces; pieces > 0
  int pieces = 0;                                                   // chunks with text (content, reasoning, a tool call)
  std::optional<int> promptTokens, completionTokens, cachedTokens;  // from the server's usage
  std::string finishReason;
  bool done = false;  // "[DONE]" came
  std::optional<LoadError> error;
};

// Takes the data of one event that arrived at `now`.
void takeChunk(ChatProgress& progress, std::string_view data, TimePoint now);
// After the end of a stream that the transport calls whole: sets the error if the reply is not.
void checkComplete(ChatProgress& progress);

// The start of a text that came from a server, for words in a report.
[[nodiscard]] std::string excerpt(std::string_view text);
// The message of an OpenAI-style or Ollama-style error body, otherwise the body's start.
[[nodiscard]] std::string messageOf(std::string_view body);

}  // namespace minerva::bench
