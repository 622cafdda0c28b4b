// Hands requests and cancellations from other threads to the engine. Prompts are made on a separate thread, so that
// running replies do not wait for a template or a tokenizer.
//
// submit(), cancel() and waitForWork() may be called from any thread; take(), waitForPrompt(), waitForPrompts() and
// setWaiting() only from the driving thread.
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
  // most: limit of waiting requests, here and in the scheduler together.
  Inbox(PromptMaker maker, int most) : m_maker(std::move(maker)), m_most(static_cast<std::size_t>(most)) {}
  ~Inbox();  // waits for the prompt that is being made and discards the others

  // If the limit is reached, the request is delivered with an error instead of a prompt.
  RequestId submit(Request request);
  void cancel(RequestId id);
  // Blocks until take() would return something. Returns false on stop.
  bool waitForWork(std::stop_token stop);

  struct Made {
    Arrival arrival;
    Result<Prompt> prompt;
  };
  struct Delivery {
    std::vector<Made> made;            // in submission order, followed by refused requests
    std::vector<Made> withdrawn;       // cancelled before the prompt was made (the error is `cancelled`)
    std::vector<RequestId> cancelled;  // all other cancellations
    [[nodiscard]] bool empty() const { return made.empty() && withdrawn.empty() && cancelled.empty(); }
  };
  [[nodiscard]] Delivery take();
  // Waits until take() would return something, at most `most`. Returns false at once if no request is being prepared.
  bool waitForPrompt(std::chrono::milliseconds most);
  // Waits until the prompt of every request submitted so far is made or withdrawn.
  void waitForPrompts();
  // Number of requests that were taken but have not started; they count as waiting.
  void setWaiting(std::size_t requests);

 private:
  void makeAll();
  [[nodiscard]] bool delivers() const { return !m_made.empty() || !m_refused.empty() || !m_cancelled.empty(); }

  const PromptMaker m_maker;
  const std::size_t m_most;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  RequestId m_lastId = 0;  // from here to m_busy: guarded by m_mutex
  std::map<RequestId, Arrival> m_toMake;
  std::optional<Arrival> m_making;  // without its request, which makeAll() is reading; reset if withdrawn
  std::vector<Made> m_made;
  std::vector<Made> m_refused;  // not counted as waiting
  std::vector<RequestId> m_cancelled;
  std::size_t m_waiting = 0;
  bool m_busy = false;   // makeAll() is running or scheduled
  TaskQueue m_tasks{1};  // last member: its thread must end before the others are destroyed
};

}  // namespace minerva::engine
