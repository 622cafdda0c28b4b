// A shelf of real models, and a server on it.
#pragma once

#include "tests/core/serve/serve_test.h"
#include "tests/support/no_threads.h"

#include <atomic>
#include <thread>
#include <utility>

namespace minerva::serve {

using State = ModelShelf::Listed::State;
using std::chrono::milliseconds;

inline const std::filesystem::path vectorModel = std::filesystem::path(MINERVA_TEST_DATA) / "embedding/tiny-xlm-roberta/hf";

inline bool becomes(const std::function<bool()>& true_) {
  for (int i = 0; i < 1000 && !true_(); ++i) std::this_thread::sleep_for(milliseconds(5));
  return true_();
}

// A shelf of real models: "one" and "two" write, "vectors" makes vectors, "lost" is not there. `most` models fit into its memory.
struct TestShelf {
  explicit TestShelf(ModelShelf::How how, std::size_t most = 9) : fits(most) {
    shelf = std::make_unique<ModelShelf>(
        std::vector<ShelfItem>{{"one", builtInModel, *readHeader(builtInModel)},
                               {"two", builtInModel},
                               {"vectors", vectorModel, *readHeader(vectorModel)},
                               {"lost", "/nowhere/lost.gguf"}},
        [this](const ShelfItem& item, const ModelShelf::LoadHow& how) { return load(item, how); }, how);
  }
  [[nodiscard]] std::size_t present() const {
    const auto all = shelf->list();
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](const auto& one) { return one.state == State::here || one.state == State::leaving; }));
  }
  [[nodiscard]] State stateOf(const std::string& name) const {
    const auto all = shelf->list();
    return std::ranges::find(all, name, &ModelShelf::Listed::name)->state;
  }
  Result<std::unique_ptr<LoadedModel>> load(const ShelfItem& item, const ModelShelf::LoadHow& how) {
    ++loads;
    whyCpus.push_back(how.whyCpu);
    besides.push_back(how.beside);
    if (how.whyCpu.empty() && !failing.empty()) {
      const ErrorKind kind = failing.front();
      failing.erase(failing.begin());
      return fail({.kind = kind, .what = "The device is gone", .where = "the GPU"});
    }
    while (held && !how.stop.stop_requested()) std::this_thread::sleep_for(milliseconds(5));
    if (present() >= fits || item.name == tooLarge)
      return fail({.kind = ErrorKind::outOfMemory, .what = "The model does not fit", .where = item.path.string()});
    auto made = std::make_unique<LoadedModel>();
    MINERVA_ASSIGN(made->backend, createBackend("cpu", {.threads = 1}));
    if (item.path == vectorModel) {
      engine::EmbedderOptions options;
      options.path = item.path;
      MINERVA_ASSIGN(made->embedder, engine::Embedder::load(*made->backend, options, {}, how.stop));
    } else {
      engine::LoadOptions options;
      options.path = item.path;
      options.queue = 9;
      MINERVA_ASSIGN(made->engine, engine::Engine::load(*made->backend, options, {}, how.stop));
      const auto threads = std::exchange(noThread, false) ? std::make_unique<tests::NoThreads>() : nullptr;
      made->driver = std::make_shared<Driver>(*made->engine, 9);
    }
    return made;
  }

  std::size_t fits;
  std::atomic<int> loads = 0;
  std::atomic<bool> held = false;    // while this is set, no load goes on
  std::vector<std::string> whyCpus;  // of the loads
  std::vector<ModelShelf::Beside> besides;
  std::string tooLarge{};            // the name of a model that fits into no memory
  bool noThread = false;             // the next language model gets none
  std::vector<ErrorKind> failing{};  // how the next loads on the GPU fail
  std::unique_ptr<ModelShelf> shelf;
};

struct ServedShelf : TestShelf {
  explicit ServedShelf(ModelShelf::How how, std::size_t most = 9) : TestShelf(how, most) {
    auto made = Server::start(
        {.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = {}, .reranker = nullptr, .shelf = shelf.get(), .alone = false}, {});
    EXPECT_TRUE(made) << made.error().message();
    server = std::move(*made);
  }
  [[nodiscard]] Answer ask(const char* path, const Json& body) const {
    httplib::Client client("127.0.0.1", server->port());
    client.set_read_timeout(60);
    const auto result = client.Post(path, body.dump(), "application/json");
    return result ? Answer{result->status, result->body, ""} : Answer{};
  }
  [[nodiscard]] Answer chat(const std::string& model, int tokens = 8) const {
    Json body = chatOf("Hello");
    body.update({{"model", model}, {"max_tokens", tokens}});
    return ask("/v1/chat/completions", body);
  }
  [[nodiscard]] Json get(const char* path) const {
    const auto result = httplib::Client("127.0.0.1", server->port()).Get(path);
    return result ? Json::parse(result->body, nullptr, false) : Json();
  }
  std::unique_ptr<Server> server;
};

}  // namespace minerva::serve
