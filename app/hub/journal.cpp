#include "app/hub/journal.h"

#include <QFile>
#include <QJsonDocument>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace minerva::app {
namespace {

QJsonObject merged(const QByteArray& text) {
  QJsonObject facts;
  const qsizetype end = text.lastIndexOf('\n') + 1;  // anything after the last newline is a torn line
  for (const QByteArray& line : text.left(end).split('\n')) {
    const QJsonObject more = QJsonDocument::fromJson(line).object();
    for (auto fact = more.begin(); fact != more.end(); ++fact) facts[fact.key()] = fact.value();
  }
  return facts;
}

bool isAt(int file, const QString& path) {
  struct stat open {
  }, there{};
  return ::fstat(file, &open) == 0 && ::stat(QFile::encodeName(path).constData(), &there) == 0 && open.st_ino == there.st_ino;
}

Result<QByteArray> contents(const QString& path) {
  QFile file(path);
  if (!file.exists()) return QByteArray();
  if (file.open(QIODevice::ReadOnly)) return file.readAll();
  return fail({.kind = ErrorKind::io,
               .what = "the journal of a download cannot be read",
               .where = path.toStdString(),
               .expected = {},
               .actual = file.errorString().toStdString(),
               .hint = "the partial download is kept next to it; make it readable, or delete its folder"});
}

}  // namespace

Error systemError(const char* what, const QString& path) {
  const int number = errno;
  const char* hint = number == ENOSPC || number == EDQUOT ? "free some space, then continue; the partial download is kept"
                     : number == EACCES || number == EROFS || number == EPERM ? "choose a folder that you can write to"
                                                                              : "";
  return {.kind = ErrorKind::io, .what = what, .where = path.toStdString(), .expected = {}, .actual = std::strerror(number), .hint = hint};
}

void syncFolder(const QString& folder) {
  const int file = ::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(::fsync(file));
  ::close(file);
}

Result<Journal> Journal::open(const QString& path) {
  Journal journal;
  journal.m_path = path;
  for (;;) {
    journal.m_file = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (journal.m_file < 0) return fail(systemError("the journal of a download could not be opened", path));
    const bool locked = ::flock(journal.m_file, LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK) return fail(systemError("the journal of a download could not be locked", path));
    if (!locked)
      return fail({.kind = ErrorKind::limit,
                   .what = "another Minerva process is downloading this",
                   .where = path.toStdString(),
                   .expected = {},
                   .actual = {},
                   .hint = "wait until it is done, or stop it"});
    // The previous holder of the lock may have deleted the file meanwhile.
    if (isAt(journal.m_file, path)) break;
    ::close(std::exchange(journal.m_file, -1));
  }
  MINERVA_ASSIGN(const QByteArray text, contents(path));
  journal.m_facts = merged(text);
  // Cut off a torn line, or the next one would be appended to it.
  if (!text.isEmpty() && !text.endsWith('\n') && ::ftruncate(journal.m_file, text.lastIndexOf('\n') + 1) != 0)
    return fail(systemError("the journal of a download could not be repaired", path));
  return journal;
}

Result<QJsonObject> Journal::read(const QString& path) {
  MINERVA_ASSIGN(const QByteArray text, contents(path));
  return merged(text);
}

Journal& Journal::operator=(Journal&& other) noexcept {
  std::swap(m_file, other.m_file);
  std::swap(m_path, other.m_path);
  std::swap(m_facts, other.m_facts);
  return *this;
}

Journal::~Journal() {
  if (m_file >= 0) ::close(m_file);
}

Result<void> Journal::add(const QJsonObject& facts) {
  for (auto fact = facts.begin(); fact != facts.end(); ++fact) m_facts[fact.key()] = fact.value();
  const QByteArray line = QJsonDocument(facts).toJson(QJsonDocument::Compact) + '\n';
  if (::write(m_file, line.constData(), static_cast<std::size_t>(line.size())) != line.size() || ::fdatasync(m_file) != 0)
    return fail(systemError("the journal of a download could not be written", m_path));
  return {};
}

Result<void> Journal::clear() {
  m_facts = {};
  if (::ftruncate(m_file, 0) != 0) return fail(systemError("the journal of a download could not be written", m_path));
  return {};
}

void Journal::remove() {
  if (m_path.isEmpty()) return;
  QFile::remove(m_path);
  if (m_file >= 0) ::close(std::exchange(m_file, -1));
}

}  // namespace minerva::app
