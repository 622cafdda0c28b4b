// Runs a comparison on a thread of its own. What each column has so far is copied out on request.
//
// One run at a time. The models are opened here and nowhere else; the window's own model is not touched. A column that
// fails leaves the others. Stopping is answered within a token while text is written, within 16 while something is
// measured.
#pragma once

#include "app/compare/compare_types.h"
#include "gpu/available.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace minerva::app {

struct CompareOrder {
  std::vector<CompareModel> models;
  CompareSettings settings;
  QString device;         // "": the best that works
  int contextLength = 0;  // 0: the models' own
  QString text;           // distances and perplexity are measured over it
  int positions = 256;    // of it, at most
  quint64 freeBytes = 0;  // what counts as free when all are loaded together; 0: what the device says
  BackendOptions backend{};
};

struct CompareProgress {
  std::vector<CompareColumn> columns;
  QString device;
  int positions = 0;
  bool running = false, stopped = false;
  std::optional<minerva::Error> refusal;  // nothing was run
};

class CompareJob {
 public:
  ~CompareJob();  // stops what runs and waits for it
  void start(CompareOrder order);
  void stop() { m_thread.request_stop(); }
  [[nodiscard]] bool isRunning() const { return m_running.load(std::memory_order_acquire); }
  // Any thread.
  [[nodiscard]] CompareProgress progress() const;

 private:
  mutable std::mutex m_lock;
  CompareProgress m_progress;  // guarded
  std::atomic<bool> m_running{false};
  std::jthread m_thread;  // last: joined before the rest goes
};

}  // namespace minerva::app
