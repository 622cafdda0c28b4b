#include "app/hub/part_file.h"

#include "core/base/byte_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace minerva::app {
namespace {

constexpr qint64 room = 64 << 20;  // to leave free on the disk for other programs

// Changes at every boot. Data that the kernel had not written to the disk before the boot is lost.
QString bootId() {
  QFile file(QStringLiteral("/proc/sys/kernel/random/boot_id"));
  return file.open(QIODevice::ReadOnly) ? QString::fromLatin1(file.readAll().trimmed()) : QString();
}

const QString identityKey = QStringLiteral("file"), durableKey = QStringLiteral("durable"), bootKey = QStringLiteral("boot"),
              wrongKey = QStringLiteral("wrong"), etagKey = QStringLiteral("etag");

qint64 lengthOf(int file) {
  struct stat about {};
  return ::fstat(file, &about) == 0 ? about.st_size : 0;
}

// Length of the prefix that is known to be intact: everything written since this boot, else what was synced.
qint64 trusted(const QJsonObject& facts, qint64 length, const HubFile& file) {
  if (facts[identityKey].toObject() != toJson(file) || length > file.size) return 0;
  const QString boot = bootId();
  if (!boot.isEmpty() && facts[bootKey].toString() == boot) return length;
  return std::min(length, facts[durableKey].toInteger());
}

}  // namespace

FileHash::FileHash(const HubFile& file) {
  if (!file.sha256.isEmpty()) return;
  m_git = std::make_unique<QCryptographicHash>(QCryptographicHash::Sha1);
  m_git->addData("blob " + QByteArray::number(file.size) + QByteArray(1, '\0'));
}

void FileHash::add(QByteArrayView bytes) {
  if (m_git) m_git->addData(bytes);
  else m_sha256.add(bytes);
}

QByteArray FileHash::hex() const { return (m_git ? m_git->result() : m_sha256.result()).toHex(); }

const QByteArray& wantedHash(const HubFile& file) { return file.sha256.isEmpty() ? file.gitId : file.sha256; }
const char* hashName(const HubFile& file) { return file.sha256.isEmpty() ? "git id" : "sha256"; }

qint64 freeBytes(const QString& path) {
  QString there = QFileInfo(path).absoluteFilePath();
  while (!QFileInfo::exists(there) && there.size() > 1) there = QFileInfo(there).path();
  struct statvfs about {};
  if (::statvfs(QFile::encodeName(there).constData(), &about) != 0) return -1;
  return static_cast<qint64>(about.f_bavail) * static_cast<qint64>(about.f_frsize);
}

Result<void> checkRoomFor(qint64 bytes, const QString& path) {
  const qint64 free = freeBytes(path);
  if (free < 0 || bytes <= 0 || free >= bytes + room) return {};
  return fail({.kind = ErrorKind::limit,
               .what = "there is not enough space on the disk",
               .where = path.toStdString(),
               .expected = minerva::readable(static_cast<std::uint64_t>(bytes + room)) + " free",
               .actual = minerva::readable(static_cast<std::uint64_t>(free)),
               .hint = "free some space, or choose another folder for models; the partial download is kept"});
}

Result<PartFile> PartFile::open(const QString& target, const HubFile& file) {
  PartFile part;
  part.m_target = target;
  part.m_file = file;
  if (!QDir().mkpath(QFileInfo(target).path()))
    return fail(systemError("the models folder could not be created", QFileInfo(target).path()));
  MINERVA_ASSIGN(part.m_journal, Journal::open(journalName(target)));
  part.m_part.number = ::open(QFile::encodeName(partName(target)).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (part.m_part.number < 0) return fail(systemError("the file could not be created", partName(target)));
  const qint64 length = lengthOf(part.m_part.number);
  part.m_bytes = trusted(part.m_journal.facts(), length, file);
  if (part.m_journal.facts()[identityKey].toObject() != toJson(file)) MINERVA_TRY(part.m_journal.clear());
  if (part.m_bytes != length && ::ftruncate(part.m_part.number, part.m_bytes) != 0)
    return fail(systemError("the file could not be written", target));
  part.m_synced = std::min(part.m_bytes, part.m_journal.facts()[durableKey].toInteger());
  MINERVA_TRY(part.m_journal.add({{identityKey, toJson(file)}, {bootKey, bootId()}, {durableKey, part.m_synced}}));
  syncFolder(QFileInfo(target).path());
  part.m_hash = FileHash(file);
  return part;
}

Result<void> PartFile::hashMore(qint64 most) {
  QByteArray buffer(1 << 20, Qt::Uninitialized);
  for (const qint64 end = std::min(m_bytes, m_hashed + most); m_hashed < end;) {
    const auto wanted = static_cast<std::size_t>(std::min<qint64>(buffer.size(), end - m_hashed));
    const ssize_t got = ::pread(m_part.number, buffer.data(), wanted, m_hashed);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(systemError("the partial download could not be read", partName(m_target)));
    m_hash.add(QByteArrayView(buffer.constData(), got));
    m_hashed += got;
  }
  return {};
}

Result<bool> PartFile::sameContent(const QByteArray& etag) {
  if (etag.isEmpty()) return true;
  const QString now = QString::fromLatin1(etag), before = m_journal.facts()[etagKey].toString();
  if (now == before) return true;
  const bool same = before.isEmpty() || m_bytes == 0;
  if (!same) MINERVA_TRY(startOver());
  MINERVA_TRY(m_journal.add({{etagKey, now}}));
  return same;
}

Result<void> PartFile::startOver() {
  if (::ftruncate(m_part.number, 0) != 0) return fail(systemError("the file could not be written", partName(m_target)));
  m_bytes = m_synced = m_hashed = 0;
  m_hash = FileHash(m_file);
  return m_journal.add({{durableKey, 0}});
}

Result<void> PartFile::append(const QByteArray& bytes) {
  for (qsizetype done = 0; done < bytes.size();) {
    const ssize_t written = ::pwrite(m_part.number, bytes.constData() + done, static_cast<std::size_t>(bytes.size() - done), m_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(systemError("the file could not be written", partName(m_target)));
    m_hash.add(QByteArrayView(bytes.constData() + done, written));
    m_bytes += written;
    m_hashed += written;
    done += written;
  }
  if (m_bytes - m_synced < syncEvery) return {};
  sync();
  return checkRoomFor(m_file.size - m_bytes, m_target);
}

void PartFile::sync() {
  if (m_part.number < 0 || ::fdatasync(m_part.number) != 0) return;
  if (m_journal.add({{durableKey, m_bytes}})) m_synced = m_bytes;
}

Result<PartFile::Verdict> PartFile::finish() {
  if (!isRight()) {
    const QByteArray found = hash();
    const QString before = m_journal.facts()[wrongKey].toString();
    if (before.isEmpty()) {
      MINERVA_TRY(startOver());
      MINERVA_TRY(m_journal.add({{wrongKey, QString::fromLatin1(found)}}));
      return Verdict::fetchAgain;
    }
    discard();
    const std::string name = std::string(hashName(m_file)) + " ";
    return fail({.kind = ErrorKind::corrupt,
                 .what = "the downloaded file is not the one the hub lists, in two attempts",
                 .where = m_file.path.toStdString(),
                 .expected = name + wantedHash(m_file).toStdString(),
                 .actual = name + before.toStdString() + (before.toLatin1() == found ? " both times" : ", then " + found.toStdString()),
                 .hint = "it was discarded; something on the network path changes files, or the hub's copy is damaged"});
  }
  if (::fsync(m_part.number) != 0) return fail(systemError("the file could not be written", partName(m_target)));
  if (::rename(QFile::encodeName(partName(m_target)).constData(), QFile::encodeName(m_target).constData()) != 0)
    return fail(systemError("the finished file could not be renamed", m_target));
  close();
  m_journal.remove();
  syncFolder(QFileInfo(m_target).path());
  return Verdict::verified;
}

void PartFile::discard() {
  close();
  QFile::remove(partName(m_target));
  m_journal.remove();
}

void PartFile::close() {
  if (m_part.number >= 0) ::close(std::exchange(m_part.number, -1));
}

qint64 PartFile::bytesThere(const QString& target) {
  const QFileInfo part(partName(target));
  return part.exists() ? part.size() : 0;
}

}  // namespace minerva::app
