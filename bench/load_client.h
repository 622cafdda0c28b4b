// An HTTP client for one connection at a time to an OpenAI-compatible server. load_client.cpp and load_http.h are the only files of this
// folder that know cpp-httplib.
#pragma once

#include "bench/load_events.h"
#include "core/base/error.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace minerva::bench {

struct LoadTarget {
  std::string origin;  // "http://127.0.0.1:8080"
  std::string chat;    // "/v1/chat/completions"
  std::string models;  // "/v1/models"
};

// Takes http://HOST[:PORT] with nothing, /v1 (after any prefix) or the whole path of the chat completions behind it.
// Errors: invalidArgument; unsupported, if it is https and this build of cpp-httplib has no TLS.
[[nodiscard]] Result<LoadTarget> parseTarget(std::string_view url);

struct ChatOutcome {
  TimePoint start{}, end{};
  ChatProgress progress;
};

// Not thread-safe. Every call ends after `timeout` at the latest, whatever the server does, but for the look-up of a host's name, whose
// limits are the system's. A line of a reply's head of more than 8 KiB, or a head of more than 256 KiB, ends the connection. Known limit:
// not with TLS and a cpp-httplib whose TLS client is final (0.18; 0.11 and 0.14 are not): that one matches such a line by recursion.
class LoadClient {
 public:
  LoadClient(const LoadTarget& target, const std::string& key, std::chrono::milliseconds timeout);
  ~LoadClient();
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  // Streams one chat completion. Never fails: what went wrong is in progress.error.
  [[nodiscard]] ChatOutcome chat(const std::string& body);
  // The first model that the server lists. Errors: io, with the server's words.
  [[nodiscard]] Result<std::string> firstModel();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::bench
