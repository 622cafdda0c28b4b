// Persistent cache of SHA-256 file hashes, keyed by device, inode, size and modification time, so that a renamed file keeps
// its hash and a modified one is hashed again. Not thread-safe.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <functional>
#include <stop_token>

namespace minerva::app {

struct FileIdentity {
  quint64 device = 0, inode = 0;
  qint64 size = -1;  // -1: no such file
  qint64 changedNs = 0;
  [[nodiscard]] static FileIdentity of(const QString& path);  // follows links
  [[nodiscard]] QString key() const;
};

class FileHashes {
 public:
  explicit FileHashes(const QString& file);  // the cache file; treated as empty if unreadable
  [[nodiscard]] bool knows(const FileIdentity& identity) const;
  // 64 hex digits. hashed: called with the number of bytes read since its last call. Errors: io, cancelled.
  [[nodiscard]] Result<QString> of(const QString& path, const std::stop_token& stop, const std::function<void(qint64)>& hashed);
  void save();

 private:
  QString m_file;
  QJsonObject m_known;
  bool m_changed = false;
};

}  // namespace minerva::app
