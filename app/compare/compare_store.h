// Database of comparisons (storage/sqlite_file.h). Synchronous; use an instance on one thread only.
//
// Unknown figures are NULL. Times are milliseconds since 1970, UTC.
#pragma once

#include "app/compare/compare_types.h"
#include "app/storage/sqlite_file.h"
#include "core/base/error.h"

#include <QString>

#include <memory>
#include <vector>

namespace minerva::app {

// An entry in the list of earlier runs.
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

  // Errors of all functions below: io, corrupt; read() also notFound.
  [[nodiscard]] Result<std::vector<CompareSummary>> runs();  // newest first
  // The run and all runs related to it by repetition, directly or indirectly; the run itself is last. Empty if not found.
  [[nodiscard]] Result<std::vector<CompareRun>> sameAs(qint64 id);
  [[nodiscard]] Result<CompareRun> read(qint64 id);
  [[nodiscard]] Result<qint64> add(const CompareRun& run);  // returns the new id
  [[nodiscard]] Result<void> remove(qint64 id);

 private:
  explicit CompareStore(std::unique_ptr<SqliteFile> file);
  [[nodiscard]] Result<void> readColumns(CompareRun& run);
  [[nodiscard]] Result<void> readReplies(CompareRun& run);
  [[nodiscard]] Result<void> addParts(const CompareRun& run, qint64 id);
  std::unique_ptr<SqliteFile> m_file;
};

}  // namespace minerva::app
