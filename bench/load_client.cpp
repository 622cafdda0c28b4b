#include "bench/load_client.h"

#include "bench/load_http.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace minerva::bench {
namespace {

constexpr std::size_t longestBody = 64u << 10;  // of an error or a list of models; the rest is not read
constexpr std::chrono::seconds slowestConnection{10};
constexpr std::chrono::seconds afterDone{2};  // for a server that has said all and leaves the connection open

std::string secondsText(std::chrono::milliseconds time) { return std::to_string(time.count() / 1000.0).substr(0, 5) + " s"; }

LoadError transportError(httplib::Error error, bool late, std::chrono::milliseconds timeout, int pieces) {
  if (late) return {"timeout", "no end of the reply within " + secondsText(timeout) + ", " + std::to_string(pieces) + " pieces came"};
  const std::string words = "(cpp-httplib: " + httplib::to_string(error) + ")";
  switch (error) {
    case httplib::Error::Connection: return {"connect", "the server cannot be reached " + words};
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification: return {"tls", "no secure connection " + words};
    default: break;
  }
  if (pieces > 0) return {"cut_off", "the connection broke after " + std::to_string(pieces) + " pieces " + words};
  return {"no_reply", "the connection ended before a reply " + words};
}

std::string bodyOf(const ChatAsk& ask, const std::string& model) {
  nlohmann::ordered_json body;
  if (!model.empty()) body["model"] = model;
  body["messages"] = {{{"role", "user"}, {"content", ask.prompt}}};
  body["max_tokens"] = ask.maxTokens;
  body["temperature"] = 0;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  if (ask.ignoreEnd) body["ignore_eos"] = true;
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

// Ends a request that outlasts its time: the timeouts of cpp-httplib count anew with every byte.
class LoadWatchdog {
 public:
  explicit LoadWatchdog(httplib::ClientImpl& client) : m_client(client), m_thread([this](const std::stop_token& stop) { watch(stop); }) {}
  void begin(TimePoint deadline) {
    const std::scoped_lock lock(m_mutex);
    m_deadline = deadline;
    m_barked = false;
    m_changed.notify_one();
  }
  // True if the request was ended.
  bool end() {
    const std::scoped_lock lock(m_mutex);
    m_deadline.reset();
    return m_barked;
  }

 private:
  void watch(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
      if (!m_deadline) {
        m_changed.wait(lock, stop, [this] { return m_deadline.has_value(); });
      } else if (Clock::now() < *m_deadline) {
        const TimePoint deadline = *m_deadline;
        m_changed.wait_until(lock, stop, deadline, [&] { return m_deadline != deadline; });
      } else {
        m_barked = true;
        m_client.stop();
        *m_deadline += std::chrono::milliseconds(100);  // again: the connection may just be in the making
      }
    }
  }

  httplib::ClientImpl& m_client;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  std::optional<TimePoint> m_deadline;
  bool m_barked = false;
  std::jthread m_thread;
};

Result<LoadTarget> parseTarget(std::string_view url) {
  const auto wrong = [&](const char* actual) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The server's address is not understood",
                 .where = std::string(url),
                 .expected = "http://HOST:PORT or https://HOST:PORT, with /v1 or not",
                 .actual = actual});
  };
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) return wrong("no http:// or https:// at its start");
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
  if (secure) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This build of minerva-bench has no TLS: its cpp-httplib was built without OpenSSL",
                 .where = std::string(url),
                 .expected = "http://",
                 .actual = "https://"});
  }
#endif
  const std::size_t hostAt = secure ? 8 : 7;
  const std::size_t pathAt = std::min(url.find('/', hostAt), url.size());
  const std::string_view host = url.substr(hostAt, pathAt - hostAt);
  if (host.empty() || host.starts_with(':')) return wrong("no host");
  if (std::ranges::any_of(url, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '?' || c == '#' || c == '@'; }))
    return wrong("a space, a query, a fragment or a user in it");
  std::string base(url.substr(pathAt));
  constexpr std::string_view chat = "/chat/completions";
  if (base.ends_with(chat)) base.resize(base.size() - chat.size());
  while (base.ends_with('/')) base.pop_back();
  if (base.empty()) base = "/v1";
  LoadTarget target{.origin = std::string(url.substr(0, pathAt)), .chat = base + std::string(chat), .models = base + "/models"};
  if (!originOf(target.origin).isValid) return wrong("a host or port that is none");
  return target;
}

struct HttpLoadClient::State {
  State(const LoadTarget& to, const std::string& key, std::string named, std::chrono::milliseconds most)
      : target(to), model(std::move(named)), timeout(most), http(openHttp(originOf(to.origin))), watchdog(*http) {
    http->set_connection_timeout(std::min<std::chrono::milliseconds>(most, slowestConnection));
    http->set_read_timeout(most + std::chrono::seconds(1));  // the watchdog comes first
    http->set_write_timeout(most + std::chrono::seconds(1));
    http->set_keep_alive(true);
    http->set_tcp_nodelay(true);
    headers = {{"Accept", "text/event-stream, application/json"}};
    if (!key.empty()) headers.emplace("Authorization", "Bearer " + key);
  }

  const LoadTarget target;
  const std::string model;
  const std::chrono::milliseconds timeout;
  httplib::Headers headers;
  const std::unique_ptr<httplib::ClientImpl> http;
  LoadWatchdog watchdog;  // stopped before the client it stops
};

HttpLoadClient::HttpLoadClient(const LoadTarget& target, const std::string& key, std::string model, std::chrono::milliseconds timeout)
    : m_state(std::make_unique<State>(target, key, std::move(model), timeout)) {}
HttpLoadClient::~HttpLoadClient() = default;

ChatOutcome HttpLoadClient::chat(const ChatAsk& ask) {
  ChatOutcome outcome;
  ChatProgress& progress = outcome.progress;
  EventReader events([&](std::string_view data) {
    takeChunk(progress, data, Clock::now());
    if (progress.done) m_state->watchdog.begin(Clock::now() + afterDone);
  });
  int status = 0;
  std::string refusal;
  httplib::Request request;
  request.method = "POST";
  request.path = m_state->target.chat;
  request.headers = m_state->headers;
  request.set_header("Content-Type", "application/json");
  request.body = bodyOf(ask, m_state->model);
  request.response_handler = [&](const httplib::Response& response) {
    status = response.status;
    return true;
  };
  request.content_receiver = [&](const char* data, std::size_t size, auto...) {
    if (status == 200) return events.feed({data, size}) && !progress.error;
    refusal.append(data, std::min(size, longestBody - refusal.size()));
    return refusal.size() < longestBody;
  };
  const bool reused = m_state->http->is_socket_open() != 0;
  outcome.start = Clock::now();
  m_state->watchdog.begin(outcome.start + m_state->timeout);
  httplib::Result result = m_state->http->send(request);
  // The server may have closed the connection since the last reply: what meets a closed door is sent once more, as browsers do.
  if (!result && status == 0 && reused && Clock::now() < outcome.start + m_state->timeout) result = m_state->http->send(request);
  const bool late = m_state->watchdog.end();
  outcome.end = Clock::now();
  if (status == 200) events.finish();
  if (progress.error) return outcome;
  if (status != 0 && status != 200) {
    progress.error = LoadError{"http_" + std::to_string(status), messageOf(refusal)};
  } else if (result || progress.done) {
    checkComplete(progress);
  } else if (result.error() == httplib::Error::Canceled && !late) {
    progress.error = LoadError{"nonsense", "an event is longer than any real one"};
  } else {
    progress.error = transportError(result.error(), late, m_state->timeout, progress.pieces);
  }
  return outcome;
}

Result<std::string> HttpLoadClient::firstModel() {
  int status = 0;
  std::string body;
  m_state->watchdog.begin(Clock::now() + m_state->timeout);
  const httplib::Result result = m_state->http->Get(
      m_state->target.models, m_state->headers,
      [&](const httplib::Response& response) {
        status = response.status;
        return true;
      },
      [&](const char* data, std::size_t size) {
        body.append(data, std::min(size, longestBody - body.size()));
        return body.size() < longestBody;
      });
  const bool late = m_state->watchdog.end();
  const auto error = [&](std::string actual) {
    return fail({.kind = ErrorKind::io,
                 .what = "The server does not say which models it has",
                 .where = m_state->target.origin + m_state->target.models,
                 .expected = "a list of models",
                 .actual = std::move(actual),
                 .hint = "Is it running? --model NAME does without the list."});
  };
  if (!result) return error(transportError(result.error(), late, m_state->timeout, 0).words);
  if (status != 200) return error("HTTP " + std::to_string(status) + ": " + messageOf(body));
  const auto list = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json::json_pointer id("/data/0/id");
  if (!list.is_object() || !list.contains(id) || !list[id].is_string()) return error(excerpt(body));
  return list[id].get<std::string>();
}

}  // namespace minerva::bench
