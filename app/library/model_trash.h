// Moves models of Minerva's own folder to the desktop's trash, and can restore the last one. GUI thread only; files are moved
// on a worker thread. Models of other programs and files elsewhere are never touched.
#pragma once

#include "app/inference/error_info.h"
#include "app/storage/trash.h"
#include "core/base/error.h"

#include <QList>
#include <QObject>
#include <qqmlregistration.h>

#include <utility>

namespace minerva::app {

// Moves all files of the model at `path`, which must be listed by modelsIn(folder) or be a GGUF file below the folder; if the repository's
// folder contains nothing else, it is moved as a whole. Errors: notFound (not in the folder), limit (it is being downloaded), io (e.g. no
// trash on that disk; files moved so far are restored).
[[nodiscard]] Result<QList<TrashedFile>> trashModel(const QString& path, const QString& folder);

class ModelTrash : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ModelLibrary")
  Q_PROPERTY(bool busy READ isBusy NOTIFY changed)
  Q_PROPERTY(QString name READ name NOTIFY changed)  // of the model trashed last; empty: none, or restored
  Q_PROPERTY(double bytes READ bytes NOTIFY changed)
  Q_PROPERTY(QString place READ place NOTIFY changed)  // folder in the trash that contains it
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
 public:
  explicit ModelTrash(QObject* parent = nullptr);
  ~ModelTrash() override;

  void setFolder(const QString& models) {
    m_folder = models;
    m_place.clear();
  }
  [[nodiscard]] bool holds(const QString& path) const;  // true if `path` is in the model folder
  // Whether put() accepts a path that is not one of modelsIn(): a GGUF file anywhere in the model folder.
  [[nodiscard]] bool takesFile(const QString& path) const;
  [[nodiscard]] bool isBusy() const { return m_busy; }
  [[nodiscard]] QString name() const { return m_name; }
  [[nodiscard]] double bytes() const { return m_bytes; }
  [[nodiscard]] QString place() const;
  [[nodiscard]] ErrorInfo error() const { return m_error; }

  // Registers a file that another component has moved to the trash, so that undo() restores it.
  void took(const QString& name, double bytes, const TrashedFile& file);
  void put(const QString& path, const QString& name, double bytes);  // ignored while busy
  Q_INVOKABLE void undo();                                           // restores the last one
  Q_INVOKABLE void dismiss();                                        // clears name and error; the model stays in the trash

 Q_SIGNALS:
  void changed();
  void trashed(const QString& path);
  void restored(const QString& path);  // empty if the path is unknown: scan the folder

 private:
  QString m_folder, m_name, m_path;
  mutable QString m_place;  // the folder's canonical path, once it was needed
  double m_bytes = 0;
  QList<TrashedFile> m_files;
  ErrorInfo m_error;
  bool m_busy = false;
};

}  // namespace minerva::app
