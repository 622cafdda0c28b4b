// Streams that have nothing to tell for a while, before they begin or within: something comes all the same, and the reply is the same.
#include "tests/core/serve/serve_test.h"
#include "tests/core/serve/typed_events.h"

#include <atomic>
#include <sstream>
#include <thread>
#include <tuple>

namespace minerva::serve {
namespace {

// A server whose engine stands still until it is told to go on, so that every stream is silent.
class SilenceTest : public testing::Test {
 protected:
  void SetUp() override {
    m_backend = std::move(*createBackend("cpu", {.threads = 2}));
    engine::LoadOptions load;
    load.path = builtInModel;
    load.queue = 4;
    m_engine = std::move(*engine::Engine::load(*m_backend, load, {}, {}));
    m_desk = std::make_shared<EngineDesk>(*m_engine, 4);
    m_engine->setSink([this](const engine::Event& event) { m_desk->hear(event); });
    m_steps = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested())
        if (m_stands || !m_engine->step()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    Options options;
    options.limits.silence = std::chrono::milliseconds(1);
    const auto desk = [this](bool, const std::function<bool()>&) -> Result<std::shared_ptr<EngineDesk>> { return m_desk; };
    auto server = Server::start({.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = desk}, options);
    ASSERT_TRUE(server) << server.error().message();
    m_server = std::move(*server);
  }
  void TearDown() override {
    m_server.reset();
    m_desk->close({.kind = ErrorKind::cancelled, .what = "The test is over"});
    m_steps = {};
  }

  [[nodiscard]] httplib::Client client() const {
    httplib::Client client("127.0.0.1", m_server->port());
    client.set_read_timeout(60);
    return client;
  }
  [[nodiscard]] Json whole(const char* path, Json body) {
    m_stands = false;
    body["stream"] = false;
    const auto answer = client().Post(path, body.dump(), "application/json");
    m_stands = true;
    return answer && answer->status == 200 ? Json::parse(answer->body) : Json();
  }
  // Of a stream that stands still until the words have come twice.
  [[nodiscard]] std::string streamed(const char* path, Json body, const std::string& words) {
    std::string text;
    body["stream"] = true;
    httplib::Request request;
    request.method = "POST";
    request.path = path;
    request.body = body.dump();
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      text.append(data, size);
      const std::size_t first = text.find(words);
      if (first != std::string::npos && text.find(words, first + words.size()) != std::string::npos) m_stands = false;
      return true;
    };
    httplib::Client asking = client();
    asking.set_read_timeout(10);
    EXPECT_TRUE(asking.send(request)) << path;
    EXPECT_FALSE(m_stands) << path << text;
    m_stands = true;
    return text;
  }

  std::unique_ptr<backend::Backend> m_backend;
  std::unique_ptr<engine::Engine> m_engine;
  std::shared_ptr<EngineDesk> m_desk;
  std::atomic<bool> m_stands = true;
  std::jthread m_steps;
  std::unique_ptr<Server> m_server;
};

std::string contentOfChunks(const std::string& body) {
  std::string text;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line == ":" || line == "data: [DONE]") continue;
    EXPECT_EQ(line.substr(0, 6), "data: ");
    const Json choice = Json::parse(line.substr(6))["choices"][0];
    text += choice.contains("text") ? choice.value("text", "") : choice["delta"].value("content", "");
  }
  return text;
}

TEST_F(SilenceTest, OfChatsAndCompletionsHasComments) {
  const Json chat = chatOf("Hello"), plain{{"prompt", "Hello"}, {"temperature", 0}, {"max_tokens", 16}};
  EXPECT_EQ(contentOfChunks(streamed("/v1/chat/completions", chat, ":\n\n")),
            whole("/v1/chat/completions", chat)["choices"][0]["message"]["content"]);
  EXPECT_EQ(contentOfChunks(streamed("/v1/completions", plain, ":\n\n")), whole("/v1/completions", plain)["choices"][0]["text"]);
}

TEST_F(SilenceTest, OfMessagesHasPings) {
  const Json expected = whole("/v1/messages", chatOf("Hello"));
  std::string text, started;
  for (const TypedEvent& event : typedEventsOf(streamed("/v1/messages", chatOf("Hello"), "event: ping\n"))) {
    if (event.type == "ping") {
      EXPECT_EQ(event.data, Json::parse(R"({"type":"ping"})"));
    } else if (started.empty()) {
      started = event.type;
      const Json& usage = event.data["message"]["usage"];
      EXPECT_GT(usage["input_tokens"].get<int>() + usage["cache_read_input_tokens"].get<int>(), 0) << "it is told when it is known";
    } else if (event.type == "content_block_delta") {
      text += event.data["delta"]["text"].get<std::string>();
    }
  }
  EXPECT_EQ(started, "message_start");
  EXPECT_EQ(text, expected["content"][0]["text"]);
}

// Codex counts events; comments are none. The official client goes on from the response that the repeated event has.
TEST_F(SilenceTest, OfResponsesRepeatsAnEvent) {
  const Json body{{"input", "Hello"}, {"temperature", 0}, {"max_output_tokens", 16}};
  const auto events = typedEventsOf(streamed("/v1/responses", body, "event: response.in_progress\n"));
  ASSERT_FALSE(events.empty());
  std::string text;
  int created = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].data["sequence_number"], i);
    created += events[i].type == "response.created" ? 1 : 0;
    if (events[i].type == "response.output_text.delta") text += events[i].data["delta"].get<std::string>();
    if (events[i].type != "response.in_progress") continue;
    const Json& output = events[i].data["response"]["output"];
    EXPECT_EQ(output.empty() ? "" : output[0]["content"][0]["text"].get<std::string>(), text);
  }
  EXPECT_EQ(created, 1);
  EXPECT_EQ(events.front().type, "response.created");
  EXPECT_EQ(text, whole("/v1/responses", body)["output"][0]["content"][0]["text"]);
}

TEST_F(SilenceTest, OfOllamaHasEmptyLines) {
  const Json options{{"temperature", 0}, {"num_predict", 16}};
  const Json chat{{"messages", chatOf("Hello")["messages"]}, {"options", options}}, plain{{"prompt", "Hello"}, {"options", options}};
  for (const auto& [path, body, empty] :
       {std::tuple("/api/chat", chat, R"("content":""},"done":false)"), {"/api/generate", plain, R"("response":"","done":false)"}}) {
    std::string text;
    std::istringstream lines(streamed(path, body, empty));
    const auto textOf = [](const Json& line) {
      return line.contains("message") ? line["message"]["content"].get<std::string>() : line.value("response", "");
    };
    for (std::string line; std::getline(lines, line);) text += textOf(Json::parse(line));
    EXPECT_EQ(text, textOf(whole(path, body))) << path;
  }
}

}  // namespace
}  // namespace minerva::serve
