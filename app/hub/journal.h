// A crash-safe key-value log: one JSON object per line, appended and synced; the last value of a key counts. A line torn by
// a crash is ignored. The file is locked while it is open, so that there is only one writer, across processes too.
#pragma once

#include "core/base/error.h"

#include <QJsonObject>
#include <QString>

#include <utility>

namespace minerva::app {

class Journal {
 public:
  // Creates the file if it does not exist. Errors: io; limit (locked by another process).
  [[nodiscard]] static Result<Journal> open(const QString& path);
  // Reads without locking; {} if there is no file. Errors: io (the file exists but cannot be read).
  [[nodiscard]] static Result<QJsonObject> read(const QString& path);

  Journal() = default;
  Journal(Journal&& other) noexcept
      : m_file(std::exchange(other.m_file, -1)), m_path(std::move(other.m_path)), m_facts(std::move(other.m_facts)) {}
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  [[nodiscard]] const QString& path() const { return m_path; }
  [[nodiscard]] const QJsonObject& facts() const { return m_facts; }
  [[nodiscard]] Result<void> add(const QJsonObject& facts);  // durable when it returns
  [[nodiscard]] Result<void> clear();
  void remove();  // deletes the file

 private:
  int m_file = -1;
  QString m_path;
  QJsonObject m_facts;
};

// An Error of kind io for the current errno.
[[nodiscard]] Error systemError(const char* what, const QString& path);
void syncFolder(const QString& folder);  // makes renames in the folder durable

}  // namespace minerva::app
