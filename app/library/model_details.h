// Details of a model file for its page, read from its header on a worker thread. GUI thread only.
//
// Setting `path` reads the file, also if the path is unchanged. Until it has been read, or if it cannot be opened, everything
// but `error` is empty.
#pragma once

#include "app/inference/error_info.h"

#include <QObject>
#include <QStringList>
#include <QVariantList>
#include <qqmlregistration.h>

namespace minerva::app {

class ModelDetails : public QObject {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QString path READ path WRITE setPath NOTIFY changed)
  Q_PROPERTY(bool loading READ isLoading NOTIFY changed)
  Q_PROPERTY(QString name READ name NOTIFY changed)
  Q_PROPERTY(QString format READ format NOTIFY changed)
  Q_PROPERTY(QVariantList facts READ facts NOTIFY changed)       // [{title, value}], in display order
  Q_PROPERTY(QVariantList types READ types NOTIFY changed)       // [{title, bytes, share}], largest first
  Q_PROPERTY(QVariantList parts READ parts NOTIFY changed)       // the same by attention, feed-forward, ...
  Q_PROPERTY(QVariantList memory READ memory NOTIFY changed)     // the same for the memory needed at `context`, not sorted
  Q_PROPERTY(int context READ context NOTIFY changed)            // positions assumed by `memory`; 0: the model cannot run
  Q_PROPERTY(QString cacheType READ cacheType NOTIFY changed)    // "F16": KV cache type assumed by `memory`
  Q_PROPERTY(QStringList problems READ problems NOTIFY changed)  // complete messages why it cannot run; empty: it can
  Q_PROPERTY(QStringList warnings READ warnings NOTIFY changed)
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)  // set if the file cannot be opened
 public:
  explicit ModelDetails(QObject* parent = nullptr);

  // What read() returns; read() is safe on any thread.
  struct Content {
    QString name, format;
    QVariantList facts, types, parts, memory;
    int context = 0;
    QString cacheType;
    QStringList problems, warnings;
    ErrorInfo error;
  };
  [[nodiscard]] static Content read(const QString& path);

  [[nodiscard]] QString path() const { return m_path; }
  void setPath(const QString& path);
  [[nodiscard]] bool isLoading() const { return m_loading; }
  [[nodiscard]] QString name() const { return m_content.name; }
  [[nodiscard]] QString format() const { return m_content.format; }
  [[nodiscard]] QVariantList facts() const { return m_content.facts; }
  [[nodiscard]] QVariantList types() const { return m_content.types; }
  [[nodiscard]] QVariantList parts() const { return m_content.parts; }
  [[nodiscard]] QVariantList memory() const { return m_content.memory; }
  [[nodiscard]] int context() const { return m_content.context; }
  [[nodiscard]] QString cacheType() const { return m_content.cacheType; }
  [[nodiscard]] QStringList problems() const { return m_content.problems; }
  [[nodiscard]] QStringList warnings() const { return m_content.warnings; }
  [[nodiscard]] ErrorInfo error() const { return m_content.error; }

 Q_SIGNALS:
  void changed();

 private:
  QString m_path;
  bool m_loading = false;
  quint64 m_asked = 0;  // serial of the last read; results of older ones are discarded
  Content m_content;
};

}  // namespace minerva::app
