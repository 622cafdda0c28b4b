// SHA-256 of files, each computed once: kept in a file by device, inode, size and time of the last change, so that a file
// that was renamed keeps its hash and one that was changed loses it. One thread's.
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
  [[nodiscard]] static FileIdentity of(const QString& path);  // of what a link leads to
  [[nodiscard]] QString key() const;
};

class FileHashes {
 public:
  explicit FileHashes(const QString& file);  // where they are kept; an unreadable one counts as empty
  [[nodiscard]] bool knows(const FileIdentity& identity) const;
  // 64 hex digits. hashed: told how many bytes were read since it was told last. Errors: io, cancelled.
  [[nodiscard]] Result<QString> of(const QString& path, const std::stop_token& stop, const std::function<void(qint64)>& hashed);
  void save();

 private:
  QString m_file;
  QJsonObject m_known;
  bool m_changed = false;
};

}  // namespace minerva::app
