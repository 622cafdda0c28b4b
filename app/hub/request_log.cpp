#include "app/hub/request_log.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace minerva::app {
namespace {

constexpr qint64 tailBytes = 256 * 1024;  // of the file that last() looks at

// What is asked of the hub is worth reading; what other hosts get is a signature.
QString withoutSignature(const QUrl& url) {
  const QString query = url.query();
  const bool is_signed = query.size() > 160 || query.contains(QStringLiteral("ignature"));
  return url.toString(QUrl::RemoveUserInfo | (is_signed ? QUrl::RemoveQuery : QUrl::None)) +
         (is_signed ? QStringLiteral("?(signed)") : QString());
}

}  // namespace

quint64 RequestLog::made(const QUrl& url, const QString& why) {
  const std::scoped_lock guard(m_lock);
  write(++m_count, QStringLiteral("GET %1 (%2)").arg(withoutSignature(url), why));
  return m_count;
}

void RequestLog::answered(quint64 number, const QString& result, qint64 bytes, qint64 milliseconds) {
  const std::scoped_lock guard(m_lock);
  write(number, QStringLiteral("%1, %2 bytes, %3 ms").arg(result).arg(bytes).arg(milliseconds));
}

void RequestLog::write(quint64 number, const QString& text) {
  if (m_file.isEmpty()) return;
  if (number == 1) QDir().mkpath(QFileInfo(m_file).path());
  QFile file(m_file);
  if (!file.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered)) return;
  const QString line = QStringLiteral("%1 %2.%3 %4\n")
                           .arg(QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs))
                           .arg(QCoreApplication::applicationPid())
                           .arg(number)
                           .arg(text);
  file.write(line.toUtf8());  // one write: lines of two processes do not mix
}

QStringList RequestLog::last(int lines) const {
  QFile file(m_file);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const bool whole = file.size() <= tailBytes;
  file.seek(std::max<qint64>(0, file.size() - tailBytes));
  QStringList all = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  if (!whole && !all.isEmpty()) all.removeFirst();
  QStringList newest;
  for (auto line = all.crbegin(); line != all.crend() && newest.size() < lines; ++line) newest << *line;
  return newest;
}

}  // namespace minerva::app
