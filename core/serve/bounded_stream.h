// One connection as cpp-httplib reads and writes it, with limits on what the other end may send where the library has none: it reads a
// line byte by byte to its end however long that is, matches a reply's first line by recursion, and counts its time anew with each byte.
#pragma once

#include "core/base/clock.h"

#include <httplib.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace minerva::serve {

struct StreamBounds {
  std::chrono::milliseconds idle{5000};  // between two pieces
  std::size_t lineBytes = 64u << 10;     // of a line of the head, or of a chunk's length
  std::size_t headBytes = 256u << 10;    // of such lines that follow one another
  TimePoint headBy = TimePoint::max();   // until headEnded()
  std::function<bool()> ends{};          // asked several times a second until headEnded(); true: the connection is given up
};

// Its user owns the socket and closes it. For one thread.
class BoundedStream : public httplib::Stream {
 public:
  BoundedStream(int socket, StreamBounds bounds) : m_socket(socket), m_bounds(std::move(bounds)) {}

  void headEnded();

  // -1: the other end broke a limit, or the connection; 0: its end.
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;
  using httplib::Stream::write;
  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return m_socket; }

 protected:
  // What there is, at least one byte; as recv() and send(). They may block for the idle time.
  [[nodiscard]] virtual ssize_t receive(char* data, std::size_t size);
  [[nodiscard]] virtual ssize_t transmit(const char* data, std::size_t size);
  [[nodiscard]] virtual bool isReadAhead() const { return false; }  // there are bytes that the socket does not show any more

 private:
  [[nodiscard]] bool isWithinLine(char byte);

  const int m_socket;
  StreamBounds m_bounds;
  std::array<char, 4096> m_ahead{};
  std::size_t m_at = 0, m_end = 0;      // of m_ahead
  std::size_t m_line = 0, m_lines = 0;  // bytes read one by one
};

}  // namespace minerva::serve
