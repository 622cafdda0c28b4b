#include "core/serve/connections.h"

#include "core/serve/bounded_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace minerva::serve {
namespace {

thread_local int answeredSocket = -1;
thread_local bool refusesSocket = false;  // the connection is to be closed instead of answered

void closeWhole(int socket) {
  shutdown(socket, SHUT_RDWR);
  close(socket);
}

}  // namespace

int HttpServer::socketOfThisThread() { return answeredSocket; }

bool HttpServer::process_and_close_socket(socket_t socket) {
  if (refusesSocket) {
    closeWhole(socket);
    return false;
  }
  BoundedStream stream(socket, {.idle = m_limits.idleTime, .headBy = Clock::now() + m_limits.headTime, .ends = [this] {
                                  return svr_sock_ == INVALID_SOCKET;
                                }});
  const std::function<void(httplib::Request&)> headEnded = [&](httplib::Request& request) {
    stream.headEnded();
    request.ranges.clear();  // the library would cut the reply by them, and repeat its parts as often as they are asked for
  };
  answeredSocket = socket;
  bool closed = false;
  // Later versions want the addresses beside the stream.
  const auto answer = [&](auto& self) {
    if constexpr (requires { self.process_request(stream, true, closed, headEnded); }) {
      return self.process_request(stream, true, closed, headEnded);
    } else {
      std::string remote, local;
      int remotePort = 0, localPort = 0;
      stream.get_remote_ip_and_port(remote, remotePort);
      stream.get_local_ip_and_port(local, localPort);
      return self.process_request(stream, remote, remotePort, local, localPort, true, closed, headEnded);
    }
  };
  bool answered = false;
  try {
    answered = answer(*this);
  } catch (const std::exception&) {  // no memory, most likely: this client alone loses its connection
  }
  answeredSocket = -1;
  closeWhole(socket);
  return answered;
}

bool isClosedByPeer(int socket) {
  if (socket < 0) return false;
  pollfd asked{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

Connections::Enqueued Connections::enqueue(std::function<void()> serve) {
  std::function<void()> refused;
  {
    const std::scoped_lock lock(m_mutex);
    m_waiting.push_back(std::move(serve));
    const bool wantsThread = m_idle < m_waiting.size() && m_threads.size() < m_most;
    if (wantsThread && !startThread() && m_threads.empty()) {
      refused = std::move(m_waiting.back());
      m_waiting.pop_back();
    }
  }
  m_changed.notify_one();
  if (refused) {
    refusesSocket = true;  // only the library's function knows the socket
    refused();
    refusesSocket = false;
  }
  return static_cast<Enqueued>(true);
}

// False: the system has no thread, or no memory for one, to give now.
bool Connections::startThread() {
  try {
    m_threads.push_back(m_start([this] { work(); }));
    return true;
  } catch (const std::exception&) {
    return false;
  }
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
