// What other threads hand to the engine: requests, made into prompts on a thread of its own so that no running reply waits
// for a template or a tokenizer, and cancellations.
//
// submit(), cancel() and waitForWork() may be called from any thread; take(), waitForPrompt() and setWaiting() by the driving
// thread only.
#pragma once

#include "core/base/task_queue.h"
#include "core/engine/prompt.h"
#include "core/engine/sequence.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

namespace minerva::engine {

class Inbox {
 public:
  // most: requests that wait for their turn, here and with the scheduler.
  Inbox(PromptMaker maker, int most) : m_maker(std::move(maker)), m_most(static_cast<std::size_t>(most)) {}
  ~Inbox();  // waits for the prompt that is being made, not for the others

  // One that finds as many waiting as may is handed on with the error that says so.
  RequestId submit(Request request);
  void cancel(RequestId id);
  // Until there is something for take(). False: stop.
  bool waitForWork(std::stop_token stop);

  struct Made {
    Arrival arrival;
    Result<Prompt> prompt;
  };
  struct Delivery {
    std::vector<Made> made;            // in the order they were submitted, but for those that were refused
    std::vector<Made> withdrawn;       // cancelled before their prompt was made (the error is `cancelled`)
    std::vector<RequestId> cancelled;  // the others
    [[nodiscard]] bool empty() const { return made.empty() && withdrawn.empty() && cancelled.empty(); }
  };
  [[nodiscard]] Delivery take();
  // Until a prompt is made or a request is cancelled, but no longer than this. False: no request is on its way.
  bool waitForPrompt(std::chrono::milliseconds most);
  // Requests that were taken and have not begun: they count as waiting.
  void setWaiting(std::size_t requests);

 private:
  void makeAll();
  [[nodiscard]] bool delivers() const { return !m_made.empty() || !m_refused.empty() || !m_cancelled.empty(); }

  const PromptMaker m_maker;
  const std::size_t m_most;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  RequestId m_lastId = 0;  // all guarded by m_mutex
  std::map<RequestId, Arrival> m_toMake;
  std::optional<Arrival> m_making;  // without its request, which is being read; nothing: withdrawn, or none
  std::vector<Made> m_made;
  std::vector<Made> m_refused;  // no longer waiting, so not counted
  std::vector<RequestId> m_cancelled;
  std::size_t m_waiting = 0;
  bool m_busy = false;   // makeAll() runs or is about to
  TaskQueue m_tasks{1};  // last: its thread ends before the rest goes
};

}  // namespace minerva::engine
