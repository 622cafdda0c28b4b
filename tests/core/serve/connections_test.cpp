// Threads that the system does not give: connections wait for another one, or are closed, and the server goes on.
#include "core/serve/connections.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <new>
#include <system_error>

namespace minerva::serve {
namespace {

// A server whose system gives as many threads as it is told.
struct ScantServer {
  explicit ScantServer(int given) : threads(given) {
    http.new_task_queue = [this] {
      return new Connections(8, [this](std::function<void()> work) {
        if (threads-- <= 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        return std::thread(std::move(work));
      });
    };
    http.Get("/waits", [this](const httplib::Request&, httplib::Response& response) {
      began.set_value();
      goesOn.get_future().wait();
      response.set_content("at last", "text/plain");
    });
    http.Get("/", [](const httplib::Request&, httplib::Response& response) { response.set_content("here", "text/plain"); });
    http.Get("/breaks", [](const httplib::Request&, httplib::Response& response) {
      response.set_chunked_content_provider("text/plain", [](std::size_t, httplib::DataSink& sink) -> bool {
        sink.write("so far", 6);
        throw std::bad_alloc();
      });
    });
    port = http.bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { http.listen_after_bind(); });
    while (!http.is_running()) std::this_thread::yield();
  }
  ~ScantServer() {
    http.stop();
    thread.join();
  }
  [[nodiscard]] std::string get(const char* path) const {
    httplib::Client client("127.0.0.1", port);
    client.set_read_timeout(60);
    const auto result = client.Get(path);
    return result ? result->body : "nothing";
  }

  const Limits limits{};
  std::atomic<int> threads;
  std::promise<void> began, goesOn;
  HttpServer http{limits};
  int port = 0;
  std::thread thread;
};

TEST(Connections, WithoutAnyThreadAConnectionIsClosed) {
  ScantServer server(0);
  EXPECT_EQ(server.get("/"), "nothing");
  server.threads = 1;
  EXPECT_EQ(server.get("/"), "here") << "there is a thread again";
}

TEST(Connections, WithoutAnotherThreadAConnectionWaits) {
  ScantServer server(1);
  auto first = std::async(std::launch::async, [&] { return server.get("/waits"); });
  server.began.get_future().wait();
  auto second = std::async(std::launch::async, [&] { return server.get("/"); });
  while (server.threads >= 0) std::this_thread::yield();  // it asked for a thread in vain
  server.goesOn.set_value();
  EXPECT_EQ(first.get(), "at last");
  EXPECT_EQ(second.get(), "here");
}

TEST(Connections, AnExceptionInAReplyEndsItsConnectionAlone) {
  const ScantServer server(2);
  EXPECT_EQ(server.get("/breaks"), "nothing");
  EXPECT_EQ(server.get("/"), "here");
}

}  // namespace
}  // namespace minerva::serve
