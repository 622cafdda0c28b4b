// 'Make a smaller copy': converts a model to a GGUF file of another quantization type on a worker thread. GUI thread only.
//
// One copy at a time. The file gets its final name only when it is complete; nothing is left behind if the copy is cancelled
// or fails, or if the app is closed.
#pragma once

#include "app/inference/error_info.h"

#include <QObject>
#include <QStringList>
#include <QUrl>
#include <QVariantList>
#include <qqmlregistration.h>

#include <optional>
#include <stop_token>
#include <thread>

namespace minerva::app {

class CopyJob : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(State state READ state NOTIFY changed)
  Q_PROPERTY(QString name READ name NOTIFY changed)      // of the source model
  Q_PROPERTY(QString target READ target NOTIFY changed)  // the output file
  Q_PROPERTY(QString tensor READ tensor NOTIFY changed)  // the tensor being written
  Q_PROPERTY(double bytesDone READ bytesDone NOTIFY changed)
  Q_PROPERTY(double bytesTotal READ bytesTotal NOTIFY changed)  // 0: unknown so far
  Q_PROPERTY(QStringList warnings READ warnings NOTIFY changed)
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
 public:
  enum State { Idle, Running, Done, Failed };
  Q_ENUM(State)

  explicit CopyJob(QObject* parent = nullptr);
  ~CopyJob() override;  // cancels a running copy and waits for it (tens of milliseconds)

  void setModelsFolder(const QString& folder) { m_models = folder; }

  [[nodiscard]] State state() const { return m_state; }
  [[nodiscard]] QString name() const { return m_name; }
  [[nodiscard]] QString target() const { return m_target; }
  [[nodiscard]] QString tensor() const { return m_tensor; }
  [[nodiscard]] double bytesDone() const { return m_bytesDone; }
  [[nodiscard]] double bytesTotal() const { return m_bytesTotal; }
  [[nodiscard]] QStringList warnings() const { return m_warnings; }
  [[nodiscard]] ErrorInfo error() const { return m_error; }

  // Target types worth offering for a model of this size, largest first: [{type: "q4_k_m", label, bytes}]; bytes is an
  // estimate, 0 if the number of parameters is unknown. Empty if none would be noticeably smaller than the model.
  Q_INVOKABLE [[nodiscard]] QVariantList choices(double parameters, double sizeBytes) const;
  // An unused file name: "…/TinyLlama-Q4_K_M.gguf". Next to the model; in Minerva's models folder, where the library finds and deletes
  // models, if it is from there or lies where another program keeps order; in the home folder if its folder is not writable.
  Q_INVOKABLE [[nodiscard]] QString proposeTarget(const QString& path, const QString& name, const QString& type) const;

  Q_INVOKABLE [[nodiscard]] QString localPath(const QUrl& url) const { return url.toLocalFile(); }

  Q_INVOKABLE void start(const QString& path, const QString& name, const QString& type, const QString& target);  // ignored while Running
  Q_INVOKABLE void cancel();                                                                                     // Idle soon afterwards
  Q_INVOKABLE void dismiss();  // Done or Failed becomes Idle

 Q_SIGNALS:
  void changed();
  void finished(const QString& path);

 private:
  struct Ending {
    QStringList warnings;
    std::optional<minerva::Error> error;
  };
  void run(const std::stop_token& stop, const QString& path, const QString& type, const QString& target);
  void progressed(const QString& tensor, double done, double total);
  void end(const Ending& ending);

  State m_state = Idle;
  QString m_models, m_name, m_target, m_tensor;
  double m_bytesDone = 0, m_bytesTotal = 0;
  QStringList m_warnings;
  ErrorInfo m_error;
  std::jthread m_thread;  // last member: joined before the others are destroyed
};

}  // namespace minerva::app
