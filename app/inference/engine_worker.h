// Owns the engine and runs its steps on the engine thread; results are emitted as signals. Questions about prompts are
// answered on a separate thread, so that they do not delay replies.
//
// Call its functions only through queued invocations, followed by yieldSoon(); the call then runs after the current engine
// step. Models are loaded on a third thread while the present model continues to reply. The present model is unloaded once
// the new one is ready, or before that if there is not enough memory for both. The stop token in a LoadOrder cancels the
// load from any thread.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "app/inference/engine_guest.h"
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

// Result of a load. Without an error, the loaded model is the one in use now.
struct LoadOutcome {
  LoadOrder order;
  std::shared_ptr<const Subject> subject;
  engine::SamplingOptions recommended;
  std::optional<minerva::Error> error;
};

class EngineWorker : public QObject {
  Q_OBJECT
 public:
  // coalescer: not owned; lives on the GUI thread and must outlive the worker's thread.
  EngineWorker(BackendOptions options, FrameCoalescer* coalescer);
  ~EngineWorker() override;

  void findDevices();
  void load(const LoadOrder& order);
  void cancelLoad();  // call after requesting the stop of its order
  void unload();
  void submit(quint64 ticket, const engine::Request& request, TimePoint sent);
  void cancel(quint64 ticket);
  void examine(quint64 number, const PromptQuestion& question);
  void measureBandwidth();
  void setGuest(std::shared_ptr<EngineGuest> guest);
  void yieldSoon() { m_yield.store(true, std::memory_order_release); }  // any thread
  void setOthersBusy(bool busy);                                        // any thread; meanwhile a bandwidth measurement ends at once

 Q_SIGNALS:
  void devicesFound(const minerva::AvailableDevices& devices);
  void loadProgressed(quint64 serial, const minerva::engine::LoadProgress& progress);
  void roomMade();  // the previous model was unloaded, because memory does not suffice for both; the load continues
  void loadEnded(const minerva::app::LoadOutcome& outcome);
  void examined(quint64 number, const minerva::app::PromptAnswer& answer);
  // key: as in BandwidthBook. curve.isKnown() is false if a queued call interrupted the measurement.
  void bandwidthMeasured(const QString& key, const minerva::backend::BandwidthCurve& curve);

 private:
  struct LoadJob;
  void beginLoad();
  void takeLoaded(LoadJob& job);
  void endLoad(const LoadOutcome& outcome);
  void callWaiting();
  void makeRoom();
  void dropEngine();
  void welcome();
  [[nodiscard]] bool waitsForLoad(std::function<void()> call);  // true if `call` was queued until the load ends
  void step();
  void queueStep();
  void take(const engine::Event& event);
  void failTicket(quint64 ticket, const minerva::Error& error, const RequestSpan& span = {});

  static constexpr std::size_t waitingQuestions = 64;

  const BackendOptions m_options;
  FrameCoalescer* m_coalescer;
  AvailableDevices m_devices;
  bool m_devicesKnown = false;
  LoadedEngine m_running;                    // if it has no engine: an open device for the next load
  std::shared_ptr<const Subject> m_subject;  // model and device of the engine
  std::shared_ptr<EngineGuest> m_guest;      // may be null
  LoadOrder m_order;                         // of the load in progress
  bool m_loading = false;
  std::vector<std::function<void()>> m_waiting;  // calls deferred until the load ends
  struct Ticket {
    quint64 number = 0;
    RequestSpan span;
  };
  std::unordered_map<engine::RequestId, Ticket> m_tickets;
  TimePoint m_loadBegan{}, m_loadEnded{};  // of the most recent load
  bool m_stepQueued = false;
  std::atomic<bool> m_yield{false};         // a call is queued in the event loop
  std::atomic<bool> m_othersBusy{false};    // other parts of the program compute
  quint64 m_engines = 0;                    // engines dropped so far; detects that the engine, and so its KV cache, was replaced
  QThreadPool m_loader;                     // one thread, so that loads are serialized
  TaskQueue m_questions{waitingQuestions};  // last member: joins its thread before the other members are destroyed
};

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::LoadOutcome)
Q_DECLARE_METATYPE(minerva::AvailableDevices)
Q_DECLARE_METATYPE(minerva::engine::LoadProgress)
