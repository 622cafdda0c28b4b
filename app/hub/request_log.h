// Logs all requests of Minerva: one line when a request is sent and one when it is answered. Old entries are dropped.
// Thread-safe, and several processes may write to the same file.
//
// "2026-11-21T22:33:16.123Z 4711.3 GET https://huggingface.co/api/models?search=llama (search)"
// "2026-11-21T22:33:16.301Z 4711.3 200, 20480 bytes, 178 ms". The query of signed links is left out.
#pragma once

#include "core/base/error.h"

#include <QString>
#include <QStringList>
#include <QUrl>

#include <mutex>

namespace minerva::app {

class RequestLog {
 public:
  // file: created with its folder at the first request; empty: nothing is logged.
  explicit RequestLog(QString file) : m_file(std::move(file)) {}

  // Logs a request and returns its number, to be passed to answered().
  quint64 made(const char* method, const QUrl& url, const QString& why);
  void answered(quint64 number, const QString& result, qint64 bytes, qint64 milliseconds);

  [[nodiscard]] QString file() const { return m_file; }
  [[nodiscard]] Result<QStringList> last(int lines) const;  // newest first. Errors: io
  // A file of this size is renamed to FILE.1, replacing an older one, and a new file is started.
  static constexpr qint64 mostBytes = 4 << 20;

 private:
  void write(quint64 number, const QString& text);
  [[nodiscard]] bool isFull(int file) const;  // and this process is the one to rename it
  [[nodiscard]] QString earlier() const { return m_file + QStringLiteral(".1"); }
  const QString m_file;
  std::mutex m_lock;
  quint64 m_count = 0;
};

}  // namespace minerva::app
