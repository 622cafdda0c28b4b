// A model in memory with all that requests need of it.
#pragma once

#include "core/engine/reranker.h"
#include "core/serve/driver.h"

#include <memory>
#include <mutex>

namespace minerva::serve {

// Of engine (with driver), embedder and reranker there is one. Later members use earlier ones.
struct LoadedModel {
  std::unique_ptr<backend::Backend> backend;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Embedder> embedder;
  std::unique_ptr<engine::Reranker> reranker;
  std::shared_ptr<Driver> driver;
  std::mutex blocking;  // held while the embedder or the reranker runs

  // The GPU of a language model was lost, so that it fails whatever it is asked.
  [[nodiscard]] bool isLost() const { return driver && driver->lostDevice(); }
};

}  // namespace minerva::serve
