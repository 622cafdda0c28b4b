#include "app/storage/sqlite_file.h"

#include "app/storage/own_files.h"

#include <QAtomicInt>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSqlError>
#include <QVariant>

#include <spdlog/spdlog.h>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr const char* beforeVersion = ".before-version-";  // infix of copies made before a migration; the version number follows

// After a kill the last writes are only in the write-ahead log.
QDateTime lastWritten(const QString& file) {
  const QDateTime last = std::max(QFileInfo(file).lastModified(), QFileInfo(file + QStringLiteral("-wal")).lastModified());
  return std::min(last, QDateTime::currentDateTime());
}

}  // namespace

SqliteFile::SqliteFile(QString connection, QString file, const char* what)
    : m_connection(std::move(connection)), m_file(std::move(file)), m_what(what), m_lastUsed(lastWritten(m_file)) {}

SqliteFile::~SqliteFile() {
  database().close();
  QSqlDatabase::removeDatabase(m_connection);
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(const QString& file, const char* what, const Migrations& migrations) {
  if (file != QLatin1String(":memory:")) ownersOnly(file);  // files that SQLite creates beside it get the same permissions
  static QAtomicInt counter;
  const QString connection = QStringLiteral("file-%1").arg(counter.fetchAndAddRelaxed(1));
  {
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection);
    database.setDatabaseName(file);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=2000"));
  }
  std::unique_ptr<SqliteFile> opened(new SqliteFile(connection, file, what));
  QSqlDatabase database = opened->database();
  if (!database.open()) return fail(opened->errorFrom(database.lastError(), "cannot be opened"));
  MINERVA_TRY(opened->prepare(migrations));
  return opened;
}

minerva::Error SqliteFile::errorFrom(const QSqlError& error, const char* wrong) const {
  const int primary = error.nativeErrorCode().toInt() & 0xff;
  minerva::Error result{
      .kind = ErrorKind::io, .what = m_what + " " + wrong, .where = m_file.toStdString(), .actual = error.databaseText().toStdString()};
  // A full-text index reports damage of its settings as a mere SQLITE_ERROR.
  const bool noIndex = primary == 1 && error.databaseText().contains(QLatin1String("vtable constructor failed"));
  if (primary == 11 || primary == 26 || noIndex) {  // SQLITE_CORRUPT, SQLITE_NOTADB
    result.kind = ErrorKind::corrupt;
  } else if (primary == 13) {  // SQLITE_FULL
    result.what = "the disk is full; " + m_what + " cannot be written until there is free space";
    result.hint = "free some space on this disk";
  } else if (primary == 8 || primary == 14 || primary == 10) {  // SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR
    result.hint = "check that the folder can be written to";
  } else if (primary == 5 || primary == 6) {  // SQLITE_BUSY, SQLITE_LOCKED
    result.hint = "close the other program that uses this file";
  } else if (primary == 7) {  // SQLITE_NOMEM
    result.kind = ErrorKind::outOfMemory;
  } else if (primary == 1 || primary >= 16) {  // SQLITE_ERROR, and what concerns a statement and its values, such as SQLITE_CONSTRAINT
    result.kind = ErrorKind::internal;
  }
  return result;
}

Result<QSqlQuery> SqliteFile::query(const QString& sql, const QVariantList& values) const {
  QSqlQuery query(database());
  query.setForwardOnly(true);
  bool done = query.prepare(sql);
  for (const QVariant& value : values) query.addBindValue(value);
  done = done && query.exec();
  if (!done) return fail(errorFrom(query.lastError(), "cannot be read or written"));
  return query;
}

Result<void> SqliteFile::run(const QString& sql, const QVariantList& values) const {
  MINERVA_TRY(query(sql, values));
  return {};
}

Result<void> SqliteFile::each(const QString& sql, const QVariantList& values, const std::function<void(const QSqlQuery& row)>& take) const {
  MINERVA_ASSIGN(QSqlQuery rows, query(sql, values));
  while (rows.next()) take(rows);
  if (rows.lastError().isValid()) return fail(errorFrom(rows.lastError(), "cannot be read"));
  return {};
}

Result<void> SqliteFile::together(const std::function<Result<void>()>& all) const {
  MINERVA_TRY(run(QStringLiteral("BEGIN IMMEDIATE")));
  auto done = all();
  if (done) done = run(QStringLiteral("COMMIT"));
  if (!done) static_cast<void>(run(QStringLiteral("ROLLBACK")));
  return done;
}

Result<void> SqliteFile::prepare(const Migrations& migrations) const {
  const int version = static_cast<int>(migrations.size());
  int found = 0;
  // The version is read first, because a newer file must not be changed, not even to WAL mode.
  MINERVA_TRY(each(QStringLiteral("PRAGMA user_version"), {}, [&](const QSqlQuery& row) { found = row.value(0).toInt(); }));
  if (found > version || found < 0)
    return fail({.kind = ErrorKind::unsupported,
                 .what = m_what + " were written by a newer Minerva",
                 .where = m_file.toStdString(),
                 .expected = "version " + std::to_string(version) + " or older",
                 .actual = "version " + std::to_string(found),
                 .hint = "update Minerva to see them again; nothing in that file was changed"});
  for (const char* pragma : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA foreign_keys=ON"})
    MINERVA_TRY(run(QString::fromLatin1(pragma)));
  removeOldCopies();
  if (found == version) return {};
  if (found > 0) MINERVA_TRY(copyBefore(version));
  return together([&]() -> Result<void> {
    for (std::size_t step = static_cast<std::size_t>(found); step < migrations.size(); ++step)
      for (const QString& statement : migrations[step]) MINERVA_TRY(run(statement));
    return run(QStringLiteral("PRAGMA user_version=%1").arg(version));
  });
}

// Creates the copy under a temporary name and renames it when complete. It keeps the database's permissions.
Result<void> SqliteFile::copyBefore(int version) const {
  bool all = false;  // the write-ahead log is completely in the file itself
  MINERVA_TRY(each(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)"), {}, [&](const QSqlQuery& row) { all = row.value(0).toInt() == 0; }));
  const QString copy = m_file + QLatin1String(beforeVersion) + QString::number(version), part = copy + QStringLiteral(".part");
  QFile original(m_file);
  QFile::remove(part);
  const bool copied = all && original.copy(part) && QFileInfo(part).size() == original.size();
  QFile::remove(copy);  // from an earlier attempt
  if (copied && QFile::rename(part, copy)) return {};
  QFile::remove(part);
  return fail({.kind = ErrorKind::io,
               .what = m_what + " could not be copied before their update to this version",
               .where = copy.toStdString(),
               .expected = "space for " + std::to_string(original.size()) + " bytes in a writable folder",
               .actual = !all ? "another program uses the file" : original.errorString().toStdString(),
               .hint = "free some space and start Minerva again; nothing in " + m_file.toStdString() + " was changed"});
}

void SqliteFile::removeOldCopies() const {
  const QFileInfo file(m_file);
  const QDateTime oldest = m_lastUsed.addDays(-keepCopiesDays);
  for (const QFileInfo& copy : file.dir().entryInfoList({file.fileName() + QLatin1String(beforeVersion) + QLatin1Char('*')}, QDir::Files))
    if (copy.lastModified() < oldest && !QFile::remove(copy.filePath()))
      spdlog::warn("the old copy {} could not be removed", copy.filePath().toStdString());
}

}  // namespace minerva::app
