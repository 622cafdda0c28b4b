// Runs a comparison on its own thread. progress() returns a copy of the results so far.
//
// One run at a time. It loads its own instances of the models; the model loaded in the window is not affected. If a column
// fails, the others continue. A stop takes effect within one token during generation and within 16 during measurement.
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
  QString device;         // "": the best one available
  int contextLength = 0;  // tokens; 0: the model's maximum, but at most 8192
  QString text;           // distances and perplexity are measured on it
  int positions = 256;    // maximum tokens of `text` to use
  quint64 freeBytes = 0;  // memory assumed free when all models are loaded together; 0: as reported by the device
  BackendOptions backend{};
};

struct CompareProgress {
  std::vector<CompareColumn> columns;
  QString device;
  int positions = 0;
  bool running = false, stopped = false;
  bool admitted = false;                  // the models are being run: they fit
  std::optional<minerva::Error> refusal;  // set if nothing was run
};

class CompareJob {
 public:
  ~CompareJob();  // stops a run and waits for it
  void start(CompareOrder order);
  void stop() { m_thread.request_stop(); }
  [[nodiscard]] bool isRunning() const { return m_running.load(std::memory_order_acquire); }
  // Any thread.
  [[nodiscard]] CompareProgress progress() const;

 private:
  mutable std::mutex m_lock;
  CompareProgress m_progress;  // guarded
  std::atomic<bool> m_running{false};
  std::jthread m_thread;  // last member: joined before the others are destroyed
};

}  // namespace minerva::app
