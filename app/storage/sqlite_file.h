// A database of the application: SQLite in WAL mode through Qt SQL. Synchronous; an instance must be used on one thread
// only.
//
// The schema version (user_version) is the number of migrations applied. open() migrates older files, after making a
// copy, and rejects newer ones without changing them. Such copies are deleted when lastUsed() is keepCopiesDays later.
#pragma once

#include "core/base/error.h"

#include <QDateTime>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>
#include <QStringList>
#include <QVariantList>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace minerva::app {

// Column values: an empty string instead of null (TEXT NOT NULL rejects null), and null for an unknown number.
inline QString filled(const QString& text) { return text.isNull() ? QStringLiteral("") : text; }
inline QVariant orNull(double figure) { return std::isnan(figure) ? QVariant() : QVariant(figure); }

class SqliteFile {
 public:
  using Migrations = std::vector<QStringList>;  // one entry per version: the statements that upgrade from the previous one

  static constexpr int keepCopiesDays = 30;

  // what: the contents, as named in errors ("the conversations"). The file ":memory:" keeps everything in memory. Errors:
  // unsupported (newer version; with expected and found), corrupt (not a database, damaged), io (cannot be opened, or
  // cannot be copied before a migration, in which case it is unchanged).
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open(const QString& file, const char* what, const Migrations& migrations);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  // Errors of all functions below: io, outOfMemory (the same may succeed later; a full disk has its own message), corrupt, internal (the
  // schema or a constraint refuses it).
  [[nodiscard]] Result<QSqlQuery> query(const QString& sql, const QVariantList& values = {}) const;
  [[nodiscard]] Result<void> run(const QString& sql, const QVariantList& values = {}) const;
  // Calls `take` for every row. Returns an error if a row cannot be read.
  [[nodiscard]] Result<void> each(const QString& sql, const QVariantList& values,
                                  const std::function<void(const QSqlQuery& row)>& take) const;
  // Runs `all` in a transaction: an error of `all` or of the commit rolls everything back.
  [[nodiscard]] Result<void> together(const std::function<Result<void>()>& all) const;
  [[nodiscard]] const QString& file() const { return m_file; }
  // When the file was last written before open(), but not later than now. What is deleted after a time is compared with this instead
  // of with the clock, so that a start with a clock that is ahead deletes nothing too early.
  [[nodiscard]] const QDateTime& lastUsed() const { return m_lastUsed; }

 private:
  SqliteFile(QString connection, QString file, const char* what);
  [[nodiscard]] QSqlDatabase database() const { return QSqlDatabase::database(m_connection, false); }
  [[nodiscard]] Result<void> prepare(const Migrations& migrations) const;
  [[nodiscard]] Result<void> copyBefore(int version) const;
  void removeOldCopies() const;
  [[nodiscard]] minerva::Error errorFrom(const class QSqlError& error, const char* wrong) const;
  QString m_connection, m_file;
  std::string m_what;
  QDateTime m_lastUsed;
};

}  // namespace minerva::app
