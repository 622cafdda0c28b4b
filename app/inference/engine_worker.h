// Lives on the engine's thread: owns backend and engine, loads, steps while there is work, answers by signals.
//
// Called only through queued invocations; whoever queues one calls yieldSoon() then, and it runs after the engine step in
// progress. A load is stopped by the stop token in its order (request_stop() may come from any thread).
#pragma once

#include "app/inference/frame_coalescer.h"
#include "app/inference/load_preferences.h"
#include "app/inference/model_facts.h"
#include "app/inference/prompt_question.h"
#include "gpu/available.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <stop_token>
#include <unordered_map>

namespace minerva::app {

struct LoadOrder {
  quint64 serial = 0;
  QString path;
  LoadPreferences preferences;
  bool evenIfTooLarge = false;  // on the CPU, whose memory the system can stretch
  std::stop_token stop;
};

struct LoadOutcome {
  quint64 serial = 0;
  ModelFacts model;
  DeviceBadge device;
  engine::SamplingOptions recommended;
  std::optional<minerva::Error> error;
};

class EngineWorker : public QObject {
  Q_OBJECT
 public:
  // coalescer: lives on the GUI thread and outlives the worker's thread.
  EngineWorker(BackendOptions options, FrameCoalescer* coalescer);
  ~EngineWorker() override;

  void findDevices();
  void load(const LoadOrder& order);
  void unload();
  void submit(quint64 ticket, const engine::Request& request, TimePoint sent);
  void cancel(quint64 ticket);
  void examine(quint64 number, const PromptQuestion& question);
  void measureBandwidth();
  void yieldSoon() { m_yield.store(true, std::memory_order_release); }  // any thread

 Q_SIGNALS:
  void devicesFound(const minerva::AvailableDevices& devices);
  void loadProgressed(quint64 serial, const minerva::engine::LoadProgress& progress);
  void loadEnded(const minerva::app::LoadOutcome& outcome);
  void examined(quint64 number, const minerva::app::PromptAnswer& answer);
  void bandwidthMeasured(const QString& deviceId, double bytesPerSecond);

 private:
  [[nodiscard]] Result<void> loadSomewhere(const LoadOrder& order, QString& whyNot);
  [[nodiscard]] Result<void> loadOn(const QString& device, const LoadOrder& order);
  void dropEngine();
  void step();
  void queueStep();
  void take(const engine::Event& event);
  void failTicket(quint64 ticket, const minerva::Error& error);

  BackendOptions m_options;
  FrameCoalescer* m_coalescer;
  AvailableDevices m_devices;
  bool m_devicesKnown = false;
  QString m_backendDevice;  // as asked for
  std::unique_ptr<backend::Backend> m_backend;
  std::unique_ptr<engine::Engine> m_engine;
  struct Ticket {
    quint64 number = 0;
    RequestSpan span;
  };
  std::unordered_map<engine::RequestId, Ticket> m_tickets;
  TimePoint m_loadBegan{}, m_loadEnded{};  // the last one
  bool m_stepQueued = false;
  std::atomic<bool> m_yield{false};  // a call waits in the event loop
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::LoadOutcome)
Q_DECLARE_METATYPE(minerva::AvailableDevices)
Q_DECLARE_METATYPE(minerva::engine::LoadProgress)
