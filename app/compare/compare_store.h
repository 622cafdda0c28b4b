// Comparisons on disk (storage/sqlite_file.h). Synchronous; one instance belongs to one thread.
//
// A figure that is not known is NULL. Times are milliseconds since 1970, UTC.
#pragma once

#include "app/compare/compare_types.h"
#include "app/storage/sqlite_file.h"
#include "core/base/error.h"

#include <QString>

#include <memory>
#include <vector>

namespace minerva::app {

// A line of the list of earlier runs.
struct CompareSummary {
  qint64 id = 0;
  QDateTime created;
  QString prompt;  // the first one
  QString models;  // "Qwen3 0.6B, Llama 3.2 1B"
};

class CompareStore {
 public:
  // Errors: SqliteFile::open's. file ":memory:" keeps everything in memory.
  [[nodiscard]] static Result<std::unique_ptr<CompareStore>> open(const QString& file);
  CompareStore(const CompareStore&) = delete;
  CompareStore& operator=(const CompareStore&) = delete;

  // Errors of all below: io, corrupt; notFound where there is no such run.
  [[nodiscard]] Result<std::vector<CompareSummary>> runs();  // newest first
  // The run and those that repeat it, or that it repeats, however often; itself last.
  [[nodiscard]] Result<std::vector<CompareRun>> sameAs(qint64 id);
  [[nodiscard]] Result<CompareRun> read(qint64 id);
  [[nodiscard]] Result<qint64> add(const CompareRun& run);  // its new id
  [[nodiscard]] Result<void> remove(qint64 id);

 private:
  explicit CompareStore(std::unique_ptr<SqliteFile> file);
  [[nodiscard]] Result<void> readColumns(CompareRun& run);
  [[nodiscard]] Result<void> readReplies(CompareRun& run);
  [[nodiscard]] Result<void> addParts(const CompareRun& run, qint64 id);
  std::unique_ptr<SqliteFile> m_file;
};

}  // namespace minerva::app
