// An HTTP server that misbehaves on purpose, in a way that the first part of a request's path chooses: /cut/v1/... ends a stream in its
// middle, and so on; see broken_server.cpp.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace minerva::tests {

class BrokenServer {
 public:
  BrokenServer();
  ~BrokenServer();
  BrokenServer(const BrokenServer&) = delete;
  BrokenServer& operator=(const BrokenServer&) = delete;

  [[nodiscard]] std::string url(const std::string& way) const { return "http://127.0.0.1:" + std::to_string(m_port) + "/" + way; }
  [[nodiscard]] std::vector<std::string> bodies() const;  // of the requests that came whole

 private:
  void accept();
  void answer(int socket);

  int m_listening = -1, m_port = 0;
  std::atomic<bool> m_ends{false};
  mutable std::mutex m_mutex;
  std::vector<std::string> m_bodies;      // guarded
  std::vector<std::jthread> m_answering;  // of the accepting thread
  std::jthread m_accepting;
};

}  // namespace minerva::tests
