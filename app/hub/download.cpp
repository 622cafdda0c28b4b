#include "app/hub/download.h"

#include <QDir>
#include <QFileInfo>

#include <unistd.h>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr int tickMs = 100;

// Key in the journal: the stamp of a verified file. If it has changed, the file is verified again.
QString verifiedKey(const HubFile& file) { return QStringLiteral("verified ") + file.path; }

void removeEmptyFolders(QString folder, const QString& models) {
  while (folder.startsWith(models + QLatin1Char('/')) && QDir().rmdir(folder)) folder = QFileInfo(folder).path();
}

// Avoids fetching a file that the installed version also has: links it into the staging folder. Its hash is still verified.
// False on a disk without hard links.
bool linkInstalled(const QString& used, const QString& staged) {
  if (QFileInfo::exists(staged)) return true;
  return QDir().mkpath(QFileInfo(staged).path()) && ::link(QFile::encodeName(used).constData(), QFile::encodeName(staged).constData()) == 0;
}

}  // namespace

Download::Download(HubNetwork* network, DownloadItem item, const QString& models, QObject* parent)
    : QObject(parent), m_network(network), m_item(std::move(item)), m_models(models) {
  m_status.bytesTotal = m_item.bytes();
  m_status.bytesDone = bytesThere(m_item, m_models);
  m_ticks.setInterval(tickMs);
  m_waiting.setSingleShot(true);
  connect(&m_ticks, &QTimer::timeout, this, &Download::update);
}

Download::~Download() {
  if (m_fetch) m_fetch->stop();
}

void Download::start() {
  if (m_fetch || m_status.state == DownloadStatus::Done) return;
  m_status.error.reset();
  m_status.note.clear();
  m_rate.clear();
  m_counted = m_status.received;
  m_file = 0;
  m_before = 0;
  const Result<bool> needed = prepare();
  if (!needed) {
    m_status.error = needed.error();
    return halt(DownloadStatus::Failed);
  }
  if (!*needed) return halt(DownloadStatus::Done);
  m_status.state = DownloadStatus::Checking;
  m_ticks.start();
  Q_EMIT changed();
  next();
}

Result<void> Download::openJournal() {
  const QString staging = m_item.stagingFolder(m_models);
  if (!QDir().mkpath(staging)) return fail(systemError("the models folder could not be created", staging));
  MINERVA_ASSIGN(m_journal, Journal::open(m_item.journalPath(m_models)));
  return {};
}

Result<bool> Download::prepare() {
  MINERVA_TRY(openJournal());
  MINERVA_ASSIGN(const auto finished, finishSwap(m_journal, m_models));
  if (finished) {
    m_status.replaced = finished->replaced;
    if (finished->item == m_item) return false;
    MINERVA_TRY(openJournal());  // the swap has deleted it
  }
  const QJsonObject before = m_journal.facts()[DownloadItem::journalKey].toObject();
  if (before != toJson(m_item)) {
    MINERVA_TRY(m_journal.clear());  // a different version: verification results of the old one do not apply
    MINERVA_TRY(m_journal.add({{DownloadItem::journalKey, toJson(m_item)}}));
  }
  MINERVA_TRY(checkRoomFor(m_item.bytes() - bytesThere(m_item, m_models), m_item.stagingFolder(m_models)));
  return true;
}

void Download::next() {
  while (m_file < m_item.files.size()) {
    const HubFile& file = m_item.files[m_file];
    const QJsonValue verified = m_journal.facts()[verifiedKey(file)];
    if (!verified.isObject() || verified.toObject() != stampOf(staged(file))) break;
    m_before += file.size;
    ++m_file;
  }
  if (m_file == m_item.files.size()) return complete();
  const HubFile& file = m_item.files[m_file];
  const bool copies = versionOnDisk(m_item.folder(m_models), file) == OnDisk::same && !linkInstalled(used(file), staged(file));
  m_fetch = std::make_unique<FileFetch>(m_network, m_network->access.file(m_item.repository, m_item.commit, file.path), staged(file), file);
  if (copies) m_fetch->setSource(used(file));
  connect(m_fetch.get(), &FileFetch::ended, this, &Download::fileEnded);
  connect(m_fetch.get(), &FileFetch::waiting, this, [this](const QString& reason, const QString&, int milliseconds) {
    m_status.note = reason;
    ++m_status.waits;
    m_waiting.start(milliseconds);
    update();
  });
  m_fetch->start();
}

void Download::fileEnded(const std::optional<Error>& error) {
  update();
  const HubFile& file = m_item.files[m_file];
  m_received += m_fetch->received();
  const bool copied = m_fetch->copied();
  m_fetch.release()->deleteLater();
  if (error) {
    m_status.error = error;
    return halt(DownloadStatus::Failed);
  }
  QJsonObject facts{{verifiedKey(file), stampOf(staged(file))}};
  if (copied) facts[copiedKey(file)] = stampOf(used(file));
  if (const Result<void> kept = m_journal.add(facts); !kept) {
    m_status.error = kept.error();
    return halt(DownloadStatus::Failed);
  }
  m_before += file.size;
  ++m_file;
  next();
}

void Download::complete() {
  const Result<Replaced> swapped = swapIn(m_journal, m_item, m_models);
  if (!swapped) {
    m_status.error = swapped.error();
    return halt(DownloadStatus::Failed);
  }
  if (*swapped) m_status.replaced = *swapped;
  halt(DownloadStatus::Done);
}

void Download::update() {
  if (!m_fetch) return;
  m_status.received = m_received + m_fetch->received();
  m_status.bytesDone = std::max(m_status.bytesDone, m_before + m_fetch->bytes());
  const qint64 now = m_network->now();
  if (m_status.received > m_counted) m_waiting.stop();
  if (m_status.received > m_counted) m_rate.add(m_status.received - m_counted, now);
  m_counted = m_status.received;
  m_status.bytesPerSecond = m_rate.perSecond(now);
  const auto left = static_cast<double>(m_status.bytesTotal - m_before - m_fetch->bytes());
  m_status.secondsLeft = m_status.bytesPerSecond > 0 ? left / m_status.bytesPerSecond : -1;
  m_status.state = m_fetch->checking()    ? DownloadStatus::Checking
                   : m_waiting.isActive() ? DownloadStatus::Retrying
                                          : DownloadStatus::Running;
  m_status.secondsToRetry = m_waiting.isActive() ? m_waiting.remainingTime() / 1000.0 : 0;
  if (m_status.state == DownloadStatus::Running)
    m_status.note = m_fetch->again() ? tr("%1 arrived damaged and is downloaded again").arg(m_item.files[m_file].path) : QString();
  Q_EMIT changed();
}

void Download::halt(DownloadStatus::State state) {
  m_ticks.stop();
  m_waiting.stop();
  m_journal = {};
  m_status.state = state;
  m_status.bytesPerSecond = 0;
  m_status.secondsLeft = -1;
  if (state == DownloadStatus::Done) m_status.bytesDone = m_status.bytesTotal;
  Q_EMIT changed();
}

void Download::pause() {
  if (!m_fetch) return;
  update();
  m_received = m_status.received;
  m_fetch->stop();
  m_fetch.reset();
  m_status.note.clear();
  halt(DownloadStatus::Paused);
}

void Download::cancel() {
  pause();
  m_status.error.reset();
  const auto discarded = discard(m_item, m_models);
  if (!discarded) {
    m_status.error = discarded.error();
    return halt(DownloadStatus::Failed);
  }
  if (const std::optional<FinishedSwap>& finished = *discarded) {
    m_item = finished->item;
    m_status.bytesTotal = m_item.bytes();
    m_status.replaced = finished->replaced;
    return halt(DownloadStatus::Done);
  }
  m_status.bytesDone = 0;
  halt(DownloadStatus::Paused);
}

QList<DownloadItem> Download::unfinished(const QString& models, QList<Error>* unreadable) { return stagedItems(models, unreadable); }

qint64 Download::bytesThere(const DownloadItem& item, const QString& models) {
  qint64 sum = 0;
  for (const HubFile& file : item.files) {
    const QString path = item.stagedPath(file, models);
    const QFileInfo info(path);
    const bool there = (info.exists() && info.size() == file.size) || versionOnDisk(item.folder(models), file) == OnDisk::same;
    sum += there ? file.size : std::min(file.size, PartFile::bytesThere(path));
  }
  return sum;
}

OnDisk Download::onDisk(const DownloadItem& item, const QString& models) {
  OnDisk all = OnDisk::same;
  for (const HubFile& file : item.files) {
    const OnDisk one = versionOnDisk(item.folder(models), file);
    if (one == OnDisk::missing) return one;
    if (one == OnDisk::other) all = one;
  }
  return all;
}

Result<std::optional<FinishedSwap>> Download::discard(const DownloadItem& item, const QString& models) {
  if (!QFileInfo::exists(item.journalPath(models))) return std::nullopt;
  MINERVA_ASSIGN(Journal journal, Journal::open(item.journalPath(models)));  // locked here, so it is not being downloaded
  MINERVA_ASSIGN(auto finished, finishSwap(journal, models));
  if (finished) return finished;
  const QString staging = item.stagingFolder(models);
  if (!QDir(staging + QStringLiteral("/new")).removeRecursively())
    return fail(systemError("the partial download could not be removed", staging));
  journal.remove();
  removeEmptyFolders(staging, models);
  return std::nullopt;
}

Result<void> Download::remove(const DownloadItem& item, const QString& models) {
  MINERVA_TRY(discard(item, models));
  const QString folder = item.folder(models);
  for (const HubFile& file : item.files) {
    const QString path = folder + QLatin1Char('/') + file.path;
    if (QFileInfo::exists(path) && !QFile::remove(path)) return fail(systemError("the file could not be removed", path));
    forgetVersion(folder, file.path);
    removeEmptyFolders(QFileInfo(path).path(), models);
  }
  return {};
}

}  // namespace minerva::app
