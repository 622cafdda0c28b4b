// Preloaded into a program (LD_PRELOAD): writes every address that it connects or sends to, and every name that it looks up,
// as one line each to the file named by MINERVA_NETWORK_WATCH. The first line confirms that the library is active. Unix
// domain sockets (display, message bus) are ignored.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void note(const char* what, const char* of) {
  const char* file = std::getenv("MINERVA_NETWORK_WATCH");
  if (file == nullptr) return;
  const int out = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0) return;
  char line[512];
  const int size = std::snprintf(line, sizeof line, "%s %s\n", what, of);
  if (size > 0) static_cast<void>(!write(out, line, std::strlen(line)));
  close(out);
}

void noteAddress(const char* what, const sockaddr* address) {
  char text[INET6_ADDRSTRLEN + 16] = "", host[INET6_ADDRSTRLEN] = "";
  if (address == nullptr || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return;
  if (address->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
    std::snprintf(text, sizeof text, "%s:%d", host, ntohs(four->sin_port));
  } else {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
    std::snprintf(text, sizeof text, "[%s]:%d", host, ntohs(six->sin6_port));
  }
  note(what, text);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

[[gnu::constructor]] void begin() { note("watching", program_invocation_short_name); }

}  // namespace

extern "C" {

int connect(int socket, const sockaddr* address, socklen_t size) {
  noteAddress("connect", address);
  static const auto real = next<int (*)(int, const sockaddr*, socklen_t)>("connect");
  return real(socket, address, size);
}

ssize_t sendto(int socket, const void* bytes, size_t count, int flags, const sockaddr* address, socklen_t size) {
  noteAddress("send", address);
  static const auto real = next<ssize_t (*)(int, const void*, size_t, int, const sockaddr*, socklen_t)>("sendto");
  return real(socket, bytes, count, flags, address, size);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  noteAddress("send", static_cast<const sockaddr*>(message->msg_name));
  static const auto real = next<ssize_t (*)(int, const msghdr*, int)>("sendmsg");
  return real(socket, message, flags);
}

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  if (node != nullptr) note("look up", node);
  static const auto real = next<int (*)(const char*, const char*, const addrinfo*, addrinfo**)>("getaddrinfo");
  return real(node, service, hints, result);
}

}  // extern "C"
