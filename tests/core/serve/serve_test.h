// A server with the built-in model, and clients of it.
#pragma once

#include "core/engine/reply.h"
#include "core/serve/server.h"
#include "gpu/available.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace minerva::serve {

using Json = nlohmann::ordered_json;

inline const std::filesystem::path builtInModel = std::filesystem::path(MINERVA_SOURCE_DIR) / "resources/builtin-model";

struct Running {
  std::unique_ptr<backend::Backend> backend;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<Server> server;

  static Running start(int slots, Options options, const std::filesystem::path& model = builtInModel) {
    Running made;
    auto backend = createBackend("cpu", {.threads = 2});
    EXPECT_TRUE(backend);
    made.backend = std::move(*backend);
    engine::LoadOptions load;
    load.path = model;
    load.sequences = slots;
    load.queue = slots + options.waiting;
    auto engine = engine::Engine::load(*made.backend, load, {}, {});
    EXPECT_TRUE(engine) << engine.error().message();
    made.engine = std::move(*engine);
    auto server = Server::start({.engine = made.engine.get(), .slots = slots, .embedder = nullptr}, std::move(options));
    EXPECT_TRUE(server) << server.error().message();
    made.server = std::move(*server);
    return made;
  }
  [[nodiscard]] httplib::Client client() const {
    httplib::Client client("127.0.0.1", server->port());
    client.set_read_timeout(120);
    client.set_connection_timeout(60);
    return client;
  }
};

struct Answer {
  int status = 0;  // 0: no reply
  std::string body, type;
  [[nodiscard]] Json json() const { return Json::parse(body, nullptr, false); }
};

inline Answer post(const Running& running, const char* path, const std::string& body, const httplib::Headers& headers = {}) {
  const auto result = running.client().Post(path, headers, body, "application/json");
  return result ? Answer{result->status, result->body, result->get_header_value("Content-Type")} : Answer{};
}

inline Json chatOf(const std::string& text) {
  return {{"messages", Json::array({{{"role", "user"}, {"content", text}}})}, {"temperature", 0}, {"max_tokens", 16}};
}

// The data of server-sent events, "[DONE]" included.
inline std::vector<std::string> eventsOf(const std::string& body) {
  std::vector<std::string> events;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = body.find("\n\n", at);
    EXPECT_NE(end, std::string::npos);
    if (end == std::string::npos) break;
    EXPECT_EQ(body.substr(at, 6), "data: ");
    events.push_back(body.substr(at + 6, end - at - 6));
    at = end + 2;
  }
  return events;
}

}  // namespace minerva::serve
