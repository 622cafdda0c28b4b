// The local server of the window: other programs on this computer use the loaded model over HTTP, beside the chat.
//
// GUI thread only. Starting is quick; stopping, which waits for connections to close, runs on a thread of its own.
#pragma once

#include "app/inference/error_info.h"
#include "app/serve/request_list.h"

#include <QObject>
#include <QStringList>
#include <qqmlregistration.h>

#include <memory>

namespace minerva::app {

class EngineGuest;

// The user's settings for it. A value type.
struct ServePreferences {
  bool on = false;
  int port = 0;         // 0: a free one
  bool others = false;  // listen for other computers too; needs the key
  QString key;
  friend bool operator==(const ServePreferences&, const ServePreferences&) = default;
};

class LocalServer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(State state READ state NOTIFY changed)
  Q_PROPERTY(QString address READ address NOTIFY changed)  // "http://127.0.0.1:8080"; the one for other computers if they may use it
  Q_PROPERTY(bool others READ forOthers NOTIFY changed)    // other computers may use it
  Q_PROPERTY(QString call READ call NOTIFY changed)        // a command line that calls it; with a placeholder for the key
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)  // state Failed: why
  Q_PROPERTY(QString model READ model NOTIFY modelChanged)             // the name that clients use; "": none is loaded
  Q_PROPERTY(int atOnce READ atOnce NOTIFY modelChanged)               // replies that the loaded model can write at once; 0: none is loaded
  Q_PROPERTY(bool loading READ isLoading NOTIFY modelChanged)          // none is loaded, but one is coming, for which requests wait
  Q_PROPERTY(bool resting READ isResting NOTIFY modelChanged)          // none is loaded, but the next request brings the one that was
  Q_PROPERTY(minerva::app::RequestList* requests READ requests CONSTANT)
 public:
  enum State { Off, On, Stopping, Failed };
  Q_ENUM(State)
  static constexpr int waiting = 64;  // requests that may wait; further ones are refused

  explicit LocalServer(QObject* parent = nullptr);
  ~LocalServer() override;  // stops it, which may take some seconds

  void apply(const ServePreferences& preferences);
  // Between them, for InferenceController::setGuest().
  [[nodiscard]] std::shared_ptr<EngineGuest> guest() const;
  enum class Model { none, loading, resting, loaded };
  // name: as in engine::ModelInfo::displayName.
  void setModel(Model model, const QString& name, int atOnce);

  [[nodiscard]] State state() const { return m_state; }
  [[nodiscard]] QString address() const;
  [[nodiscard]] int port() const;  // 0: it is not on
  [[nodiscard]] bool forOthers() const { return m_applied.others; }
  [[nodiscard]] QString call() const;
  [[nodiscard]] const ErrorInfo& error() const { return m_error; }
  [[nodiscard]] QString model() const { return m_model; }
  [[nodiscard]] int atOnce() const { return m_atOnce; }
  [[nodiscard]] bool isLoading() const { return m_now == Model::loading; }
  [[nodiscard]] bool isResting() const { return m_now == Model::resting; }
  [[nodiscard]] RequestList* requests() { return &m_requests; }

  Q_INVOKABLE void retry();  // after an error
  Q_INVOKABLE void renewKey();
  Q_INVOKABLE void copyAddress() const;
  Q_INVOKABLE void copyKey() const;
  Q_INVOKABLE void copyCall() const;  // with the key
  [[nodiscard]] static QString newKey();

 Q_SIGNALS:
  void changed();
  void modelChanged();
  void keyMade(const QString& key);  // to be kept in the settings
  void modelWanted();                // a request that needs a model found none

 private:
  void settle();
  void start();
  void stop();
  void setState(State state);
  [[nodiscard]] QString callWith(const QString& key) const;

  struct Private;
  std::unique_ptr<Private> d;
  ServePreferences m_wanted, m_applied;  // m_applied: of the running server, or of the one that failed
  State m_state = Off;
  ErrorInfo m_error;
  Model m_now = Model::none;
  QString m_model;
  int m_atOnce = 0;
  RequestList m_requests;
};

}  // namespace minerva::app
