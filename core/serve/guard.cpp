#include "core/serve/guard.h"

#include <algorithm>
#include <array>
#include <arpa/inet.h>
#include <unistd.h>

namespace minerva::serve {
namespace {

std::string lowerCase(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string_view withoutBrackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

// Of "name:port" or "[address]:port".
std::string_view withoutPort(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return authority.substr(0, colon);
}

bool isAddress(std::string_view host) {
  std::array<unsigned char, 16> bytes{};
  const std::string name(withoutBrackets(host));
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 || inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

std::string machineName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? lowerCase(name.data()) : "";
}

// Names that only this machine's own resolver could point elsewhere. An address cannot be rebound.
bool isOurs(std::string_view authority, const Options& options) {
  const std::string host = lowerCase(withoutPort(authority));
  // Names that no public server of names has: host.docker.internal, models.localhost.
  if (host.ends_with(".internal") || host.ends_with(".localhost")) return true;
  if (isLoopback(host) || (!host.empty() && withoutBrackets(host) == lowerCase(withoutBrackets(options.host)))) return true;
  return !isLoopback(options.host) && !host.empty() && (isAddress(host) || host == machineName());
}

bool carriesKey(const Visitor& visitor, const Options& options) {
  constexpr std::string_view scheme = "bearer ";
  const std::string_view given = visitor.authorization ? std::string_view(*visitor.authorization) : std::string_view();
  return lowerCase(given.substr(0, scheme.size())) == scheme && equalsKey(given.substr(scheme.size()), options.key);
}

// Schemes of programs that show pages of their own. Browsers give them to no page; of a file they say "null".
constexpr std::array<std::string_view, 6> programs{"app", "capacitor", "file", "tauri", "vscode-file", "vscode-webview"};

bool fits(std::string_view origin, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return origin == pattern;
  const std::string_view before = pattern.substr(0, star), behind = pattern.substr(star + 1);
  return origin.size() >= before.size() + behind.size() && origin.starts_with(before) && origin.ends_with(behind);
}

bool isWelcome(const Visitor& visitor, const Options& options) {
  if (!visitor.origin) return true;
  const std::string origin = lowerCase(*visitor.origin);
  if (std::ranges::any_of(options.origins, [&](const std::string& one) { return fits(origin, lowerCase(one)); })) return true;
  const std::size_t end = origin.find("://");
  if (end == std::string::npos) return false;
  const std::string_view scheme = std::string_view(origin).substr(0, end), authority = std::string_view(origin).substr(end + 3);
  if (authority == lowerCase(visitor.host.value_or("")) || std::ranges::find(programs, scheme) != programs.end()) return true;
  // The question comes without the key, the request then with it.
  const bool knowsKey = carriesKey(visitor, options) || (visitor.asksMethod && !options.key.empty());
  return knowsKey && (scheme == "http" || scheme == "https") && isLoopback(withoutPort(authority));
}

Refusal forbidden(const char* code, std::string message) {
  return {.status = 403, .type = "permission_error", .code = code, .message = std::move(message)};
}

}  // namespace

bool isLoopback(std::string_view host) {
  const std::string name = lowerCase(withoutBrackets(host));
  return name == "localhost" || name == "::1" || (name.starts_with("127.") && isAddress(name));
}

bool equalsKey(std::string_view given, std::string_view key) {
  if (key.empty()) return false;
  unsigned difference = given.size() == key.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(key[i % key.size()]));
  return difference == 0;
}

Result<void> checkDoor(const Options& options) {
  if (isLoopback(options.host) || !options.key.empty()) return {};
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "A server that other machines reach needs a key",
               .where = options.host,
               .expected = "--api-key, or a loopback address such as 127.0.0.1",
               .actual = "no key"});
}

std::optional<Refusal> refuse(const Visitor& visitor, bool open, const Options& options) {
  const bool knowsKey = carriesKey(visitor, options);
  if (!visitor.host || visitor.severalHosts || (!knowsKey && !isOurs(*visitor.host, options))) {
    const char* const orKey = options.key.empty() ? "" : ", or send the key";
    return forbidden("wrong_host", "The Host header does not name this server: use " + options.host + " or localhost" + orKey);
  }
  if (!isWelcome(visitor, options))
    return forbidden("wrong_origin", "Web pages of other origins may not use this server, unless --origins names them");
  if (open || options.key.empty() || knowsKey || visitor.asksMethod) return std::nullopt;
  const bool none = !visitor.authorization || visitor.authorization->empty();
  return Refusal{.status = 401,
                 .type = "authentication_error",
                 .code = "invalid_api_key",
                 .message = none ? "This server needs a key: send it as Authorization: Bearer KEY" : "The key is not right"};
}

std::vector<std::pair<std::string, std::string>> corsHeaders(const Visitor& visitor, const Options& options) {
  if (!visitor.origin || !isWelcome(visitor, options)) return {};
  std::vector<std::pair<std::string, std::string>> headers{{"Access-Control-Allow-Origin", *visitor.origin}, {"Vary", "Origin"}};
  if (!visitor.asksMethod) return headers;
  headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  if (visitor.asksHeaders) headers.emplace_back("Access-Control-Allow-Headers", *visitor.asksHeaders);
  if (visitor.asksPrivate) headers.emplace_back("Access-Control-Allow-Private-Network", "true");
  headers.emplace_back("Access-Control-Max-Age", "600");
  return headers;
}

}  // namespace minerva::serve
