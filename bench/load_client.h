// One client of a load: something that asks for chat completions, one at a time. Here: over HTTP, from an OpenAI-compatible server;
// load_engine.h asks an engine of this process. load_client.cpp and load_http.h are the only files of this folder that know cpp-httplib.
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

// What a client asks for.
struct ChatAsk {
  std::string prompt;
  int maxTokens = 0;
  bool ignoreEnd = false;  // a reply of full length
};

struct ChatOutcome {
  TimePoint start{}, end{};
  ChatProgress progress;
};

// Not thread-safe.
class LoadClient {
 public:
  LoadClient() = default;
  virtual ~LoadClient() = default;
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  // Streams one chat completion, greedily sampled. Never fails: what went wrong is in progress.error.
  [[nodiscard]] virtual ChatOutcome chat(const ChatAsk& ask) = 0;
};

// Every call ends after `timeout` at the latest, whatever the server does, but for the look-up of a host's name, whose limits are the
// system's. A line of a reply's head of more than 8 KiB, or a head of more than 256 KiB, ends the connection. Known limit: not with TLS and
// a cpp-httplib whose TLS client is final (0.18; 0.11 and 0.14 are not): that one matches such a line by recursion.
class HttpLoadClient final : public LoadClient {
 public:
  // model "": the field is left out.
  HttpLoadClient(const LoadTarget& target, const std::string& key, std::string model, std::chrono::milliseconds timeout);
  ~HttpLoadClient() override;

  [[nodiscard]] ChatOutcome chat(const ChatAsk& ask) override;
  // The first model that the server lists. Errors: io, with the server's words.
  [[nodiscard]] Result<std::string> firstModel();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::bench
