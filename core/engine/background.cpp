#include "core/engine/background.h"

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
  const std::scoped_lock lock(mutex);
  all.remove_if([](const Running& running) { return running.done->load(); });
  auto done = std::make_shared<std::atomic<bool>>(false);
  all.push_back({done, std::jthread([task = std::move(task), done]() mutable {
                   task();
                   task = nullptr;  // destroy what the task owns before it counts as done
                   *done = true;
                 })});
}

}  // namespace minerva::engine
