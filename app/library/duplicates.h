// Files that are on the disks more than once, found by SHA-256: only files of the same size are read, each once (FileHashes).
// Nothing is written, moved or deleted. GUI thread only; the reading is done on a thread of its own.
#pragma once

#include "app/inference/error_info.h"

#include <QObject>
#include <QVariantList>
#include <qqmlregistration.h>

#include <stop_token>
#include <thread>

namespace minerva::app {

struct LibraryModel {
  QString path, name, owner;  // owner: the program it belongs to; empty: none other
};

// The files with the weights of the model at `path`: itself, all parts of a split one, or those in the folder.
[[nodiscard]] QStringList weightFilesOf(const QString& path);

class Duplicates : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ModelLibrary")
  Q_PROPERTY(State state READ state NOTIFY changed)
  Q_PROPERTY(double bytesDone READ bytesDone NOTIFY changed)
  Q_PROPERTY(double bytesTotal READ bytesTotal NOTIFY changed)  // that have to be read; 0: all are known
  Q_PROPERTY(QString reading READ reading NOTIFY changed)       // the file's name
  Q_PROPERTY(QVariantList groups READ groups NOTIFY changed)    // [{name, sha256, bytes, saved, places: [{path, folder, owner}]}]
  Q_PROPERTY(double bytesSaved READ bytesSaved NOTIFY changed)  // if of each only one were kept
  Q_PROPERTY(QStringList unread READ unread NOTIFY changed)     // why a file is not compared
 public:
  enum State { Idle, Looking, Done };
  Q_ENUM(State)

  explicit Duplicates(QObject* parent = nullptr);
  ~Duplicates() override;

  void setHashFile(const QString& file) { m_hashFile = file; }
  [[nodiscard]] State state() const { return m_state; }
  [[nodiscard]] double bytesDone() const { return m_bytesDone; }
  [[nodiscard]] double bytesTotal() const { return m_bytesTotal; }
  [[nodiscard]] QString reading() const { return m_reading; }
  [[nodiscard]] QVariantList groups() const { return m_found.groups; }
  [[nodiscard]] double bytesSaved() const { return m_found.saved; }
  [[nodiscard]] QStringList unread() const { return m_found.unread; }

  void look(const QList<LibraryModel>& models);  // not while Looking
  Q_INVOKABLE void cancel();                     // Idle soon after; what was hashed stays known
  Q_INVOKABLE void dismiss();

 Q_SIGNALS:
  void changed();

 private:
  struct Found {
    QVariantList groups;
    double saved = 0;
    QStringList unread;
    bool cancelled = false;
  };
  void run(const std::stop_token& stop, const QList<LibraryModel>& models, const QString& hashFile);
  void progressed(const QString& file, double done, double total);
  void end(const Found& found);

  QString m_hashFile, m_reading;
  State m_state = Idle;
  double m_bytesDone = 0, m_bytesTotal = 0;
  Found m_found;
  std::jthread m_thread;  // last: joined before the rest goes
};

}  // namespace minerva::app
