// Finds identical files by SHA-256. Only files of equal size are read, each once (FileHashes). Model files are never written,
// moved or deleted. GUI thread only; files are read on a worker thread.
#pragma once

#include "app/inference/error_info.h"

#include <QObject>
#include <QVariantList>
#include <qqmlregistration.h>

#include <stop_token>
#include <thread>

namespace minerva::app {

struct LibraryModel {
  QString path, name, owner;  // owner: the other program it belongs to; empty: none
};

// The weight files of the model at `path`: the file itself, all shards of a split model, or the *.safetensors of a folder.
[[nodiscard]] QStringList weightFilesOf(const QString& path);

class Duplicates : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ModelLibrary")
  Q_PROPERTY(State state READ state NOTIFY changed)
  Q_PROPERTY(double bytesDone READ bytesDone NOTIFY changed)
  Q_PROPERTY(double bytesTotal READ bytesTotal NOTIFY changed)  // to be read; 0: all hashes are known
  Q_PROPERTY(QString reading READ reading NOTIFY changed)       // name of the file being read
  Q_PROPERTY(QVariantList groups READ groups NOTIFY
                 changed)  // [{name, sha256, bytes, saved, places: [{path, owner, name}]}], most bytes saved first
  Q_PROPERTY(double bytesSaved READ bytesSaved NOTIFY changed)  // if only one file of each group were kept
  Q_PROPERTY(QStringList unread READ unread NOTIFY changed)     // error messages of files that could not be read
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

  void look(const QList<LibraryModel>& models);  // ignored while Looking
  Q_INVOKABLE void cancel();                     // Idle soon afterwards; finished hashes are kept
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
  std::jthread m_thread;  // last member: joined before the others are destroyed
};

}  // namespace minerva::app
