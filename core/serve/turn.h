// The turn of a request at an embedder or a reranker, which answer one at a time.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace minerva::serve {

struct Call;
struct Context;

// A mutex that is waited for with a limit. std::timed_mutex is unknown to the thread sanitizer of GCC 12.
class Turn {
 public:
  [[nodiscard]] bool try_lock_for(std::chrono::milliseconds most);
  void unlock();

 private:
  std::mutex m_mutex;
  std::condition_variable m_freed;
  bool m_isTaken = false;  // guarded
};

// Waits for Context::turn. Error: cancelled (the client has gone meanwhile, or the server stops).
[[nodiscard]] Result<std::unique_lock<Turn>> waitForTurn(const Context& context, const Call& call);

}  // namespace minerva::serve
