// Owns the engine and runs its steps on the engine thread; results are emitted as signals. Questions about prompts are
// answered on a separate thread, so that they do not delay replies.
//
// Call its functions only through queued invocations, followed by yieldSoon(); the call then runs after the current engine
// step. Models are loaded on a third thread while the present model continues to reply. As many models stay in memory as the
// LoadOrder allows, each with its own engine; they run in turns, so that a reply goes on after its model gave way to another. The one that
// was used longest ago goes first, also if there is not enough memory for the new one; not for one that would not fit alone either. The
// stop token in a LoadOrder cancels the load from any thread.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "app/inference/engine_guest.h"
#include "app/inference/frame_coalescer.h"
#include "app/inference/model_facts.h"
#include "app/inference/model_loader.h"
#include "app/inference/prompt_question.h"
#include "app/inference/resident.h"
#include "core/base/task_queue.h"
#include "core/engine/device_losses.h"
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
  void cancelLoad();                     // call after requesting the stop of its order
  void setAside();                       // the present model stays in memory beside one that runs elsewhere
  void unload();                         // the present model
  void unloadKept(const QString& path);  // another one in memory
  void unloadAll();
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
  void keptChanged(const QList<minerva::app::KeptModel>& kept);
  // The present model was unloaded, because its device no longer answers. It should be loaded again, on a new device or, if this happens
  // a second time, on the CPU; requests wait for that.
  void deviceLost(const minerva::Error& error);
  void roomMade();  // the present model was unloaded, because memory does not suffice for both; the load continues
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
  [[nodiscard]] bool makeRoom();
  [[nodiscard]] static bool isAsLoaded(const Resident& resident, const LoadOrder& order);
  [[nodiscard]] bool isPresent(const LoadOrder& order) const;
  [[nodiscard]] LoadOutcome outcomeOf(const LoadOrder& order) const;  // REQUIRES that model to be the present one
  [[nodiscard]] bool takeKept(const LoadOrder& order);
  void present(std::unique_ptr<Resident> resident, const LoadOrder& order);
  void keepOrDrop(int models);
  void drop(std::unique_ptr<Resident> resident);
  void dropPresent();
  void noticeSleep();
  void dropLost();
  [[nodiscard]] QString whyCpu(const QString& path);
  [[nodiscard]] std::string afterLoss(const Resident& resident) const;
  void tellKept();
  [[nodiscard]] Beside beside() const;
  void welcome();
  [[nodiscard]] bool waitsForLoad(std::function<void()> call);  // true if `call` was queued until the load ends
  void step();
  void queueStep();
  void take(Resident& resident, const engine::Event& event);
  void pass(Resident& resident, const engine::Event& event);
  [[nodiscard]] bool hasTickets() const;
  void failTicket(quint64 ticket, const minerva::Error& error, const RequestSpan& span = {});

  static constexpr std::size_t waitingQuestions = 64;

  const BackendOptions m_options;
  FrameCoalescer* m_coalescer;
  AvailableDevices m_devices;
  bool m_devicesKnown = false;
  std::unique_ptr<Resident> m_present;            // what new requests run on; null: no model
  std::vector<std::unique_ptr<Resident>> m_kept;  // other models in memory, the one used last behind
  OpenDevice m_spare;                             // for the next load
  std::shared_ptr<EngineGuest> m_guest;           // may be null
  LoadOrder m_order;                              // of the load in progress
  engine::DeviceLosses m_losses;                  // since another model was loaded
  bool m_loading = false;
  std::vector<std::function<void()>> m_waiting;  // calls deferred until the load ends
  TimePoint m_loadBegan{}, m_loadEnded{};        // of the most recent load
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
