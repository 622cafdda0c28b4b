#include "core/serve/bounded_stream.h"

#include <algorithm>
#include <cstring>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace minerva::serve {
namespace {

constexpr std::chrono::milliseconds lookForEnd{100};

bool isReady(int socket, short events, std::chrono::milliseconds most) {
  pollfd asked{.fd = socket, .events = events, .revents = 0};
  const TimePoint end = Clock::now() + most;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    const int count = poll(&asked, 1, static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0)));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);
void readName(int socket, NameOf nameOf, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (nameOf(socket, any, &size) != 0) return;
  if (getnameinfo(any, size, host.data(), host.size(), service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) return;
  ip = host.data();
  port = std::atoi(service.data());
}

}  // namespace

void BoundedStream::headEnded() {
  m_bounds.headBy = TimePoint::max();
  m_bounds.ends = {};
}

bool BoundedStream::is_readable() const {
  if (m_at < m_end || isReadAhead()) return true;
  const TimePoint began = Clock::now();
  for (;;) {
    const TimePoint now = Clock::now();
    const TimePoint end = std::min(began + m_bounds.idle, m_bounds.headBy);
    if (now >= end || (m_bounds.ends && m_bounds.ends())) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
    if (isReady(m_socket, POLLIN, m_bounds.ends ? std::min(left, lookForEnd) : left)) return true;
  }
}

// The library takes an end that will send nothing more for one that is gone.
bool BoundedStream::is_writable() const {
  if (!isReady(m_socket, POLLOUT, m_bounds.idle)) return false;
  pollfd asked{.fd = m_socket, .events = POLLOUT | POLLRDHUP, .revents = 0};
  return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

// Bodies are read in larger pieces, lines byte by byte.
bool BoundedStream::isWithinLine(char byte) {
  ++m_lines;
  m_line = byte == '\n' ? 0 : m_line + 1;
  return m_line <= m_bounds.lineBytes && m_lines <= m_bounds.headBytes;
}

ssize_t BoundedStream::read(char* data, std::size_t size) {
  if (size > 1) m_line = m_lines = 0;
  if (m_at == m_end) {
    if (Clock::now() >= m_bounds.headBy || !is_readable()) return -1;
    if (size >= m_ahead.size()) return receive(data, size);
    const ssize_t count = receive(m_ahead.data(), m_ahead.size());
    if (count <= 0) return count;
    m_at = 0;
    m_end = static_cast<std::size_t>(count);
  }
  const std::size_t taken = std::min(size, m_end - m_at);
  std::memcpy(data, m_ahead.data() + m_at, taken);
  m_at += taken;
  if (size == 1 && !isWithinLine(*data)) return -1;
  return static_cast<ssize_t>(taken);
}

ssize_t BoundedStream::write(const char* data, std::size_t size) { return is_writable() ? transmit(data, size) : -1; }

ssize_t BoundedStream::receive(char* data, std::size_t size) {
  ssize_t count = 0;
  do count = recv(m_socket, data, size, 0);
  while (count < 0 && errno == EINTR);
  return count;
}

ssize_t BoundedStream::transmit(const char* data, std::size_t size) {
  ssize_t count = 0;
  do count = send(m_socket, data, size, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  return count;
}

void BoundedStream::get_remote_ip_and_port(std::string& ip, int& port) const { readName(m_socket, getpeername, ip, port); }
void BoundedStream::get_local_ip_and_port(std::string& ip, int& port) const { readName(m_socket, getsockname, ip, port); }

}  // namespace minerva::serve
