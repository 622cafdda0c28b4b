// Allows one instance per data folder: a second start passes its file to the first one and exits.
//
// A lock file decides which instance is the first (it is released when the process dies, even if killed); a local socket
// transfers the file's path. GUI thread only.
#pragma once

#include <QLocalServer>
#include <QLockFile>
#include <QObject>

#include <memory>

namespace minerva::app {

class SingleInstance : public QObject {
  Q_OBJECT
 public:
  explicit SingleInstance(const QString& dataFolder, QObject* parent = nullptr);

  // Returns true if this is the first instance, which then listens; false if another one is running. Also true if the folder
  // cannot be locked at all: two windows are better than none.
  [[nodiscard]] bool claim();
  [[nodiscard]] QString lockFile() const { return m_lock.fileName(); }
  [[nodiscard]] qint64 holder() const;  // the process that has the lock; 0: unknown
  // Asks the first instance to show its window and, if path is not empty, to open that file. Returns false if it does not
  // answer within 2 s.
  [[nodiscard]] bool handOver(const QString& path) const;

 Q_SIGNALS:
  void asked(const QString& path);  // the program was started again; path may be empty

 private:
  void accept();
  QString m_socketName;
  QLockFile m_lock;
  QLocalServer m_server;
};

}  // namespace minerva::app
