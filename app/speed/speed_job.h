// Measures a model on its own thread, with its own instance of it; the model loaded in the window is not affected.
//
// One run at a time. state() returns a copy of what is known so far; a stop takes effect within one step of the model.
#pragma once

#include "app/inference/load_preferences.h"
#include "core/speed/saved_report.h"
#include "core/speed/speed_run.h"

#include <QString>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace minerva::app {

struct SpeedOrder {
  QString path;
  LoadPreferences preferences;  // device, memory, keys and values, threads; room for the tasks is made instead of the rest
  BackendOptions backend;
  std::vector<speed::SpeedTask> tasks;
  int repetitions = 3;
};

struct SpeedState {
  enum class Stage { loading, measuring, bandwidth } stage = Stage::loading;
  double progress = 0;  // of all, 0 to 1; never falls during a run
  std::size_t task = 0;
  int repetition = -1;                     // -1: warming up
  speed::SpeedReport report;               // the tasks that are done; the share of the bandwidth is known at the end
  bool running = false, finished = false;  // finished: all was measured
  std::optional<minerva::Error> error;     // none for a stop
};

class SpeedJob {
 public:
  ~SpeedJob();  // stops a run and waits for it
  void start(SpeedOrder order);
  void stop() { m_thread.request_stop(); }
  [[nodiscard]] bool isRunning() const { return m_running.load(std::memory_order_acquire); }
  [[nodiscard]] SpeedState state() const;  // any thread

 private:
  void run(const SpeedOrder& order, const std::stop_token& stop);
  void end(const Result<void>& done);
  [[nodiscard]] Result<void> measure(const SpeedOrder& order, const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<speed::SpeedRun>> measureTasks(const SpeedOrder& order, engine::Engine& engine,
                                                                  const std::stop_token& stop);
  template <class With>
  void change(With with) {
    const std::scoped_lock guard(m_lock);
    with(m_state);
  }

  mutable std::mutex m_lock;
  SpeedState m_state;  // guarded
  std::atomic<bool> m_running{false};
  std::jthread m_thread;  // last member: joined before the others are destroyed
};

}  // namespace minerva::app
