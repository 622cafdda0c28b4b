// Tasks run one after the other on a thread of their own, in the order they came.
//
// Any thread may call. A task must not throw.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace minerva {

class TaskQueue {
 public:
  // most: tasks that may wait, the one that runs not counted.
  explicit TaskQueue(std::size_t most) : m_most(most) {}
  ~TaskQueue();  // waits for the task that runs; those that wait are dropped
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  // False: as many wait as may, or the system has no thread to give; the task is dropped.
  [[nodiscard]] bool post(std::function<void()> task);

 private:
  bool hasThread();  // started by the first task
  void work(const std::stop_token& stop);

  const std::size_t m_most;
  std::mutex m_mutex;
  std::condition_variable_any m_posted;
  std::deque<std::function<void()>> m_tasks;  // guarded
  std::jthread m_thread;                      // guarded until it runs
};

}  // namespace minerva
