// The requests Minerva made, one line when one is made and one when it is answered; of very many, the last ones. Thread-safe,
// and several processes may write to one file.
//
// "2026-11-21T22:33:16.123Z 4711.3 GET https://huggingface.co/api/models?search=llama (search)"
// "2026-11-21T22:33:16.301Z 4711.3 200, 20480 bytes, 178 ms". The signature of a signed link is left out.
#pragma once

#include "core/base/error.h"

#include <QString>
#include <QStringList>
#include <QUrl>

#include <mutex>

namespace minerva::app {

class RequestLog {
 public:
  // file: created with its folder at the first request; empty: nothing is kept.
  explicit RequestLog(QString file) : m_file(std::move(file)) {}

  // The number to give to answered().
  quint64 made(const QUrl& url, const QString& why);
  void answered(quint64 number, const QString& result, qint64 bytes, qint64 milliseconds);

  [[nodiscard]] QString file() const { return m_file; }
  [[nodiscard]] Result<QStringList> last(int lines) const;  // newest first. Errors: io
  // When a file has so many bytes it becomes FILE.1, in the place of an older one, and a new one is begun.
  static constexpr qint64 mostBytes = 4 << 20;

 private:
  void write(quint64 number, const QString& text);
  [[nodiscard]] bool isFull(int file) const;  // and it is this process that moves it
  [[nodiscard]] QString earlier() const { return m_file + QStringLiteral(".1"); }
  const QString m_file;
  std::mutex m_lock;
  quint64 m_count = 0;
};

}  // namespace minerva::app
