// Database of the figures of replies and benchmarks (storage/sqlite_file.h). Synchronous; use an instance on one thread only.
//
// Unknown figures are NULL. Times are milliseconds since 1970, UTC. Intervals are little-endian floats. The text of prompts
// and replies is not stored.
#pragma once

#include "app/metrics/reply_record.h"
#include "app/storage/sqlite_file.h"
#include "core/base/error.h"

#include <memory>
#include <optional>
#include <vector>

namespace minerva::app {

class MetricsStore {
 public:
  // Errors: SqliteFile::open's. file ":memory:" keeps everything in memory.
  [[nodiscard]] static Result<std::unique_ptr<MetricsStore>> open(const QString& file);
  MetricsStore(const MetricsStore&) = delete;
  MetricsStore& operator=(const MetricsStore&) = delete;

  // Errors of all below: io, corrupt.
  [[nodiscard]] Result<qint64> add(const ReplyRecord& record);       // returns the new id
  [[nodiscard]] Result<std::vector<ReplyRecord>> newest(int most);   // newest first, without intervals
  [[nodiscard]] Result<std::optional<ReplyRecord>> read(qint64 id);  // nullopt if not found
  [[nodiscard]] Result<std::optional<ReplyRecord>> ofMessage(qint64 message);

 private:
  explicit MetricsStore(std::unique_ptr<SqliteFile> file) : m_file(std::move(file)) {}
  [[nodiscard]] Result<std::vector<ReplyRecord>> select(const QString& rest, const QVariantList& values, bool intervals);
  std::unique_ptr<SqliteFile> m_file;
};

}  // namespace minerva::app
