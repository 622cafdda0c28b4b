// Comparisons on disk: SQLite in WAL mode through Qt SQL. Synchronous; one instance belongs to one thread.
//
// The schema's version is user_version; open() migrates older files and refuses newer ones without touching them. A
// figure that is not known is NULL. Times are milliseconds since 1970, UTC.
#pragma once

#include "app/compare/compare_types.h"
#include "core/base/error.h"

#include <QSqlDatabase>
#include <QString>
#include <QVariantList>

#include <memory>
#include <vector>

namespace minerva::app {

// A line of the list of earlier runs.
struct CompareSummary {
  qint64 id = 0;
  QDateTime created;
  QString prompt;  // the first one
  QString models;  // "BF16, Q8_0, 4-bit g64"
};

class CompareStore {
 public:
  static constexpr int version = 1;

  // Errors: unsupported (newer version), corrupt (not a database), io. file ":memory:" keeps everything in memory.
  [[nodiscard]] static Result<std::unique_ptr<CompareStore>> open(const QString& file);
  ~CompareStore();
  CompareStore(const CompareStore&) = delete;
  CompareStore& operator=(const CompareStore&) = delete;

  // Errors of all below: io, corrupt; notFound where there is no such run.
  [[nodiscard]] Result<std::vector<CompareSummary>> runs();  // newest first
  [[nodiscard]] Result<CompareRun> read(qint64 id);
  [[nodiscard]] Result<qint64> add(const CompareRun& run);  // its new id
  [[nodiscard]] Result<void> remove(qint64 id);

 private:
  CompareStore(QString connection, QString file);
  [[nodiscard]] QSqlDatabase database() const { return QSqlDatabase::database(m_connection, false); }
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] Result<void> migrate(int from);
  [[nodiscard]] Result<void> readColumns(CompareRun& run);
  [[nodiscard]] Result<void> readReplies(CompareRun& run);
  [[nodiscard]] Result<void> addParts(const CompareRun& run, qint64 id);
  [[nodiscard]] Result<class QSqlQuery> query(const QString& sql, const QVariantList& values = {}) const;
  QString m_connection, m_file;
};

}  // namespace minerva::app
