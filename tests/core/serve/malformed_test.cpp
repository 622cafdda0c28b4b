// Requests that are wrong in every way we know (tests/data/serve): each gets an error object, and the server stays right.
#include "tests/core/serve/serve_test.h"

#include "core/serve/connections.h"

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <fstream>
#include <malloc.h>
#include <map>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace minerva::serve {
namespace {

std::string fromBase64(const std::string& text) {
  std::string out;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string_view::npos) break;
    held = held << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) out += static_cast<char>(held >> (bits -= 8) & 0xFF);
  }
  return out;
}

int connectTo(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

class MalformedTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Options options;
    options.limits.idleTime = std::chrono::seconds(1);
    m_running = std::make_unique<Running>(Running::start(2, options));
    m_right = text();
  }
  static void TearDownTestSuite() { m_running.reset(); }
  static std::string text() {
    const Answer answer = post(*m_running, "/v1/chat/completions", chatOf("Hello").dump());
    return answer.status == 200 ? answer.json()["choices"][0]["message"]["content"].get<std::string>() : "";
  }
  // Sends the bytes as they are and returns all that comes back.
  static std::string raw(const std::string& bytes, bool halfClosed = false) {
    const int socket = connectTo(m_running->server->port());
    (void)send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (halfClosed) shutdown(socket, SHUT_WR);
    std::string reply;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = recv(socket, buffer.data(), buffer.size(), 0)) > 0;) reply.append(buffer.data(), static_cast<std::size_t>(n));
    close(socket);
    return reply;
  }

  static std::unique_ptr<Running> m_running;
  static std::string m_right;
};
std::unique_ptr<Running> MalformedTest::m_running;
std::string MalformedTest::m_right;

std::vector<Json> corpus() {
  std::ifstream file(std::filesystem::path(MINERVA_TEST_DATA) / "serve/malformed.jsonl");
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(Json::parse(line));
  return rows;
}

httplib::Request requestOf(const Json& row) {
  httplib::Request request;
  request.method = row["method"];
  request.path = row["path"];
  request.body = row.contains("body") ? row["body"].get<std::string>() : fromBase64(row["body_b64"]);
  const Json headers = row.value("headers", Json::object());
  for (const auto& [name, value] : headers.items()) request.set_header(name, value.get<std::string>());
  return request;
}

TEST_F(MalformedTest, EveryOneGetsAnErrorObject) {
  int count = 0;
  for (const Json& row : corpus()) {
    SCOPED_TRACE(row["name"].get<std::string>());
    const auto result = m_running->client().send(requestOf(row));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, row["status"].get<int>()) << result->body;
    const Json error = Json::parse(result->body, nullptr, false);
    ASSERT_TRUE(error.is_object() && error.contains("error")) << result->body;
    EXPECT_FALSE(error["error"]["message"].get<std::string>().empty());
    EXPECT_TRUE(error["error"]["type"].is_string());
    if (row.contains("param")) {
      EXPECT_EQ(error["error"]["param"], row["param"]) << result->body;
    }
    if (count++ % 20 == 0) {
      EXPECT_EQ(text(), m_right);
    }
  }
  EXPECT_GE(count, 200);
  EXPECT_EQ(text(), m_right);
}

// The final message is continued, so that the engine reads it too.
Json continuing(const Json& member) {
  Json last{{"role", "assistant"}, {"content", "Yes"}};
  last.update(member);
  return {{"messages", Json::array({{{"role", "user"}, {"content", "Hi"}}, std::move(last)})},
          {"continue_final_message", true},
          {"temperature", 0},
          {"max_tokens", 1}};
}

struct MemberOfMessage {
  const char* member;      // with * for the value
  const char* taken = "";  // of the values below, those that are not refused
  const char* param = nullptr;
};

TEST_F(MalformedTest, AMemberOfAMessageMayHaveAnyType) {
  const std::map<std::string, const char*> values{
      {"null", "null"}, {"number", "1"}, {"object", R"({"a":1})"}, {"list", "[1]"}, {"true", "true"}};
  for (const auto& [member, taken, param] : {
           MemberOfMessage{R"({"role":*})", "", "messages[1].role"},
           MemberOfMessage{R"({"content":*})", "null", "messages[1].content"},
           MemberOfMessage{R"({"reasoning_content":*})", "null", "messages[1].reasoning_content"},
           MemberOfMessage{R"({"reasoning_open":*})", "null true", "messages[1].reasoning_open"},
           MemberOfMessage{R"({"name":*})", "null", "messages[1].name"},
           MemberOfMessage{R"({"tool_call_id":*})", "null", "messages[1].tool_call_id"},
           MemberOfMessage{R"({"tool_calls":*})", "null", "messages[1].tool_calls"},
           MemberOfMessage{R"({"tool_calls":[*]})", "", "messages[1].tool_calls"},
           MemberOfMessage{R"({"tool_calls":[{"function":*}]})", "", "messages[1].tool_calls"},
           MemberOfMessage{R"({"tool_calls":[{"function":{"name":*}}]})", "", "messages[1].tool_calls"},
           MemberOfMessage{R"({"tool_calls":[{"function":{"name":"f","arguments":*}}]})", "null object", "messages[1].tool_calls"},
           MemberOfMessage{R"({"tool_calls":[{"id":*,"type":*,"function":{"name":"f"}}]})", "null number object list true"},
           MemberOfMessage{R"({"thinking":*})", "null", "messages[1].thinking"},
           MemberOfMessage{R"({"reasoning":*})", "null", "messages[1].reasoning"},
       }) {
    for (const auto& [name, value] : values) {
      std::string text = member;
      for (std::size_t at = 0; (at = text.find('*')) != std::string::npos;) text.replace(at, 1, value);
      const bool isTaken = std::string(taken).find(name) != std::string::npos;
      const Answer answer = post(*m_running, "/v1/chat/completions", continuing(Json::parse(text)).dump());
      ASSERT_EQ(answer.status, isTaken ? 200 : 400) << text << answer.body;
      if (!isTaken) {
        EXPECT_EQ(answer.json()["error"]["param"], param) << text << answer.body;
      }
    }
  }
  EXPECT_EQ(text(), m_right);
}

std::size_t residentBytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t openFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

// All of the corpus from eight threads, and as many clients that vanish in the middle of a request or a reply.
TEST_F(MalformedTest, AStreamIsNotDisturbedAndNothingIsLeftBehind) {
  const std::vector<Json> rows = corpus();
  Json body = chatOf("Tell me a story");
  body.update({{"max_tokens", 200}, {"ignore_eos", true}, {"stream", true}});
  const auto streamed = [&] {
    std::string content;
    for (const std::string& event : eventsOf(post(*m_running, "/v1/chat/completions", body.dump()).body)) {
      const Json chunk = Json::parse(event, nullptr, false);
      if (chunk.is_object() && !chunk["choices"].empty()) content += chunk["choices"][0]["delta"].value("content", "");
    }
    return content;
  };
  const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
  const auto attack = [&](std::size_t first) {
    for (std::size_t i = first; i < rows.size(); i += 8) {
      (void)m_running->client().send(requestOf(rows[i]));
      const int socket = connectTo(m_running->server->port());
      const std::string whole = head + std::to_string(body.dump().size()) + "\r\n\r\n" + body.dump();
      const std::string part = whole.substr(0, i % 3 == 0 ? whole.size() : whole.size() * i / rows.size());
      (void)send(socket, part.data(), part.size(), MSG_NOSIGNAL);
      if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      close(socket);
    }
  };
  const auto underway = [] {
    const auto result = m_running->client().Get("/metrics");
    return !result || result->body.find("\nminerva_requests_underway 0\n") == std::string::npos;
  };
  // Of the states that the slots hold when the latest replies of both are these.
  const auto heldBytes = [] {
    Json two = chatOf("Hello");
    two["n"] = 2;
    EXPECT_EQ(post(*m_running, "/v1/chat/completions", two.dump()).status, 200);
    const auto result = m_running->client().Get("/metrics");
    const std::string name = "\nminerva_state_bytes ";
    const std::size_t at = result ? result->body.find(name) : std::string::npos;
    return at == std::string::npos ? -1.0 : std::stod(result->body.substr(at + name.size()));
  };
  const std::string right = streamed();
  ASSERT_GT(right.size(), 200U);
  const double held = heldBytes();
  EXPECT_GT(held, 0);
  std::size_t resident = 0, files = 0;
  for (int round = 0; round < 4; ++round) {
    {
      std::vector<std::jthread> attackers;
      for (std::size_t i = 0; i < 8; ++i) attackers.emplace_back([&attack, i] { attack(i); });
      EXPECT_EQ(streamed(), right);
    }
    for (int i = 0; i < 200 && underway(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(underway());
    EXPECT_EQ(text(), m_right);
    EXPECT_EQ(heldBytes(), held);
    if (round == 0) {
      resident = residentBytes();
      files = openFiles();
    }
  }
  for (int i = 0; i < 200 && openFiles() > files; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the last ones close
  EXPECT_LE(openFiles(), files);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep what is freed
  EXPECT_LT(residentBytes(), resident + (8u << 20)) << "three rounds later";
#else
  EXPECT_GT(resident, 0U);
#endif
}

TEST_F(MalformedTest, BodiesThatAreTooLong) {
  for (const std::size_t size : {(8u << 20) + 1, 100u << 20}) {
    const Answer answer = post(*m_running, "/v1/completions", std::string(size, ' '));
    if (size < (64u << 20)) {
      EXPECT_EQ(answer.status, 413);
      EXPECT_EQ(answer.json()["error"]["type"], "invalid_request_error");
    } else {
      EXPECT_TRUE(answer.status == 413 || answer.status == 0) << "answered, or closed while it was still being sent";
    }
  }
  const std::string most = R"({"prompt":"a","max_tokens":1,"x":")" + std::string((8u << 20) - 40, 'x') + R"("})";
  ASSERT_LE(most.size(), 8u << 20);
  EXPECT_EQ(post(*m_running, "/v1/completions", most).status, 200);
  EXPECT_EQ(text(), m_right);
}

TEST_F(MalformedTest, WhatIsNotHttp) {
  const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n";
  const std::string body = chatOf("Hello").dump(), length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"GET\r\n\r\n", "400"},
      {std::string("\0\xff\xfe\r\n\r\n", 7), "400"},
      {"FETCH /health HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"},
      {"GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n", "400"},
      {"GET /" + std::string(20000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "41"},
      {"GET /health HTTP/1.1\r\n\r\n", "403"},
      {"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "403"},
      {head + "Content-Length: 1000\r\n\r\n{\"mess", "400"},
      {head + "Content-Length: -5\r\n\r\n" + body, "4"},
      {head + "Content-Length: 99999999999999999999999\r\n\r\n" + body, "4"},
      {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + body, "400"},
      {head + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n{", "4"},
  };
  for (const auto& [bytes, status] : cases) {
    const std::string reply = raw(bytes);
    EXPECT_EQ(reply.substr(0, 9 + status.size()), "HTTP/1.1 " + status) << bytes.substr(0, 60);
    EXPECT_NE(reply.find("{\"error\":"), std::string::npos) << bytes.substr(0, 60) << "\n" << reply;
  }
  std::string many = head;
  for (int i = 0; i < 200; ++i) many += "X-" + std::to_string(i) + ": a\r\n";
  EXPECT_EQ(raw(many + length + "\r\n" + body).substr(0, 12), "HTTP/1.1 431");
  // cpp-httplib takes a client that will send nothing more for one that is gone, and closes.
  for (const auto& [bytes, status] : cases) {
    const std::string reply = raw(bytes, true);
    EXPECT_TRUE(reply.empty() || reply.starts_with("HTTP/1.1 4")) << reply;
  }
  (void)raw("", true);
  EXPECT_EQ(text(), m_right);
}

// The library would repeat the reply as often as it is asked for.
TEST_F(MalformedTest, RangesOfAReplyAreNotTaken) {
  const std::string range = "Range: bytes=0-0" + [] {
    std::string more;
    for (int i = 0; i < 1000; ++i) more += ",0-0";
    return more;
  }();
  const std::string reply = raw("GET /health HTTP/1.1\r\nHost: localhost\r\n" + range + "\r\n\r\n");
  EXPECT_NE(reply.find("Content-Length: 15\r\n"), std::string::npos) << reply;
  EXPECT_TRUE(reply.ends_with("{\"status\":\"ok\"}")) << reply;
}

// A head that never ends: byte by byte, in one line, in many.
TEST(SlowClients, HaveALimitOfTime) {
  constexpr int slow = 200;
  Options options;
  options.limits.headTime = std::chrono::seconds(1);
  options.limits.connections = 100;
  const Running running = Running::start(1, options);
  std::vector<int> sockets;
  for (int i = 0; i < slow; ++i) sockets.push_back(connectTo(running.server->port()));
  std::atomic<bool> enough = false;
  std::atomic<int> closed = 0;
  std::jthread dripping([&] {
    const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nX-Long: ";
    for (std::size_t at = 0; !enough; ++at) {
      int gone = 0;
      for (const int socket : sockets) {
        const char byte = at < head.size() ? head[at] : 'a';
        (void)send(socket, &byte, 1, MSG_NOSIGNAL);
        gone += isClosedByPeer(socket) ? 1 : 0;
      }
      closed = gone;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const TimePoint began = Clock::now();
  EXPECT_EQ(post(running, "/v1/chat/completions", chatOf("Hello").dump()).status, 200);
  // Two rounds of a hundred, each of a second, come first.
  EXPECT_LT(millisecondsBetween(began, Clock::now()), 10e3);
  for (int i = 0; i < 100 && closed < slow; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  enough = true;
  dripping.join();
  EXPECT_EQ(closed, slow);
  for (const int socket : sockets) close(socket);
}

TEST_F(MalformedTest, AHeadWithoutEndIsCutOff) {
  for (const std::string& piece : {std::string(1000, 'a'), "X: " + std::string(1000, 'a') + "\r\n"}) {
    const int socket = connectTo(m_running->server->port());
    std::string bytes = "GET /health HTTP/1.1\r\n";
    std::size_t sent = 0;
    while (sent < (64u << 20)) {
      const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
      bytes = piece;
    }
    EXPECT_LT(sent, 16u << 20) << "what the system's buffers hold, and not all";
    close(socket);
  }
  EXPECT_EQ(text(), m_right);
}

}  // namespace
}  // namespace minerva::serve
