// One window a data folder: a second start hands its file to the first and leaves.
//
// A lock file decides who is first (it is released when the process dies, also by kill); a local socket carries the file's
// path. GUI thread only.
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

  // True: this is the first instance, and it listens. False: another one lives. A folder that cannot be locked at all counts
  // as being first: better two windows than none.
  [[nodiscard]] bool claim();
  // Tells the first instance to show itself and, if path is not empty, to open it. False: it did not answer in 2 s.
  [[nodiscard]] bool handOver(const QString& path) const;

 Q_SIGNALS:
  void asked(const QString& path);  // another start of the program; path may be empty

 private:
  void accept();
  QString m_socketName;
  QLockFile m_lock;
  QLocalServer m_server;
};

}  // namespace minerva::app
