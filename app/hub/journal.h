// Facts about something unfinished, one JSON object a line, appended and synced; of a fact that comes twice, the last
// holds. A line that was torn by a crash is ignored. The file is locked while it is open: one writer, also among
// processes.
#pragma once

#include "core/base/error.h"

#include <QJsonObject>
#include <QString>

#include <utility>

namespace minerva::app {

class Journal {
 public:
  // Created where it is not there. Errors: io; limit (another process has it).
  [[nodiscard]] static Result<Journal> open(const QString& path);
  // Without the lock; {} where there is none. Errors: io (it is there and cannot be read).
  [[nodiscard]] static Result<QJsonObject> read(const QString& path);

  Journal() = default;
  Journal(Journal&& other) noexcept
      : m_file(std::exchange(other.m_file, -1)), m_path(std::move(other.m_path)), m_facts(std::move(other.m_facts)) {}
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  [[nodiscard]] const QJsonObject& facts() const { return m_facts; }
  [[nodiscard]] Result<void> add(const QJsonObject& facts);  // on the disk when it returns
  [[nodiscard]] Result<void> clear();
  void remove();  // the file, too

 private:
  int m_file = -1;
  QString m_path;
  QJsonObject m_facts;
};

// errno of a call on a path, in words.
[[nodiscard]] Error systemError(const char* what, const QString& path);
void syncFolder(const QString& folder);  // makes renames in it last

}  // namespace minerva::app
