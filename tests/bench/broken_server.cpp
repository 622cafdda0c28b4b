#include "tests/bench/broken_server.h"

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace minerva::tests {
namespace {

using Send = std::function<bool(const std::string&)>;  // false: the client is gone, or the server ends

std::string chunkOf(const std::string& data) {
  std::array<char, 20> size{};
  std::snprintf(size.data(), size.size(), "%zx", data.size());
  return size.data() + std::string("\r\n") + data + "\r\n";
}

std::string textEvent(const std::string& delta, const std::string& reason = "null") {
  return chunkOf("data: {\"choices\":[{\"index\":0,\"delta\":" + delta + ",\"finish_reason\":" + reason + "}]}\n\n");
}

const std::string streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string twoPieces =
    textEvent(R"({"role":"assistant","content":""})") + textEvent(R"({"content":"one"})") + textEvent(R"({"content":" two"})");
const std::string goodEnd = textEvent(R"({"content":" three"})") + textEvent("{}", "\"stop\"") + chunkOf("data: [DONE]\n\n");
const std::string lastChunk = "0\r\n\r\n";

std::string whole(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// No way goes on for longer, so that a client without time limits of its own fails a test and does not hold it up.
constexpr std::chrono::seconds longest{15};

// After its answer a way returns, and the connection is closed; `hold` keeps it open until the client goes.
const std::map<std::string, std::function<void(const Send&, const std::function<void()>& hold)>, std::less<>>& ways() {
  static const std::map<std::string, std::function<void(const Send&, const std::function<void()>&)>, std::less<>> all{
      {"pieces", [](const Send& send, auto&) { send(streamHead + twoPieces + goodEnd + lastChunk); }},
      {"usage",
       [](const Send& send, auto&) {
         const std::string usage = chunkOf("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}\n\n");
         send(streamHead + twoPieces + textEvent("{}", "\"stop\"") + usage + chunkOf("data: [DONE]\n\n") + lastChunk);
       }},
      {"open", [](const Send& send, auto& hold) { send(streamHead + twoPieces + goodEnd), hold(); }},
      {"cut", [](const Send& send, auto&) { send(streamHead + twoPieces); }},
      {"unfinished", [](const Send& send, auto&) { send(streamHead + twoPieces + lastChunk); }},
      {"nonsense", [](const Send& send, auto&) { send(streamHead + twoPieces + chunkOf("data: {hello\n\n") + lastChunk); }},
      {"page", [](const Send& send, auto&) { send(whole("200 OK", "<html>Welcome</html>")); }},
      {"event", [](const Send& send,
                   auto&) { send(streamHead + twoPieces + chunkOf("data: {\"error\":{\"message\":\"out of pages\"}}\n\n") + lastChunk); }},
      {"deep",
       [](const Send& send, auto&) {
         const std::string nested = std::string(400000, '[') + std::string(400000, ']');
         send(streamHead + twoPieces + chunkOf("data: {\"error\":" + nested + "}\n\n") + lastChunk);
       }},
      {"busy", [](const Send& send, auto&) { send(whole("429 Too Many Requests", R"({"error":{"message":"come back later"}})")); }},
      {"silent", [](const Send&, auto& hold) { hold(); }},
      {"stalled", [](const Send& send, auto& hold) { send(streamHead + twoPieces), hold(); }},
      {"close", [](const Send&, auto&) {}},
      {"binary", [](const Send& send, auto&) { send(std::string(4000, '\1') + "\n"); }},
      {"long-line", [](const Send& send, auto&) { send("HTTP/1.1 200 " + std::string(8 << 10, 'a') + "\r\n\r\n"); }},
      {"longer-line", [](const Send& send, auto&) { send("HTTP/1.1 200 " + std::string(64 << 10, 'a') + "\r\n\r\n"); }},
      {"endless-line",
       [](const Send& send, auto&) {
         send(streamHead + twoPieces);
         const auto end = std::chrono::steady_clock::now() + longest;
         while (send(std::string(60000, '0')) && std::chrono::steady_clock::now() < end) {
         }
       }},
      {"endless-head",
       [](const Send& send, auto&) {
         send("HTTP/1.1 200 OK\r\n");
         const auto end = std::chrono::steady_clock::now() + longest;
         while (send("X: " + std::string(1000, 'a') + "\r\n") && std::chrono::steady_clock::now() < end) {
         }
       }},
      {"drip",
       [](const Send& send, auto&) {
         send("HTTP/1.1 200 OK\r\n");
         const auto end = std::chrono::steady_clock::now() + longest;
         while (send("X-Slow: 1\r\n") && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(20));
       }},
      {"flood",
       [](const Send& send, auto&) {
         send(streamHead);
         const auto end = std::chrono::steady_clock::now() + longest;
         while (send(chunkOf(std::string(60000, 'a'))) && std::chrono::steady_clock::now() < end) {
         }
       }},
  };
  return all;
}

}  // namespace

BrokenServer::BrokenServer() {
  m_listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(m_listening, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(m_listening, 100) != 0)
    throw std::runtime_error("no port for the broken server");
  ::getsockname(m_listening, reinterpret_cast<sockaddr*>(&address), &size);
  m_port = ntohs(address.sin_port);
  m_accepting = std::jthread([this] { accept(); });
}

BrokenServer::~BrokenServer() {
  m_ends = true;
  m_accepting.join();
  m_answering.clear();
  ::close(m_listening);
}

std::vector<std::string> BrokenServer::bodies() const {
  const std::scoped_lock lock(m_mutex);
  return m_bodies;
}

void BrokenServer::accept() {
  while (!m_ends) {
    pollfd waiting{.fd = m_listening, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int socket = ::accept4(m_listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) m_answering.emplace_back([this, socket] { answer(socket); });
  }
}

void BrokenServer::answer(int socket) {
  std::string request;
  std::size_t bodyAt = std::string::npos, length = 0;
  while (bodyAt == std::string::npos || request.size() < bodyAt + length) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (count <= 0) break;
    request.append(bytes.data(), static_cast<std::size_t>(count));
    if (bodyAt != std::string::npos || request.find("\r\n\r\n") == std::string::npos) continue;
    bodyAt = request.find("\r\n\r\n") + 4;
    const std::size_t field = request.find("Content-Length: ");
    if (field < bodyAt) length = std::stoul(request.substr(field + 16));
  }
  if (bodyAt != std::string::npos) {
    const std::scoped_lock lock(m_mutex);
    m_bodies.push_back(request.substr(bodyAt));
  }
  const std::size_t from = request.find('/') + 1;
  const auto way = ways().find(request.substr(from, request.find('/', from) - from));
  const Send send = [&](const std::string& text) {
    std::string_view left = text;
    while (!m_ends && !left.empty()) {
      const ssize_t count = ::send(socket, left.data(), left.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      left.remove_prefix(static_cast<std::size_t>(count));
    }
    return !m_ends;
  };
  const auto hold = [&] {
    pollfd asked{.fd = socket, .events = POLLRDHUP, .revents = 0};
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!m_ends && ::poll(&asked, 1, 20) == 0 && std::chrono::steady_clock::now() < end) {
    }
  };
  if (way != ways().end()) way->second(send, hold);
  ::close(socket);
}

}  // namespace minerva::tests
