#include "app/storage/own_files.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace minerva::app {
namespace {

constexpr mode_t ofOthers = S_IRWXG | S_IRWXO;

// A name that no file has.
QString aside(const QString& file) {
  const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const QString name = file + QStringLiteral(".unreadable-") + stamp;
  QString free = name;
  for (int next = 2; QFileInfo::exists(free); ++next) free = name + u'-' + QString::number(next);
  return free;
}

Error unreadFile(ErrorKind kind, const std::string& what, const QString& file, const QString& why, const QString& keptAs) {
  return {.kind = kind,
          .what = what,
          .where = file.toStdString(),
          .expected = {},
          .actual = why.toStdString(),
          .hint = keptAs.isEmpty() ? "check that the folder can be written to" : "the file was kept as " + keptAs.toStdString()};
}

}  // namespace

QString ownersOnly(const QString& file) {
  const QFileInfo info(file);
  const int made = ::open(QFile::encodeName(file).constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0) ::close(made);
  for (const QString& name : QDir(info.absolutePath()).entryList({info.fileName() + u'*'}, QDir::Files | QDir::Hidden)) {
    const QByteArray path = QFile::encodeName(info.absolutePath() + u'/' + name);
    if (struct stat about{}; ::stat(path.constData(), &about) == 0 && (about.st_mode & ofOthers) != 0)
      static_cast<void>(::chmod(path.constData(), about.st_mode & ~(S_IFMT | ofOthers)));
  }
  return file;
}

std::optional<Error> keepUnreadable(const QString& iniFile, const char* what) {
  if (!QFileInfo::exists(iniFile)) return std::nullopt;
  const QString kept = aside(iniFile);
  if (QFile file(iniFile); !file.open(QIODevice::ReadOnly)) {
    const QString why = file.errorString();
    return unreadFile(ErrorKind::io, std::string(what) + " cannot be read", iniFile, why, QFile::rename(iniFile, kept) ? kept : QString());
  }
  // If the file was read before, QSettings caches what it could read, without its error status; so it has to read the
  // copy.
  if (!QFile::copy(iniFile, kept)) return std::nullopt;
  if (QSettings(kept, QSettings::IniFormat).status() == QSettings::NoError) {
    QFile::remove(kept);
    return std::nullopt;
  }
  // Writes the file anew, so that it is valid at the next start. A key that is gone again before it was written is no change.
  QSettings settings(iniFile, QSettings::IniFormat);
  settings.setValue(QStringLiteral("mended"), true);
  settings.sync();
  settings.remove(QStringLiteral("mended"));
  settings.sync();
  return unreadFile(ErrorKind::corrupt, std::string(what) + " are damaged; the readable part is used", iniFile, {}, kept);
}

}  // namespace minerva::app
