// A model in memory with all that requests need of it.
#pragma once

#include "core/engine/reranker.h"
#include "core/serve/driver.h"
#include "core/serve/turn.h"

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
  Turn turn;  // held while the embedder or the reranker runs

  // On all devices, without what is mapped from files.
  [[nodiscard]] std::uint64_t bytes() const {
    if (engine) return engine->info().memory.allocated() + engine->info().draftMemory.allocated();
    return embedder ? embedder->info().memory.allocated() : reranker ? reranker->info().memory.allocated() : 0;
  }

  // Why it fails whatever it is asked: its GPU was lost, or what was on it. From any thread, as lose(), which notes an answer's error if it
  // is such a loss.
  [[nodiscard]] std::optional<Error> loss() const {
    const std::scoped_lock lock(m_mutex);
    if (m_loss) return m_loss;
    if (driver && driver->loss()) return driver->loss();
    const Result<void> kept = backend ? backend->checkMemory() : Result<void>();
    return kept ? std::nullopt : std::optional(kept.error());
  }
  void lose(const Error& error) {
    const std::scoped_lock lock(m_mutex);
    if (losesDevice(error.kind) && !m_loss) m_loss = error;
  }

 private:
  mutable std::mutex m_mutex;
  std::optional<Error> m_loss;
};

}  // namespace minerva::serve
