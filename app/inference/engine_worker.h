// Lives on the engine's thread: owns the engine that replies, steps while there is work, answers by signals. Questions about
// prompts are worked out on a thread of their own, so that no reply waits for them.
//
// Called only through queued invocations; whoever queues one calls yieldSoon() then, and it runs after the engine step in
// progress. A model is loaded on a thread of its own, beside the one that replies; that one goes when the new one is ready, or
// earlier where there is no memory for both. A load is stopped by the stop token in its order (from any thread).
#pragma once

#include "app/inference/bandwidth_book.h"
#include "app/inference/frame_coalescer.h"
#include "app/inference/model_facts.h"
#include "app/inference/model_loader.h"
#include "app/inference/prompt_question.h"
#include "core/base/task_queue.h"
#include "gpu/available.h"

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace minerva::app {

// How a load ended. Without an error its model is the one that replies now.
struct LoadOutcome {
  LoadOrder order;
  std::shared_ptr<const Subject> subject;
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
  void cancelLoad();  // its order's stop was requested
  void unload();
  void submit(quint64 ticket, const engine::Request& request, TimePoint sent);
  void cancel(quint64 ticket);
  void examine(quint64 number, const PromptQuestion& question);
  void measureBandwidth();
  void yieldSoon() { m_yield.store(true, std::memory_order_release); }  // any thread

 Q_SIGNALS:
  void devicesFound(const minerva::AvailableDevices& devices);
  void loadProgressed(quint64 serial, const minerva::engine::LoadProgress& progress);
  void roomMade();  // the model that replied was let go, for want of memory for both: the load goes on without it
  void loadEnded(const minerva::app::LoadOutcome& outcome);
  void examined(quint64 number, const minerva::app::PromptAnswer& answer);
  // key: in BandwidthBook. The curve is not known where a call came meanwhile.
  void bandwidthMeasured(const QString& key, const minerva::backend::BandwidthCurve& curve);

 private:
  struct LoadJob;
  void beginLoad();
  void takeLoaded(LoadJob& job);
  void endLoad(const LoadOutcome& outcome);
  void callWaiting();
  void makeRoom();
  void dropEngine();
  [[nodiscard]] bool waitsForLoad(std::function<void()> call);  // it is made when the load has ended
  void step();
  void queueStep();
  void take(const engine::Event& event);
  void failTicket(quint64 ticket, const minerva::Error& error, const RequestSpan& span = {});

  static constexpr std::size_t waitingQuestions = 64;

  const BackendOptions m_options;
  FrameCoalescer* m_coalescer;
  AvailableDevices m_devices;
  bool m_devicesKnown = false;
  LoadedEngine m_running;                    // without an engine: a device that is open for the next load
  std::shared_ptr<const Subject> m_subject;  // what the engine runs
  LoadOrder m_order;                         // of the load that runs
  bool m_loading = false;
  std::vector<std::function<void()>> m_waiting;  // for the load to end
  struct Ticket {
    quint64 number = 0;
    RequestSpan span;
  };
  std::unordered_map<engine::RequestId, Ticket> m_tickets;
  TimePoint m_loadBegan{}, m_loadEnded{};  // the last one
  bool m_stepQueued = false;
  std::atomic<bool> m_yield{false};         // a call waits in the event loop
  quint64 m_engines = 0;                    // how many were dropped: another one's cache says nothing of a prompt
  QThreadPool m_loader;                     // one thread: loads follow each other
  TaskQueue m_questions{waitingQuestions};  // last: its thread ends before the rest goes
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::LoadOutcome)
Q_DECLARE_METATYPE(minerva::AvailableDevices)
Q_DECLARE_METATYPE(minerva::engine::LoadProgress)
