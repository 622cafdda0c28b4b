#include "bench/load_http.h"

#include "core/serve/bounded_stream.h"

#include <algorithm>
#include <charconv>
#include <type_traits>

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
#include <openssl/ssl.h>
#endif

namespace minerva::bench {
namespace {

// Real lines are far shorter; cpp-httplib matches a status line by recursion, about 500 bytes of the stack for each of its bytes.
serve::StreamBounds boundsFor(std::chrono::milliseconds idle) { return {.idle = idle, .lineBytes = 8u << 10, .headBytes = 256u << 10}; }

class PlainHttp final : public httplib::ClientImpl {
 public:
  using httplib::ClientImpl::ClientImpl;

 private:
  bool process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> answer) override {
    serve::BoundedStream stream(socket.sock, boundsFor(std::chrono::seconds(read_timeout_sec_ + 1)));
    return answer(stream);
  }
};

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
// A blocking connection, whose timeouts cpp-httplib has set.
class TlsStream final : public serve::BoundedStream {
 public:
  TlsStream(int socket, SSL* tls, serve::StreamBounds bounds) : BoundedStream(socket, std::move(bounds)), m_tls(tls) {}

 private:
  ssize_t receive(char* data, std::size_t size) override { return SSL_read(m_tls, data, lengthOf(size)); }
  ssize_t transmit(const char* data, std::size_t size) override { return SSL_write(m_tls, data, lengthOf(size)); }
  [[nodiscard]] bool isReadAhead() const override { return SSL_pending(m_tls) > 0; }
  static int lengthOf(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, 1u << 20)); }

  SSL* m_tls;
};

template <class Client>
class TlsHttp final : public Client {
 public:
  using Client::Client;

 private:
  bool process_socket(const typename Client::Socket& socket, std::function<bool(httplib::Stream&)> answer) override {
    SSL_set_mode(socket.ssl, SSL_MODE_AUTO_RETRY);
    TlsStream stream(socket.sock, socket.ssl, boundsFor(std::chrono::seconds(this->read_timeout_sec_ + 1)));
    return answer(stream);
  }
};

// Later versions let nobody derive from their client with TLS.
template <class Client>
std::unique_ptr<httplib::ClientImpl> openTls(const LoadOrigin& origin) {
  if constexpr (std::is_final_v<Client>) return std::make_unique<Client>(origin.host, origin.port);
  else return std::make_unique<TlsHttp<Client>>(origin.host, origin.port);
}
#endif

}  // namespace

LoadOrigin originOf(std::string_view origin) {
  LoadOrigin out;
  out.secure = origin.starts_with("https://");
  if (!out.secure && !origin.starts_with("http://")) return out;
  origin.remove_prefix(out.secure ? 8 : 7);
  const bool bracketed = origin.starts_with('[');
  const std::size_t hostEnd = bracketed ? origin.find(']') : std::min(origin.find(':'), origin.size());
  if (hostEnd == std::string_view::npos) return out;
  out.host = origin.substr(bracketed ? 1 : 0, hostEnd - (bracketed ? 1 : 0));
  const std::string_view rest = origin.substr(hostEnd + (bracketed ? 1 : 0));
  out.port = out.secure ? 443 : 80;
  if (!rest.empty()) {
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), out.port);
    if (rest[0] != ':' || error != std::errc{} || end != rest.data() + rest.size()) return out;
  }
  out.isValid = !out.host.empty() && out.port > 0 && out.port < 65536;
  return out;
}

std::unique_ptr<httplib::ClientImpl> openHttp(const LoadOrigin& origin) {
  if (!origin.secure) return std::make_unique<PlainHttp>(origin.host, origin.port);
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  return openTls<httplib::SSLClient>(origin);
#else
  return nullptr;
#endif
}

}  // namespace minerva::bench
