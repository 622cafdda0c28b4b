#include "app/library/file_hashes.h"

#include "app/hub/sha256.h"

#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>

#include <sys/stat.h>

namespace minerva::app {
namespace {

constexpr qint64 block = 4 << 20;
constexpr qsizetype mostKept = 5000;

}  // namespace

FileIdentity FileIdentity::of(const QString& path) {
  struct stat found {};
  if (::stat(QFile::encodeName(path).constData(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .changedNs = static_cast<qint64>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec};
}

QString FileIdentity::key() const { return QStringLiteral("%1:%2:%3:%4").arg(device).arg(inode).arg(size).arg(changedNs); }

FileHashes::FileHashes(const QString& file) : m_file(file) {
  QFile kept(file);
  if (kept.open(QIODevice::ReadOnly)) m_known = QJsonDocument::fromJson(kept.readAll()).object();
  if (m_known.size() > mostKept) m_known = {};  // limits growth: entries of changed and deleted files are never removed
}

bool FileHashes::knows(const FileIdentity& identity) const { return m_known.contains(identity.key()); }

Result<QString> FileHashes::of(const QString& path, const std::stop_token& stop, const std::function<void(qint64)>& hashed) {
  const FileIdentity before = FileIdentity::of(path);
  if (const QString known = m_known[before.key()].toString(); known.size() == 64) return known;
  const auto failed = [&](const char* what, const QString& why) {
    return fail(
        {.kind = ErrorKind::io, .what = what, .where = path.toStdString(), .expected = {}, .actual = why.toStdString(), .hint = {}});
  };
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) return failed("the file cannot be read", file.errorString());
  Sha256 hash;
  QByteArray bytes(block, Qt::Uninitialized);
  for (;;) {
    if (stop.stop_requested())
      return fail({.kind = ErrorKind::cancelled, .what = "stopped", .where = {}, .expected = {}, .actual = {}, .hint = {}});
    const qint64 got = file.read(bytes.data(), bytes.size());
    if (got < 0) return failed("the file cannot be read", file.errorString());
    if (got == 0) break;
    hash.add(QByteArrayView(bytes.constData(), got));
    hashed(got);
  }
  if (FileIdentity::of(path).key() != before.key()) return failed("the file was changed while it was read", {});
  const QString hex = QString::fromLatin1(hash.result().toHex());
  m_known[before.key()] = hex;
  m_changed = true;
  return hex;
}

void FileHashes::save() {
  if (!m_changed) return;
  QSaveFile file(m_file);  // errors are ignored: the hashes are computed again next time
  if (file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(m_known).toJson(QJsonDocument::Compact)) > 0) file.commit();
  m_changed = false;
}

}  // namespace minerva::app
