// The GUI's interface to the loaded model: load, cancel, unload, state and errors.
//
// GUI thread only. Owns the engine's thread; requests and answers are passed as values through queued calls.
//
// A new model replaces the present one only when it is ready; until then `model` is the present one. LoadPreferences::models of them stay
// in memory: replies of the earlier ones go on, and loading one of these again takes no time. If memory does not suffice, those that were
// used longest ago are unloaded, the present one last. A load that fails or is cancelled leaves the
// present model in place (and reloads it if it was unloaded); `error` holds the reason until it is dismissed. State Failed
// means that there was no model before.
//
// The present model may be one of a server (OtherEngine): load() of its path chooses it at once, without asking the server, and those of
// this machine stay in memory beside it. It is given up as soon as another one is chosen, even if that cannot be loaded: what the user
// writes next was not meant for the server.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "app/inference/error_info.h"
#include "app/inference/model_loader.h"
#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"
#include "gpu/available.h"

#include <QObject>
#include <QUrl>
#include <QVariantList>
#include <qqmlregistration.h>

#include <chrono>
#include <memory>

namespace minerva::app {

struct LoadOutcome;
class EngineGuest;
class OtherEngine;

class InferenceController : public ReplySource {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(State state READ state NOTIFY stateChanged)
  Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged)  // Ready, Generating or Resting: messages can be sent
  Q_PROPERTY(minerva::app::ModelFacts model READ model NOTIFY modelChanged)
  Q_PROPERTY(minerva::app::DeviceBadge device READ device NOTIFY modelChanged)
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY stateChanged)      // of the last load, until dismissed
  Q_PROPERTY(bool tooLarge READ isTooLarge NOTIFY stateChanged)                 // the error is out of memory: loadAnyway() may help
  Q_PROPERTY(QString loadingName READ loadingName NOTIFY stateChanged)          // file name of the last model ordered
  Q_PROPERTY(QString loadPhase READ loadPhase NOTIFY loadProgressChanged)       // "Reading the file", "Placing the weights", ...
  Q_PROPERTY(double loadProgress READ loadProgress NOTIFY loadProgressChanged)  // 0..1; -1: unknown in this phase
  Q_PROPERTY(double loadBytesDone READ loadBytesDone NOTIFY loadProgressChanged)
  Q_PROPERTY(double loadBytesTotal READ loadBytesTotal NOTIFY loadProgressChanged)
  Q_PROPERTY(QVariantList kept READ kept NOTIFY keptChanged)         // models in memory beside the present one: [{path, name, bytes}]
  Q_PROPERTY(double freedBytes READ freedBytes NOTIFY stateChanged)  // memory freed on entering Resting; 0 in other states

 public:
  // Resting: the model was unloaded after the idle timeout; the next message reloads it.
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

  // Gives the path of the draft model for a model, "" for none; asked at each load.
  void setDraftChoice(std::function<QString(const QString& model)> draftOf);

  // Idle timeout after which the model is unloaded (state Resting); 0: never.
  void setRestAfter(std::chrono::milliseconds idle);
  void setPreferences(const LoadPreferences& preferences) { m_preferences = preferences; }  // for the next load()

  [[nodiscard]] engine::SamplingOptions recommendedSampling() const;  // of the loaded model

  // Display name of the loaded model, if its own name is ambiguous.
  void setShownName(const QString& name);
  void setOtherEngine(OtherEngine* other);                                      // not owned; must outlive this object
  [[nodiscard]] bool isElsewhere() const { return !m_model.server.isEmpty(); }  // the present model is one of a server
  void setBuiltIn(const QString& path) { m_builtIn = path; }                    // the built-in model's folder

  // Loads a model to replace the present one. Replies of a model that does not stay in memory are stopped; their text is kept.
  Q_INVOKABLE void load(const QString& path);
  Q_INVOKABLE void cancelLoad();  // takes effect within 100 ms; the previous model stays
  Q_INVOKABLE void retry();       // loads the failed model again; without an error, the present one
  Q_INVOKABLE void loadAnyway();  // as retry(), but on the CPU even if it does not fit; the system may become slow
  void reload();                  // loads the present model again if its file or the present settings have changed
  [[nodiscard]] bool isLoading(const QString& path) const { return m_state == Loading && m_ordered.path == path; }
  Q_INVOKABLE void unload();  // the present model; also cancels a load
  Q_INVOKABLE void unloadKept(const QString& path);
  [[nodiscard]] QVariantList kept() const;
  [[nodiscard]] quint64 hostBytes() const;  // host memory that models hold; it is freed if another model needs it
  Q_INVOKABLE void dismissError();

  [[nodiscard]] bool isReady() const override { return m_state == Ready || m_state == Generating || m_state == Resting; }
  [[nodiscard]] QString modelName() const override;  // with the server's name, if there is one
  [[nodiscard]] QString modelKey() const override { return m_model.path; }
  [[nodiscard]] QString serverName() const override { return m_model.server; }
  [[nodiscard]] text::ReasoningControls reasoning() const override { return m_model.reasoning; }
  quint64 submit(engine::Request request) override;
  void cancel(quint64 request) override;
  quint64 examine(PromptQuestion question) override;
  // Read bandwidth of the devices. Measured while the engine is idle, some time after a load or a reply, until it is known.
  [[nodiscard]] BandwidthBook& bandwidths();
  [[nodiscard]] MeasuredBandwidth bandwidth() const;  // of the present device
  void bandwidthPassed(const DeviceBadge& device);    // a model was faster than the measured bandwidth allows: measure again
  void setBusyElsewhere(bool busy);                   // another part of the program is computing: do not measure now
  void setFrameInterval(int milliseconds);            // minimum time between updated() signals
  // Shares the engine with `guest`, from now on and with later models.
  void setGuest(std::shared_ptr<EngineGuest> guest);
  void noteGuestWork();                 // the guest uses the model: the idle timeout begins anew
  void wakeUp();                        // reloads the model in state Resting
  [[nodiscard]] int sequences() const;  // replies that the model in memory can write at once; 0: none is in memory

 Q_SIGNALS:
  void stateChanged();
  void keptChanged();
  void modelChanged();
  void loadProgressChanged();
  void loaded(const QString& path);                             // a load succeeded; its model is in use
  void loadFailed(const QString& path);                         // see error
  void loadCancelled();                                         // by cancelLoad(), or by unload() during a load
  void bandwidthChanged();                                      // the present device changed or was measured
  void devicesFound(const minerva::AvailableDevices& devices);  // once, soon after the start
  void delivering(double lateMs);                               // emitted before updated(), which is this much late

 private:
  void post(std::function<void()> call);  // runs it on the engine's thread
  void takeProgress(quint64 serial, const engine::LoadProgress& progress);
  void takeOutcome(const LoadOutcome& outcome);
  void takeRoomMade();
  void takeDeviceLost(const minerva::Error& error);
  void adopt(const LoadOutcome& outcome);
  void loadHasFailed(const LoadOutcome& outcome);
  void measureWhenIdle();
  void takeUpdate(const ReplyUpdate& update);
  void choose(const QString& path, const Subject& subject);
  void tellElsewhere();
  void cancelHere();
  void forgetModel();
  void letGo();
  void order(LoadTarget target, bool waking = false);
  void wake(const LoadPreferences& preferences);
  void rest();
  void settle();
  void setState(State state);
  State m_state = NoModel;
  ModelFacts m_model;
  DeviceBadge m_device;
  ErrorInfo m_error;
  QString m_builtIn;
  LoadTarget m_ordered;     // of the last load
  LoadTarget m_failed;      // the load that `error` belongs to
  LoadTarget m_inPlace;     // how `model` was loaded
  bool m_awake = false;     // `model` is in memory
  bool m_waking = false;    // the load in progress reloads `model`
  bool m_roomMade = false;  // `model` was unloaded to make room for another one; it is reloaded if that load fails
  LoadPreferences m_preferences;
  engine::LoadProgress::Phase m_phase = engine::LoadProgress::Phase::opening;
  double m_loadDone = 0, m_loadTotal = 0, m_freedBytes = 0;
  struct Private;
  std::unique_ptr<Private> d;
};

}  // namespace minerva::app
