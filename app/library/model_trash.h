// Puts models of Minerva's own folder into the desktop's trash, and takes the last one out again. GUI thread only; the
// files are moved on a worker thread. Other programs' models and files elsewhere are never touched.
#pragma once

#include "app/inference/error_info.h"
#include "app/storage/trash.h"
#include "core/base/error.h"

#include <QList>
#include <QObject>
#include <qqmlregistration.h>

#include <utility>

namespace minerva::app {

// All files of the model at `path`, as modelsIn(folder) lists it; the repository's folder as one where nothing else is in it.
// Errors: notFound (it is none of the folder's), limit (it is being downloaded), io (there is no trash on that disk: then
// nothing was moved).
[[nodiscard]] Result<QList<TrashedFile>> trashModel(const QString& path, const QString& folder);

class ModelTrash : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ModelLibrary")
  Q_PROPERTY(bool busy READ isBusy NOTIFY changed)
  Q_PROPERTY(QString name READ name NOTIFY changed)  // of the model put there last; empty: none, or taken out again
  Q_PROPERTY(double bytes READ bytes NOTIFY changed)
  Q_PROPERTY(QString place READ place NOTIFY changed)  // the trash it lies in
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
 public:
  explicit ModelTrash(QObject* parent = nullptr);
  ~ModelTrash() override;

  void setFolder(const QString& models) { m_folder = models; }
  [[nodiscard]] bool holds(const QString& path) const;  // in the folder for models, so that it may be put there
  [[nodiscard]] bool isBusy() const { return m_busy; }
  [[nodiscard]] QString name() const { return m_name; }
  [[nodiscard]] double bytes() const { return m_bytes; }
  [[nodiscard]] QString place() const;
  [[nodiscard]] ErrorInfo error() const { return m_error; }

  // Was put there by somebody else: undo() brings it back.
  void took(const QString& name, double bytes, const TrashedFile& file);
  void put(const QString& path, const QString& name, double bytes);  // not while busy
  Q_INVOKABLE void undo();                                           // of the last one
  Q_INVOKABLE void dismiss();                                        // forgets it and the error; it stays in the trash

 Q_SIGNALS:
  void changed();
  void trashed(const QString& path);
  void restored(const QString& path);  // empty: somewhere in the folder

 private:
  QString m_folder, m_name, m_path;
  double m_bytes = 0;
  QList<TrashedFile> m_files;
  ErrorInfo m_error;
  bool m_busy = false;
};

}  // namespace minerva::app
