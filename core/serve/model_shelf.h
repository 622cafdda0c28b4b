// Models by name: loaded when a request names them, let go when nobody has used them for a while, or when another needs their memory.
// All functions may be called from any thread.
#pragma once

#include "core/engine/device_losses.h"
#include "core/serve/loaded_model.h"
#include "core/serve/model_kind.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace minerva::serve {

struct ShelfItem {
  std::string name;
  std::filesystem::path path;
  std::optional<ModelHeader> header{};  // for lists, until the model is loaded
};

class ModelShelf {
 public:
  // The models that stay in memory during a load.
  struct Beside {
    int models = 0;
    std::uint64_t gpuBytes = 0, bytes = 0;  // bytes: on all devices
  };
  struct LoadHow {
    std::string whyCpu;  // if not empty, the model is to be loaded on the CPU, and this is the reason
    Beside beside;
    std::stop_token stop;
  };
  // Blocks. Error outOfMemory: other models are let go, and it is tried again; any other if the model would not fit without them, either. A
  // lost GPU: it is tried again, then on the CPU (core/engine/device_losses.h).
  using Load = std::function<Result<std::unique_ptr<LoadedModel>>(const ShelfItem& item, const LoadHow& how)>;
  struct How {
    std::chrono::milliseconds idle{0};        // how long a model stays that nobody uses; 0: as long as its memory is not needed
    std::chrono::milliseconds room{60'000};   // how long a request waits for memory while all other models are in use
    std::chrono::milliseconds alone{60'000};  // how long no other model is let go for one that did not fit without them, either
  };
  struct Listed {
    std::string name;
    enum class State { away, loading, here, leaving } state = State::away;
    std::optional<engine::ModelInfo> text{};      // of a language model that was loaded once
    std::optional<engine::EmbedderInfo> other{};  // of another model that was
    std::optional<ModelHeader> header{};          // the loaded model's, or ShelfItem's
  };

  // Names differ from each other.
  ModelShelf(std::vector<ShelfItem> items, Load load, How how);
  ~ModelShelf();  // after the last pointer that take() gave
  ModelShelf(const ModelShelf&) = delete;
  ModelShelf& operator=(const ModelShelf&) = delete;

  // Waits for the load; a model whose GPU was lost is loaded again. The model stays while the pointer lives. gone: asked while it waits,
  // true ends that. Errors: notFound (where is modelField), cancelled (gone, or stop() was called), those of the load.
  [[nodiscard]] Result<std::shared_ptr<LoadedModel>> take(const std::string& name, const std::function<bool()>& gone);
  // The model is let go as soon as nobody uses it, unless it is taken before. Error: notFound, as in take().
  [[nodiscard]] Result<void> release(const std::string& name);
  [[nodiscard]] std::vector<Listed> list() const;
  [[nodiscard]] Figures figures() const;  // of all models, present and gone
  // Requests underway end with an error, and no further ones are taken.
  void stop();

 private:
  using State = Listed::State;
  struct Entry {
    ShelfItem item;
    Listed listed;
    std::unique_ptr<LoadedModel> model;
    std::size_t users = 0;
    TimePoint lastUsed{};
    bool isReleased = false;
    std::uint64_t attempts = 0;            // to load it
    std::optional<Error> error;            // of the latest
    std::optional<TimePoint> failedAlone;  // when it ran out of memory with no other model in it
    engine::DeviceLosses losses;
    Figures past;
  };
  using Lock = std::unique_lock<std::mutex>;

  [[nodiscard]] Result<Entry*> find(const std::string& name);
  [[nodiscard]] bool isDue(const Entry& entry) const;  // to be let go
  [[nodiscard]] std::shared_ptr<LoadedModel> lend(Entry& entry);
  [[nodiscard]] std::string inUse() const;  // names
  [[nodiscard]] Beside beside() const;
  // Errors of these three: the client has gone, or the server stops.
  [[nodiscard]] Result<void> load(Lock& lock, Entry& entry, const std::function<bool()>& gone);
  [[nodiscard]] Result<bool> tryToLoad(Lock& lock, Entry& entry, TimePoint until, const std::function<bool()>& gone);  // true: once more
  [[nodiscard]] Result<bool> makeRoom(Lock& lock, const Entry& entry, TimePoint until, const std::function<bool()>& gone);
  void letGo(Lock& lock, Entry& entry);
  [[nodiscard]] Result<void> wait(Lock& lock, const std::function<bool()>& gone);
  void watchUnused(const std::stop_token& stop);

  const Load m_load;
  const How m_how;
  std::stop_source m_stopping;
  mutable std::mutex m_mutex;
  std::condition_variable_any m_changed;
  std::vector<std::unique_ptr<Entry>> m_entries;  // the entries: guarded
  bool m_isLoading = false;                       // guarded: one at a time
  std::jthread m_unusedWatch;                     // last member
};

}  // namespace minerva::serve
