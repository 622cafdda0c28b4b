#include "core/engine/background.h"

#include "core/base/start_thread.h"

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace minerva::engine {
namespace {

struct Running {
  std::shared_ptr<std::atomic<bool>> done;
  std::jthread thread;  // joined on destruction
};

}  // namespace

void runInBackground(std::function<void()> task) {
  static std::mutex mutex;
  static std::list<Running> all;
  auto done = std::make_shared<std::atomic<bool>>(false);
  const auto shared = std::make_shared<std::function<void()>>(std::move(task));
  const auto run = [shared, done] {
    (*shared)();
    *shared = nullptr;  // destroy what the task owns before it counts as done
    *done = true;
  };
  {
    const std::scoped_lock lock(mutex);
    all.remove_if([](const Running& running) { return running.done->load(); });
    Running& added = all.emplace_back(done);
    if (startThread(added.thread, run)) return;
    all.pop_back();
  }
  run();
}

}  // namespace minerva::engine
