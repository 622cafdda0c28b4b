#include "app/hub/kept_version.h"

#include "app/hub/part_file.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>

namespace minerva::app {
namespace {

constexpr qint64 toleranceMs = 1000;  // for file systems with coarse timestamps; the same as in Hugging Face's tools

// The recorded hash; empty if the file was changed after the record was written.
QByteArray keptHash(const QString& record, const QFileInfo& file) {
  QFile kept(record);
  if (!kept.open(QIODevice::ReadOnly)) return {};
  const QList<QByteArray> lines = kept.read(4096).split('\n');
  if (lines.size() < 3) return {};
  bool isTime = false;
  const double seconds = lines[2].trimmed().toDouble(&isTime);
  const bool current = isTime && static_cast<double>(file.lastModified().toMSecsSinceEpoch() - toleranceMs) <= seconds * 1000;
  return current ? lines[1].trimmed() : QByteArray();
}

}  // namespace

QString versionRecord(const QString& folder, const QString& path) {
  return folder + QStringLiteral("/.cache/huggingface/download/") + path + QStringLiteral(".metadata");
}

void keepVersion(const QString& folder, const HubFile& file, const QString& commit) {
  const QString record = versionRecord(folder, file.path);
  if (!QDir().mkpath(QFileInfo(record).path())) return;
  QSaveFile kept(record);
  if (!kept.open(QIODevice::WriteOnly)) return;
  const double now = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
  kept.write(commit.toUtf8() + '\n' + wantedHash(file) + '\n' + QByteArray::number(now, 'f', 3) + '\n');
  kept.commit();
}

void moveVersion(const QString& folder, const QString& target, const QString& path) {
  const QString record = versionRecord(folder, path), moved = versionRecord(target, path);
  if (QFileInfo::exists(record) && QDir().mkpath(QFileInfo(moved).path())) QFile::rename(record, moved);
  forgetVersion(folder, path);
}

void forgetVersion(const QString& folder, const QString& path) {
  const QString record = versionRecord(folder, path);
  QFile::remove(record);
  for (QString empty = QFileInfo(record).path(); empty.startsWith(folder + QStringLiteral("/.cache")); empty = QFileInfo(empty).path())
    if (!QDir().rmdir(empty)) break;
}

OnDisk versionOnDisk(const QString& folder, const HubFile& file) {
  const QFileInfo info(folder + u'/' + file.path);
  if (!info.exists()) return OnDisk::missing;
  const QByteArray kept = keptHash(versionRecord(folder, file.path), info);
  const bool same = info.size() == file.size && (kept.isEmpty() || kept == wantedHash(file));
  return same ? OnDisk::same : OnDisk::other;
}

}  // namespace minerva::app
