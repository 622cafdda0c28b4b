// The model that is loaded, seen from the window: load, cancel, unload, what is there, what went wrong.
//
// GUI thread only. Owns the engine's thread; requests go there as values, answers come back as queued values.
// A failed load leaves no half-loaded model: state Failed, `error` says why, and nothing of the old model remains.
#pragma once

#include "app/inference/error_info.h"
#include "app/inference/load_preferences.h"
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
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY stateChanged)      // set in state Failed
  Q_PROPERTY(bool tooLarge READ isTooLarge NOTIFY stateChanged)                 // Failed for want of memory: loadAnyway() may help
  Q_PROPERTY(QString loadingName READ loadingName NOTIFY stateChanged)          // file name while Loading (or Failed)
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

  [[nodiscard]] double freedBytes() const { return m_freedBytes; }

  // After so long without a message the model rests; 0: never.
  void setRestAfter(std::chrono::milliseconds idle);
  void setPreferences(const LoadPreferences& preferences) { m_preferences = preferences; }  // for the next load()

  [[nodiscard]] engine::SamplingOptions recommendedSampling() const;  // of the loaded model

  void setBuiltIn(const QString& path) { m_builtIn = path; }  // the built-in model's folder

  // Replaces what is loaded. A running reply is stopped first (its text stays).
  Q_INVOKABLE void load(const QString& path);
  Q_INVOKABLE void cancelLoad();  // answered within 100 ms: state NoModel
  Q_INVOKABLE void retry();       // loads the failed (or current) file again, with the present settings
  Q_INVOKABLE void loadAnyway();  // likewise, and on the CPU without asking whether it fits: the system may become slow
  Q_INVOKABLE void unload();
  Q_INVOKABLE void dismissError();  // Failed -> NoModel

  [[nodiscard]] bool isReady() const override { return m_state == Ready || m_state == Generating || m_state == Resting; }
  [[nodiscard]] QString modelName() const override { return m_model.name; }
  quint64 submit(engine::Request request) override;
  void cancel(quint64 request) override;
  quint64 examine(PromptQuestion question) override;
  void setFrameInterval(int milliseconds);  // least time between updated() signals

 Q_SIGNALS:
  void stateChanged();
  void modelChanged();
  void loadProgressChanged();
  void loaded(const QString& path);                             // a load succeeded
  void loadFailed(const QString& path);                         // see error
  void bandwidthMeasured(double bytesPerSecond);                // of the present device; once a load, while idle
  void devicesFound(const minerva::AvailableDevices& devices);  // once, soon after the start
  void delivering(double lateMs);                               // updated() follows; it comes so much later than it was due

 private:
  void post(std::function<void()> call);  // runs it on the engine's thread
  void takeProgress(quint64 serial, const engine::LoadProgress& progress);
  void takeOutcome(const LoadOutcome& outcome);
  void takeBandwidth(const QString& deviceId, double bytesPerSecond);
  void takeUpdate(const ReplyUpdate& update);
  void forgetModel();
  void loadWith(const QString& path, bool evenIfTooLarge);
  void orderLoad();
  void rest();
  void setState(State state);
  State m_state = NoModel;
  ModelFacts m_model;
  DeviceBadge m_device;
  ErrorInfo m_error;
  QString m_path, m_builtIn;
  bool m_evenIfTooLarge = false;  // of what is at m_path
  LoadPreferences m_preferences;
  engine::LoadProgress::Phase m_phase = engine::LoadProgress::Phase::opening;
  double m_loadDone = 0, m_loadTotal = 0, m_freedBytes = 0;
  struct Private;
  std::unique_ptr<Private> d;
};

}  // namespace minerva::app
