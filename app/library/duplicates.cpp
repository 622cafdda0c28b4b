#include "app/library/duplicates.h"

#include "app/library/file_hashes.h"
#include "app/text/error_words.h"
#include "core/base/clock.h"
#include "core/base/start_thread.h"

#include <QDir>
#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr double hashReportMs = 100;

struct SameSizeFile {
  QString path;
  FileIdentity identity;
  LibraryModel model;
};

// Groups files by size, each file once even if several links or rows refer to it, and drops groups of one file.
QMap<qint64, QList<SameSizeFile>> sameSizes(const QList<LibraryModel>& models) {
  QMap<qint64, QList<SameSizeFile>> sizes;
  QSet<QString> seen;
  for (const LibraryModel& model : models)
    for (const QString& path : weightFilesOf(model.path)) {
      const FileIdentity identity = FileIdentity::of(path);
      if (identity.size <= 0 || seen.contains(identity.key())) continue;
      seen.insert(identity.key());
      sizes[identity.size] << SameSizeFile{path, identity, model};
    }
  for (auto size = sizes.begin(); size != sizes.end();) size = size->size() < 2 ? sizes.erase(size) : std::next(size);
  return sizes;
}

QVariantMap groupOf(const QString& hash, const QList<SameSizeFile>& files) {
  QVariantList places;
  for (const SameSizeFile& file : files)
    places << QVariantMap{
        {QStringLiteral("path"), file.path}, {QStringLiteral("owner"), file.model.owner}, {QStringLiteral("name"), file.model.name}};
  const auto bytes = static_cast<double>(files.first().identity.size);
  return {{QStringLiteral("name"), files.first().model.name},
          {QStringLiteral("sha256"), hash},
          {QStringLiteral("bytes"), bytes},
          {QStringLiteral("saved"), bytes * static_cast<double>(files.size() - 1)},
          {QStringLiteral("places"), places}};
}

}  // namespace

QStringList weightFilesOf(const QString& path) {
  const QFileInfo info(path);
  if (info.isDir()) {
    QStringList files;
    for (const QFileInfo& file : QDir(path).entryInfoList({QStringLiteral("*.safetensors")}, QDir::Files)) files << file.filePath();
    return files;
  }
  static const QRegularExpression part(QStringLiteral("^(.*)-\\d{5}-of-(\\d{5})\\.gguf$"), QRegularExpression::CaseInsensitiveOption);
  const auto match = part.match(info.fileName());
  if (!match.hasMatch()) return {path};
  QStringList files;
  for (const QFileInfo& file : info.dir().entryInfoList({QStringLiteral("*.gguf")}, QDir::Files))
    if (const auto other = part.match(file.fileName()); other.captured(1) == match.captured(1) && other.captured(2) == match.captured(2))
      files << file.filePath();
  return files;
}

Duplicates::Duplicates(QObject* parent) : QObject(parent) {}
Duplicates::~Duplicates() = default;

void Duplicates::look(const QList<LibraryModel>& models) {
  if (m_state == Looking) return;
  m_state = Looking;
  m_bytesDone = m_bytesTotal = 0;
  m_reading.clear();
  m_found = {};
  const auto started = startThread(m_thread, [this, models, file = m_hashFile](const std::stop_token& stop) { run(stop, models, file); });
  if (!started) return end({.groups = {}, .unread = {shownMessage(started.error())}});
  Q_EMIT changed();
}

void Duplicates::cancel() {
  if (m_state == Looking) m_thread.request_stop();
}

void Duplicates::dismiss() {
  if (m_state != Done) return;
  m_state = Idle;
  m_found = {};
  Q_EMIT changed();
}

// Runs on m_thread.
void Duplicates::run(const std::stop_token& stop, const QList<LibraryModel>& models, const QString& hashFile) {
  const auto sizes = sameSizes(models);
  FileHashes hashes(hashFile);
  double total = 0, done = 0;
  for (const QList<SameSizeFile>& files : sizes)
    for (const SameSizeFile& file : files) total += hashes.knows(file.identity) ? 0 : static_cast<double>(file.identity.size);
  TimePoint last{};
  Found found;
  QMap<QString, QList<SameSizeFile>> byHash;
  for (const QList<SameSizeFile>& files : sizes)
    for (const SameSizeFile& file : files) {
      const Result<QString> hash = hashes.of(file.path, stop, [&](qint64 bytes) {
        done += static_cast<double>(bytes);
        const TimePoint now = Clock::now();
        if (millisecondsBetween(last, now) < hashReportMs) return;
        last = now;
        const QString name = QFileInfo(file.path).fileName();
        QMetaObject::invokeMethod(
            this, [this, name, done, total] { progressed(name, done, total); }, Qt::QueuedConnection);
      });
      if (hash) byHash[*hash] << file;
      else if (hash.error().kind == ErrorKind::cancelled) found.cancelled = true;
      else found.unread << shownMessage(hash.error());
      if (found.cancelled) break;
    }
  hashes.save();
  for (auto group = byHash.cbegin(); group != byHash.cend(); ++group) {
    if (group->size() < 2) continue;
    found.groups << groupOf(group.key(), group.value());
    found.saved += found.groups.last().toMap()[QStringLiteral("saved")].toDouble();
  }
  std::ranges::stable_sort(found.groups, std::greater(),
                           [](const QVariant& one) { return one.toMap()[QStringLiteral("saved")].toDouble(); });
  QMetaObject::invokeMethod(
      this, [this, found] { end(found); }, Qt::QueuedConnection);
}

void Duplicates::progressed(const QString& file, double done, double total) {
  m_reading = file;
  m_bytesDone = done;
  m_bytesTotal = total;
  Q_EMIT changed();
}

void Duplicates::end(const Found& found) {
  m_found = found.cancelled ? Found() : found;
  m_state = found.cancelled ? Idle : Done;
  Q_EMIT changed();
}

}  // namespace minerva::app
