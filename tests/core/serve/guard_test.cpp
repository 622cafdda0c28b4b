#include "core/serve/guard.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::serve {
namespace {

int statusOf(const Visitor& visitor, const Options& options, bool open = false) {
  const auto refusal = refuse(visitor, open, options);
  return refusal ? refusal->status : 200;
}

TEST(Guard, LoopbackIsKnownByNameAndAddress) {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "::1", "[::1]"}) EXPECT_TRUE(isLoopback(host)) << host;
  for (const char* host : {"", "0.0.0.0", "::", "10.0.0.1", "127.evil.example", "localhost.evil.example", "127.0.0.1.evil.example"})
    EXPECT_FALSE(isLoopback(host)) << host;
}

TEST(Guard, KeysAreEqualOrNot) {
  EXPECT_TRUE(equalsKey("abc", "abc"));
  for (const char* given : {"", "ab", "abcd", "abcabc", "abd", "ABC"}) EXPECT_FALSE(equalsKey(given, "abc")) << given;
  EXPECT_FALSE(equalsKey("", ""));
}

TEST(Guard, BeyondLoopbackAKeyIsNeeded) {
  EXPECT_TRUE(checkDoor({.host = "127.0.0.1"}));
  EXPECT_FALSE(checkDoor({.host = "0.0.0.0"}));
  EXPECT_FALSE(checkDoor({.host = "192.168.1.5"}));
  EXPECT_TRUE(checkDoor({.host = "0.0.0.0", .key = "k"}));
}

TEST(Guard, HostNamesTheServer) {
  const Options local{.host = "127.0.0.1"};
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "localhost"})
    EXPECT_EQ(statusOf({.host = host, .origin = {}, .authorization = {}}, local), 200) << host;
  for (const char* host : {"evil.example", "evil.example:8080", "192.168.1.5", "", ":8080", "localhost.evil.example"})
    EXPECT_EQ(statusOf({.host = host, .origin = {}, .authorization = {}}, local), 403) << host;
  EXPECT_EQ(statusOf({.host = {}, .origin = {}, .authorization = {}}, local), 403);
  EXPECT_EQ(statusOf({.host = "localhost", .origin = {}, .authorization = {}, .severalHosts = true}, local), 403);
  const Options wide{.host = "0.0.0.0", .key = "k"};
  EXPECT_EQ(statusOf({.host = "192.168.1.5:80", .origin = {}, .authorization = "Bearer k"}, wide), 200) << "an address cannot be rebound";
  for (const char* authorization : {"", "k", "Bearer x", "Bearer ", "Basic k"})
    EXPECT_EQ(statusOf({.host = "evil.example", .origin = {}, .authorization = authorization}, wide), 403) << authorization;
}

// Of Docker and Podman. No public server of names has them, so no page can have itself resolved to them.
TEST(Guard, NamesThatAreReservedForOneMachineAreOurs) {
  for (const auto& [host, status] : {std::pair("host.docker.internal:8080", 200),
                                     {"HOST.containers.internal", 200},
                                     {"models.localhost:8080", 200},
                                     {"printer.local", 403},
                                     {"internal", 403},
                                     {"docker.internal.evil.example", 403},
                                     {"evilinternal", 403}})
    EXPECT_EQ(statusOf({.host = host, .origin = {}, .authorization = {}}, {}), status) << host;
}

TEST(Guard, WhoKnowsTheKeyMayUseAnyName) {
  for (const char* listens : {"0.0.0.0", "127.0.0.1"}) {
    const Options options{.host = listens, .key = "k"};
    const auto with = [&](const char* host, std::optional<std::string> origin = {}) {
      return statusOf({.host = host, .origin = std::move(origin), .authorization = "Bearer k"}, options);
    };
    for (const char* host : {"box.lan", "box.lan:8080", "models.example"}) EXPECT_EQ(with(host), 200) << host;
    EXPECT_EQ(with("box.lan:8080", "http://box.lan:8080"), 200);
    EXPECT_EQ(with("box.lan:8080", "https://evil.example"), 403) << "another origin's page";
    EXPECT_EQ(statusOf({.host = {}, .origin = {}, .authorization = "Bearer k"}, options), 403);
    EXPECT_EQ(statusOf({.host = "box.lan", .origin = {}, .authorization = "Bearer k", .severalHosts = true}, options), 403);
  }
  EXPECT_EQ(statusOf({.host = "box.lan", .origin = {}, .authorization = "Bearer "}, {}), 403) << "without a key nobody knows it";
}

TEST(Guard, OriginIsTheServersOwn) {
  const Options local{};
  const auto from = [&](const char* origin) { return statusOf({.host = "localhost:8080", .origin = origin, .authorization = {}}, local); };
  EXPECT_EQ(from("http://localhost:8080"), 200);
  for (const char* origin :
       {"", "null", "https://evil.example", "http://localhost", "http://localhost:3000", "http://localhost:8080.evil.example"})
    EXPECT_EQ(from(origin), 403) << origin;
}

TEST(Guard, ProgramsWithAnOriginOfTheirOwnAreWelcome) {
  const auto from = [](const char* origin, const Options& options, std::optional<std::string> authorization = {}) {
    return statusOf({.host = "localhost:8080", .origin = origin, .authorization = std::move(authorization)}, options);
  };
  for (const char* origin : {"app://obsidian.md", "tauri://localhost", "vscode-webview://1abc", "vscode-file://vscode-app", "file://"}) {
    EXPECT_EQ(from(origin, {}), 200) << origin;
    EXPECT_EQ(from(origin, {.key = "k"}), 401) << origin;
    EXPECT_EQ(from(origin, {.key = "k"}, "Bearer k"), 200) << origin;
    EXPECT_EQ(statusOf({.host = "evil.example", .origin = origin, .authorization = {}}, {}), 403) << origin;
  }
  for (const char* origin : {"null", "http://app", "chrome-extension://abc", "app", "https://tauri://localhost"})
    EXPECT_EQ(from(origin, {}), 403) << origin;
}

TEST(Guard, PagesOfThisMachineNeedTheKey) {
  const Options options{.key = "k"};
  const auto from = [&](const char* origin, const char* authorization) {
    return statusOf({.host = "localhost:8080", .origin = origin, .authorization = authorization}, options);
  };
  EXPECT_EQ(from("http://localhost:3000", "Bearer k"), 200);
  EXPECT_EQ(from("http://127.0.0.1:3000", "Bearer k"), 200);
  EXPECT_EQ(from("http://localhost:3000", "Bearer x"), 403);
  EXPECT_EQ(from("http://localhost.evil.example", "Bearer k"), 403);
}

TEST(Guard, PagesThatTheOptionNamesAreWelcome) {
  const auto from = [](const char* origin, std::vector<std::string> origins) {
    return statusOf({.host = "localhost:8080", .origin = origin, .authorization = {}}, {.origins = std::move(origins)});
  };
  EXPECT_EQ(from("https://chat.example", {"https://other.example", "https://Chat.example"}), 200);
  EXPECT_EQ(from("http://localhost:3000", {"http://localhost:*"}), 200);
  EXPECT_EQ(from("https://anything.example", {"*"}), 200);
  EXPECT_EQ(from("https://chat.example.evil.example", {"https://chat.example"}), 403);
  EXPECT_EQ(from("http://localhost", {"http://localhost:*"}), 403);
}

TEST(Guard, BrowsersAreToldWhichPagesMayReadTheAnswer) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const Options options{.key = "k"};
  Visitor visitor{.host = "localhost:8080", .origin = "tauri://localhost", .authorization = {}};
  EXPECT_EQ(corsHeaders(visitor, options), (Headers{{"Access-Control-Allow-Origin", "tauri://localhost"}, {"Vary", "Origin"}}));
  visitor.asksMethod = "POST";
  visitor.asksHeaders = "authorization,content-type";
  visitor.asksPrivate = true;
  EXPECT_EQ(statusOf(visitor, options), 200) << "the question has no key";
  const Headers asked = corsHeaders(visitor, options);
  for (const auto& header : Headers{{"Access-Control-Allow-Headers", "authorization,content-type"},
                                    {"Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS"},
                                    {"Access-Control-Allow-Private-Network", "true"}})
    EXPECT_NE(std::ranges::find(asked, header), asked.end()) << header.first;
  visitor.origin = "http://localhost:3000";
  EXPECT_EQ(statusOf(visitor, options), 200) << "the request itself will need the key";
  EXPECT_EQ(statusOf(visitor, {}), 403);
  visitor.origin = "https://evil.example";
  EXPECT_EQ(statusOf(visitor, options), 403);
  EXPECT_TRUE(corsHeaders(visitor, options).empty());
}

TEST(Guard, OpenRoutesNeedNoKeyButTheRightHost) {
  const Options options{.key = "k"};
  EXPECT_EQ(statusOf({.host = "localhost", .origin = {}, .authorization = {}}, options, true), 200);
  EXPECT_EQ(statusOf({.host = "evil.example", .origin = {}, .authorization = {}}, options, true), 403);
  EXPECT_EQ(statusOf({.host = "localhost", .origin = {}, .authorization = "bearer k"}, options), 200) << "the scheme's case does not count";
  EXPECT_EQ(statusOf({.host = "localhost", .origin = {}, .authorization = "Bearer x"}, options), 401);
}

}  // namespace
}  // namespace minerva::serve
