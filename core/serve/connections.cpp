#include "core/serve/connections.h"

#include <array>
#include <arpa/inet.h>
#include <charconv>
#include <filesystem>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace minerva::serve {
namespace {

bool hasPeer(int socket, const std::string& address, int port) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  auto* const any = reinterpret_cast<sockaddr*>(&peer);
  if (getpeername(socket, any, &size) != 0) return false;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  const int failed = getnameinfo(any, size, host.data(), host.size(), service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return failed == 0 && service.data() == std::to_string(port) && host.data() == address;
}

}  // namespace

int socketOfPeer(const std::string& address, int port) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    if (descriptor >= 0 && hasPeer(descriptor, address, port)) return descriptor;
  }
  return -1;
}

bool isClosedByPeer(int socket) {
  if (socket < 0) return false;
  pollfd asked{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

Connections::Enqueued Connections::enqueue(std::function<void()> serve) {
  const std::scoped_lock lock(m_mutex);
  m_waiting.push_back(std::move(serve));
  if (m_idle < m_waiting.size() && m_threads.size() < m_most) m_threads.emplace_back([this] { work(); });
  m_changed.notify_one();
  return static_cast<Enqueued>(true);
}

void Connections::work() {
  for (std::unique_lock lock(m_mutex);;) {
    ++m_idle;
    m_changed.wait(lock, [this] { return !m_waiting.empty() || m_ends; });
    --m_idle;
    if (m_waiting.empty()) return;
    const std::function<void()> serve = std::move(m_waiting.front());
    m_waiting.pop_front();
    lock.unlock();
    serve();
    lock.lock();
  }
}

void Connections::shutdown() {
  {
    const std::scoped_lock lock(m_mutex);
    m_ends = true;
  }
  m_changed.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

}  // namespace minerva::serve
