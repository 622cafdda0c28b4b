// A database of the program's own: SQLite in WAL mode through Qt SQL. Synchronous; one instance belongs to one thread.
//
// The schema's version is user_version, the number of migrations behind the file. open() migrates older files, after
// copying them aside, and refuses newer ones without touching them. Such a copy goes when it is keepCopiesDays old.
#pragma once

#include "core/base/error.h"

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

// What a column takes: TEXT NOT NULL has no null, and a figure that is not known is one.
inline QString filled(const QString& text) { return text.isNull() ? QStringLiteral("") : text; }
inline QVariant orNull(double figure) { return std::isnan(figure) ? QVariant() : QVariant(figure); }

class SqliteFile {
 public:
  using Migrations = std::vector<QStringList>;  // an entry a version: the statements that lead there from the one before

  static constexpr int keepCopiesDays = 30;

  // what: the contents, as errors name them ("the conversations"). file ":memory:" keeps everything in memory.
  // Errors: unsupported (newer version: expected and found), corrupt (not a database, damaged), io (cannot be opened; or cannot be
  // copied before a migration: then it is as it was).
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open(const QString& file, const char* what, const Migrations& migrations);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  // Errors of all below: io ("the disk is full" is told apart), corrupt.
  [[nodiscard]] Result<QSqlQuery> query(const QString& sql, const QVariantList& values = {}) const;
  [[nodiscard]] Result<void> run(const QString& sql, const QVariantList& values = {}) const;
  // Calls take for every row; a row that cannot be read is an error, not the end.
  [[nodiscard]] Result<void> each(const QString& sql, const QVariantList& values,
                                  const std::function<void(const QSqlQuery& row)>& take) const;
  // All of it or nothing: an error of `all`, or of the end, takes everything back.
  [[nodiscard]] Result<void> together(const std::function<Result<void>()>& all) const;
  [[nodiscard]] const QString& file() const { return m_file; }

 private:
  SqliteFile(QString connection, QString file, const char* what);
  [[nodiscard]] QSqlDatabase database() const { return QSqlDatabase::database(m_connection, false); }
  [[nodiscard]] Result<void> prepare(const Migrations& migrations) const;
  [[nodiscard]] Result<void> copyBefore(int version) const;
  void removeOldCopies() const;
  [[nodiscard]] minerva::Error errorFrom(const class QSqlError& error, const char* wrong) const;
  QString m_connection, m_file;
  std::string m_what;
};

}  // namespace minerva::app
