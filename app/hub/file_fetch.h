// Fetches one file of the hub until it is complete under its final name and its hash is verified. Not thread-safe: use on
// one thread. Data already on the disk is hashed in slices so that the event loop is not blocked.
#pragma once

#include "app/hub/hub_stream.h"
#include "app/hub/part_file.h"

#include <QFile>

#include <memory>

namespace minerva::app {

class FileFetch : public QObject {
  Q_OBJECT
 public:
  FileFetch(HubNetwork* network, const QUrl& url, const QString& target, const HubFile& file, QObject* parent = nullptr);
  ~FileFetch() override;

  // A file that probably has the same content: it is copied instead of fetched if its hash is right and it begins with what is there
  // already. Call before start().
  void setSource(const QString& path) { m_source.setFileName(path); }
  void start();
  void stop();                                                // keeps what is on the disk; no signal is emitted afterwards
  [[nodiscard]] qint64 bytes() const;                         // bytes of the file on the disk
  [[nodiscard]] bool checking() const { return m_checking; }  // hashing or copying what is already on the disk
  [[nodiscard]] bool copied() const { return m_copied; }      // complete, with all the content of the source
  [[nodiscard]] bool again() const { return m_again; }        // the hash was wrong, the file is being fetched a second time
  [[nodiscard]] qint64 received() const { return m_received + (m_stream ? m_stream->received() : 0); }

 Q_SIGNALS:
  void waiting(const QString& reason, const QString& hint, int milliseconds);
  void ended(const std::optional<minerva::Error>& error);

 private:
  [[nodiscard]] bool hashedTo(qint64 end, QFile& file);
  void checkThere();
  void checkPart();
  void fetch();
  void compareSource();
  void copySome();
  void dropSource();
  void finish();
  void later(void (FileFetch::*step)());
  void end(const std::optional<Error>& error);

  HubNetwork* m_network;
  QUrl m_url;
  QString m_target;
  HubFile m_file;
  PartFile m_part;
  QFile m_there;        // an existing file of this name and size
  QFile m_source;       // no name: none
  FileHash m_readHash;  // of what was read of m_there, then of m_source
  std::unique_ptr<HubStream> m_stream;
  qint64 m_received = 0;
  bool m_checking = false, m_again = false, m_stopped = false, m_verified = false, m_copied = false;
};

}  // namespace minerva::app
