// What cpp-httplib lacks in the versions of Debian 12 and Ubuntu 24.04: whether the client of a request is still there, and threads
// that come with connections.
#pragma once

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

// The socket of this process whose other end is this address and port; -1 if there is none.
[[nodiscard]] int socketOfPeer(const std::string& address, int port);
// The other end is closed, or will send nothing more, which TCP does not tell apart. False for -1.
[[nodiscard]] bool isClosedByPeer(int socket);

// Starts a thread when a connection finds none idle, `most` at most; further connections wait.
class Connections : public httplib::TaskQueue {
 public:
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));  // void, or bool in later versions

  explicit Connections(std::size_t most) : m_most(most) {}
  Enqueued enqueue(std::function<void()> serve) override;
  void shutdown() override;  // after all connections were served

 private:
  void work();

  const std::size_t m_most;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<std::function<void()>> m_waiting;  // from here: guarded
  std::size_t m_idle = 0;
  bool m_ends = false;
  std::vector<std::thread> m_threads;
};

}  // namespace minerva::serve
