// What cpp-httplib lacks: a limit on the time of a request's head, whether the client of a request is still there, and threads that come
// with connections.
#pragma once

#include "core/serve/options.h"

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace minerva::serve {

// The other end is closed, or will send nothing more, which TCP does not tell apart. False for -1.
[[nodiscard]] bool isClosedByPeer(int socket);

// Reads each connection through a BoundedStream; one request a connection, so that an unread rest of a refused body is not read as the
// next one.
class HttpServer : public httplib::Server {
 public:
  explicit HttpServer(const Limits& limits) : m_limits(limits) {}
  // The connection that this thread answers; -1: none.
  [[nodiscard]] static int socketOfThisThread();

 private:
  bool process_and_close_socket(socket_t socket) override;

  const Limits& m_limits;
};

// Starts a thread when a connection finds none idle, `most` at most; further connections wait, also those for which the system gives no
// thread. If there is none at all, the connection is closed.
class Connections : public httplib::TaskQueue {
 public:
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));  // void, or bool in later versions

  using Start = std::function<std::thread(std::function<void()>)>;  // may throw

  explicit Connections(
      std::size_t most, Start start = [](std::function<void()> work) { return std::thread(std::move(work)); })
      : m_most(most), m_start(std::move(start)) {}
  Enqueued enqueue(std::function<void()> serve) override;
  void shutdown() override;  // after all connections were served

 private:
  void work();
  [[nodiscard]] bool startThread();

  const std::size_t m_most;
  const Start m_start;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_waiting;  // from here: guarded
  std::size_t m_idle = 0;
  bool m_ends = false;
  std::vector<std::thread> m_threads;
};

}  // namespace minerva::serve
