#include "app/hub/request_log.h"

#include "app/storage/own_files.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace minerva::app {
namespace {

constexpr qint64 tailBytes = 256 * 1024;  // how much of the end of a file last() reads

// Keeps the query of hub requests, which is worth logging, but not that of signed links: long, or with a signature.
QString withoutSignature(const QUrl& url) {
  const QString query = url.query();
  const bool is_signed = query.size() > 160 || query.contains(QStringLiteral("ignature"));
  return url.toString(QUrl::RemoveUserInfo | (is_signed ? QUrl::RemoveQuery : QUrl::None)) +
         (is_signed ? QStringLiteral("?(signed)") : QString());
}

}  // namespace

quint64 RequestLog::made(const char* method, const QUrl& url, const QString& why) {
  const std::scoped_lock guard(m_lock);
  write(++m_count, QStringLiteral("%1 %2 (%3)").arg(QLatin1String(method), withoutSignature(url), why));
  return m_count;
}

void RequestLog::answered(quint64 number, const QString& result, qint64 bytes, qint64 milliseconds) {
  const std::scoped_lock guard(m_lock);
  write(number, QStringLiteral("%1, %2 bytes, %3 ms").arg(result).arg(bytes).arg(milliseconds));
}

void RequestLog::write(quint64 number, const QString& text) {
  if (m_file.isEmpty()) return;
  if (number == 1) {
    QDir().mkpath(QFileInfo(m_file).path());
    ownersOnly(m_file);
  }
  const QByteArray line = QStringLiteral("%1 %2.%3 %4\n")
                              .arg(QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs))
                              .arg(QCoreApplication::applicationPid())
                              .arg(number)
                              .arg(text)
                              .toUtf8();
  const int file = ::open(QFile::encodeName(m_file).constData(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  // A single write, so that lines of different processes do not interleave.
  static_cast<void>(::write(file, line.constData(), static_cast<std::size_t>(line.size())) == line.size());
  if (isFull(file)) static_cast<void>(::rename(QFile::encodeName(m_file).constData(), QFile::encodeName(earlier()).constData()));
  ::close(file);
}

// Two processes may find the file full at the same moment. The one that gets the lock, and whose file still has this name,
// renames it.
bool RequestLog::isFull(int file) const {
  struct stat open {
  }, there{};
  if (::fstat(file, &open) != 0 || open.st_size < mostBytes || ::flock(file, LOCK_EX | LOCK_NB) != 0) return false;
  return ::stat(QFile::encodeName(m_file).constData(), &there) == 0 && open.st_ino == there.st_ino;
}

Result<QStringList> RequestLog::last(int lines) const {
  QStringList newest;
  for (const QString& name : {m_file, earlier()}) {
    QFile file(name);
    if (newest.size() >= lines || !file.exists()) continue;
    if (!file.open(QIODevice::ReadOnly))
      return fail({.kind = ErrorKind::io,
                   .what = "the request log cannot be read",
                   .where = name.toStdString(),
                   .expected = {},
                   .actual = file.errorString().toStdString(),
                   .hint = {}});
    const bool whole = file.size() <= tailBytes;
    file.seek(std::max<qint64>(0, file.size() - tailBytes));
    QStringList all = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (!whole && !all.isEmpty()) all.removeFirst();
    for (auto line = all.crbegin(); line != all.crend() && newest.size() < lines; ++line) newest << *line;
  }
  return newest;
}

}  // namespace minerva::app
