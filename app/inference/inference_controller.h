// The model that is loaded, seen from the window: load, cancel, unload, what is there, what went wrong.
//
// GUI thread only. Owns the engine's thread; requests go there as values, answers come back as queued values.
//
// A model that is being loaded takes the place of the one before only when it is ready: until then that one is `model`, and
// a reply that runs on it goes on. Where there is no memory for both, the old one is let go first. A load that fails or is
// cancelled leaves the old model as it was (one that was let go is loaded again); `error` says why until it is dismissed.
// State Failed: there is no old model.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "app/inference/error_info.h"
#include "app/inference/model_loader.h"
#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"
#include "gpu/available.h"

#include <QObject>
#include <QUrl>
#include <qqmlregistration.h>

#include <chrono>
#include <memory>

namespace minerva::app {

struct LoadOutcome;

class InferenceController : public ReplySource {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(State state READ state NOTIFY stateChanged)
  Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged)  // Ready, Generating or Resting: a message will be answered
  Q_PROPERTY(minerva::app::ModelFacts model READ model NOTIFY modelChanged)
  Q_PROPERTY(minerva::app::DeviceBadge device READ device NOTIFY modelChanged)
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY stateChanged)      // of the last load, until dismissed
  Q_PROPERTY(bool tooLarge READ isTooLarge NOTIFY stateChanged)                 // the error is want of memory: loadAnyway() may help
  Q_PROPERTY(QString loadingName READ loadingName NOTIFY stateChanged)          // file name of what is or was last loaded
  Q_PROPERTY(QString loadPhase READ loadPhase NOTIFY loadProgressChanged)       // "Reading the file", "Placing weights", ...
  Q_PROPERTY(double loadProgress READ loadProgress NOTIFY loadProgressChanged)  // 0..1; -1: not known in this phase
  Q_PROPERTY(double loadBytesDone READ loadBytesDone NOTIFY loadProgressChanged)
  Q_PROPERTY(double loadBytesTotal READ loadBytesTotal NOTIFY loadProgressChanged)
  Q_PROPERTY(double freedBytes READ freedBytes NOTIFY stateChanged)  // what Resting let go; else 0

 public:
  // Resting: the model was let go after a while without a message; the next one loads it again.
  enum State { NoModel, Loading, Ready, Generating, Failed, Resting };
  Q_ENUM(State)

  explicit InferenceController(BackendOptions options = {}, QObject* parent = nullptr);
  ~InferenceController() override;

  [[nodiscard]] State state() const { return m_state; }
  [[nodiscard]] const ModelFacts& model() const { return m_model; }
  [[nodiscard]] const DeviceBadge& device() const { return m_device; }
  [[nodiscard]] const ErrorInfo& error() const { return m_error; }
  [[nodiscard]] bool isTooLarge() const;
  [[nodiscard]] QString loadingName() const;
  [[nodiscard]] QString loadPhase() const;
  [[nodiscard]] double loadProgress() const;
  [[nodiscard]] double loadBytesDone() const { return m_loadDone; }
  [[nodiscard]] double loadBytesTotal() const { return m_loadTotal; }

  [[nodiscard]] double freedBytes() const { return m_state == Resting ? m_freedBytes : 0; }

  // After so long without a message the model rests; 0: never.
  void setRestAfter(std::chrono::milliseconds idle);
  void setPreferences(const LoadPreferences& preferences) { m_preferences = preferences; }  // for the next load()

  [[nodiscard]] engine::SamplingOptions recommendedSampling() const;  // of the loaded model

  // What the window calls the loaded model, where its own name is not enough.
  void setShownName(const QString& name);
  void setBuiltIn(const QString& path) { m_builtIn = path; }  // the built-in model's folder

  // Loads a model in place of the present one. A reply that runs on that is stopped when the new one is ready; its text stays.
  Q_INVOKABLE void load(const QString& path);
  Q_INVOKABLE void cancelLoad();  // answered within 100 ms: the model before stays
  Q_INVOKABLE void retry();       // loads the file again that failed
  Q_INVOKABLE void loadAnyway();  // likewise, and on the CPU without asking whether it fits: the system may become slow
  Q_INVOKABLE void reload();      // loads the present model again, with the present settings
  Q_INVOKABLE void unload();      // and ends a load
  Q_INVOKABLE void dismissError();

  [[nodiscard]] bool isReady() const override { return m_state == Ready || m_state == Generating || m_state == Resting; }
  [[nodiscard]] QString modelName() const override { return m_model.name; }
  [[nodiscard]] QString modelKey() const override { return m_model.path; }
  quint64 submit(engine::Request request) override;
  void cancel(quint64 request) override;
  quint64 examine(PromptQuestion question) override;
  // How fast the devices read. It is measured while nothing runs here: a while after a load or a reply, until it is known.
  [[nodiscard]] BandwidthBook& bandwidths();
  [[nodiscard]] MeasuredBandwidth bandwidth() const;  // of the present device
  void bandwidthPassed(const DeviceBadge& device);    // by a model's speed: it is measured again
  void setBusyElsewhere(bool busy);                   // the program computes something else
  void setFrameInterval(int milliseconds);            // least time between updated() signals

 Q_SIGNALS:
  void stateChanged();
  void modelChanged();
  void loadProgressChanged();
  void loaded(const QString& path);                             // a load succeeded: its model is in place
  void loadFailed(const QString& path);                         // see error
  void bandwidthChanged();                                      // of the present device: another device, or measured
  void devicesFound(const minerva::AvailableDevices& devices);  // once, soon after the start
  void delivering(double lateMs);                               // updated() follows; it comes so much later than it was due

 private:
  void post(std::function<void()> call);  // runs it on the engine's thread
  void takeProgress(quint64 serial, const engine::LoadProgress& progress);
  void takeOutcome(const LoadOutcome& outcome);
  void takeRoomMade();
  void adopt(const LoadOutcome& outcome);
  void loadHasFailed(const LoadOutcome& outcome);
  void measureWhenIdle();
  void takeUpdate(const ReplyUpdate& update);
  void forgetModel();
  void letGo();
  void unloadWorker();
  void order(const LoadTarget& target, bool waking = false);
  void wake(const LoadPreferences& preferences);
  void rest();
  void settle();
  void setState(State state);
  State m_state = NoModel;
  ModelFacts m_model;
  DeviceBadge m_device;
  ErrorInfo m_error;
  QString m_builtIn;
  LoadTarget m_ordered;     // the last load
  LoadTarget m_failed;      // what `error` is about
  LoadTarget m_inPlace;     // how `model` was loaded
  bool m_awake = false;     // `model` is in memory
  bool m_waking = false;    // the load that runs brings it back there
  bool m_roomMade = false;  // it is not, because another one was to be loaded: it comes back if that fails
  LoadPreferences m_preferences;
  engine::LoadProgress::Phase m_phase = engine::LoadProgress::Phase::opening;
  double m_loadDone = 0, m_loadTotal = 0, m_freedBytes = 0;
  struct Private;
  std::unique_ptr<Private> d;
};

}  // namespace minerva::app
