#include "core/base/task_queue.h"

#include "core/base/start_thread.h"

#include <utility>

namespace minerva {

TaskQueue::~TaskQueue() {
  m_thread.request_stop();
  if (m_thread.joinable()) m_thread.join();
}

bool TaskQueue::post(std::function<void()> task) {
  const std::scoped_lock lock(m_mutex);
  if (m_tasks.size() >= m_most || !hasThread()) return false;
  m_tasks.push_back(std::move(task));
  m_posted.notify_one();
  return true;
}

bool TaskQueue::hasThread() {
  return m_thread.joinable() || startThread(m_thread, [this](const std::stop_token& stop) { work(stop); });
}

void TaskQueue::work(const std::stop_token& stop) {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(m_mutex);
      if (!m_posted.wait(lock, stop, [this] { return !m_tasks.empty(); }) || stop.stop_requested()) return;
      task = std::move(m_tasks.front());
      m_tasks.pop_front();
    }
    task();
  }
}

}  // namespace minerva
