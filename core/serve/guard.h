// Who may talk to the server. A web page that resolves its own name to this machine (DNS rebinding) is recognised by Host, one that
// sends to it across origins by Origin; beyond loopback a key is required.
//
// Origins of desktop programs ("tauri://localhost") are welcome, as in Ollama: no web page can have one. Pages of this machine need the
// key, because any port may hold another user's; all others need Options::origins.
//
// Who sends the key may use any name for the server, such as its name in a network or a proxy's: a page cannot know the key, and a browser
// does not add it by itself, as it does with cookies. What needs no key is for our own names alone.
#pragma once

#include "core/serve/options.h"
#include "core/serve/refusal.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minerva::serve {

// "localhost", 127.x.x.x, ::1 (with or without brackets).
[[nodiscard]] bool isLoopback(std::string_view host);
// Of equal bytes; takes a time that depends on the length of `given` alone.
[[nodiscard]] bool equalsKey(std::string_view given, std::string_view key);
// A host that others reach needs a key. Error: invalidArgument.
[[nodiscard]] Result<void> checkDoor(const Options& options);

struct Visitor {
  std::optional<std::string> host, origin, authorization;
  bool severalHosts = false;
  // Of a browser's question whether it may send a request, which comes without the key: its method and headers.
  std::optional<std::string> asksMethod{}, asksHeaders{};
  bool asksPrivate = false;  // from a page of another network
};
// nullopt: welcome. `open`: a route that needs no key.
[[nodiscard]] std::optional<Refusal> refuse(const Visitor& visitor, bool open, const Options& options);

// The headers that let a browser hand the answer to a page of this origin; none for those that it is not for.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> corsHeaders(const Visitor& visitor, const Options& options);

}  // namespace minerva::serve
