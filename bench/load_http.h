// The HTTP client of LoadClient: cpp-httplib over connections that bound what a server sends (core/serve/bounded_stream.h).
#pragma once

#include <httplib.h>

#include <memory>
#include <string>
#include <string_view>

namespace minerva::bench {

struct LoadOrigin {
  bool secure = false;
  std::string host;  // without brackets
  int port = 0;
  bool isValid = false;
};
// Of "http://127.0.0.1:8080", "https://[::1]".
[[nodiscard]] LoadOrigin originOf(std::string_view origin);

// Null, if it is https and this build of cpp-httplib has no TLS.
[[nodiscard]] std::unique_ptr<httplib::ClientImpl> openHttp(const LoadOrigin& origin);

}  // namespace minerva::bench
