#include "app/hub/version_swap.h"

#include "app/hub/choices.h"
#include "app/hub/kept_version.h"
#include "app/hub/part_file.h"
#include "app/hub/repository_on_disk.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QJsonArray>

#include <spdlog/spdlog.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace minerva::app {
namespace {

const QString swapKey = QStringLiteral("swap"), oldKey = QStringLiteral("old"), keptAsKey = QStringLiteral("kept as");

// A swap as recorded in the journal before the first file is moved, so that it can be resumed.
struct Swap {
  const DownloadItem& item;
  QString place, staging;  // folders: where the files are used, and where the new ones are staged
  QStringList old;         // paths of the installed version's files
  QString keptAs;          // the folder they are moved to before it goes to the trash

  [[nodiscard]] QString used(const QString& path) const { return place + QLatin1Char('/') + path; }
  [[nodiscard]] QString fresh(const QString& path) const { return staging + QStringLiteral("/new/") + path; }
  [[nodiscard]] QString oldFolder() const { return staging + QStringLiteral("/old"); }
  [[nodiscard]] QString aside(const QString& path) const { return oldFolder() + QLatin1Char('/') + path; }
  // Instead of keptAs, if the repository's folder is a link to another disk: the old version cannot be renamed out of it.
  [[nodiscard]] QString keptInside() const { return place + QLatin1Char('/') + QFileInfo(keptAs).fileName(); }
  [[nodiscard]] bool waits(const QString& path) const { return QFileInfo::exists(fresh(path)); }
  [[nodiscard]] bool brings(const QString& path) const { return std::ranges::find(item.files, path, &HubFile::path) != item.files.end(); }
};

bool isSameFile(const QString& a, const QString& b) {
  struct stat first {
  }, second{};
  return ::stat(QFile::encodeName(a).constData(), &first) == 0 && ::stat(QFile::encodeName(b).constData(), &second) == 0 &&
         first.st_ino == second.st_ino && first.st_dev == second.st_dev;
}

Result<void> makeFolderOf(const QString& path) {
  const QString folder = QFileInfo(path).path();
  if (!QDir().mkpath(folder)) return fail(systemError("the model's folder could not be created", folder));
  return {};
}

// Replaces an existing file.
Result<void> moveFile(const QString& from, const QString& to) {
  MINERVA_TRY(makeFolderOf(to));
  if (::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) != 0)
    return fail(systemError("the file could not be moved into place", to));
  syncFolder(QFileInfo(to).path());
  return {};
}

// True for versions of the same model, possibly split into a different number of parts. (Another file name is another
// model.)
bool isSameModel(const DownloadItem& a, const DownloadItem& b, const QString& models) {
  if (a.isFolder() || b.isFolder()) return a.isFolder() && b.isFolder() && a.modelPath(models) == b.modelPath(models);
  return stemOf(a.files.first().path) == stemOf(b.files.first().path);
}

// Files of the installed version: those the new version also has, and those only the old version has.
QStringList installedFiles(const DownloadItem& item, const QString& models) {
  QStringList files;
  const auto add = [&](const HubFile& file) {
    if (!files.contains(file.path) && QFileInfo::exists(item.folder(models) + QLatin1Char('/') + file.path)) files << file.path;
  };
  std::ranges::for_each(item.files, add);
  for (const DownloadItem& there : choicesOf(repositoryOnDisk(models, item.repository)))
    if (isSameModel(there, item, models)) std::ranges::for_each(there.files, add);
  return files;
}

Swap swapOf(const Journal& journal, const DownloadItem& item, const QString& models) {
  const QJsonObject said = journal.facts()[swapKey].toObject();
  Swap swap{item, item.folder(models), item.stagingFolder(models), {}, said[keptAsKey].toString()};
  for (const QJsonValue& path : said[oldKey].toArray()) swap.old << path.toString();
  return swap;
}

// A model that is a single file is replaced atomically: a hard link keeps the old file, then the new one is renamed over it.
// With several files, all old ones are moved away before the first new one is moved in, so that versions are never mixed.
// Nothing that was set aside is overwritten.
Result<void> setAside(const Swap& swap) {
  const bool alone = swap.old.size() == 1 && swap.item.files.size() == 1 && swap.brings(swap.old.first());
  for (const QString& path : swap.old) {
    if (!QFileInfo::exists(swap.used(path)) || (swap.brings(path) && !swap.waits(path))) continue;  // done before an interruption
    QString aside = swap.aside(path);
    MINERVA_TRY(makeFolderOf(aside));
    moveVersion(swap.place, swap.oldFolder(), path);
    bool linked = isSameFile(swap.used(path), aside);
    while (!linked && QFileInfo::exists(aside)) aside += QStringLiteral(".other");
    if (alone && !linked) linked = ::link(QFile::encodeName(swap.used(path)).constData(), QFile::encodeName(aside).constData()) == 0;
    if (linked) syncFolder(QFileInfo(aside).path());
    else MINERVA_TRY(moveFile(swap.used(path), aside));
  }
  syncFolder(swap.place);
  return {};
}

Result<void> moveIn(const Swap& swap) {
  for (const HubFile& file : swap.item.files)
    if (swap.waits(file.path)) MINERVA_TRY(moveFile(swap.fresh(file.path), swap.used(file.path)));
  for (const HubFile& file : swap.item.files) keepVersion(swap.place, file, swap.item.commit);
  return {};
}

qint64 ownBytes(const QString& folder) {
  qint64 sum = 0;
  QDirIterator files(folder, QDir::Files, QDirIterator::Subdirectories);
  while (files.hasNext())
    if (struct stat about{}; ::stat(QFile::encodeName(files.next()).constData(), &about) == 0 && about.st_nlink == 1) sum += about.st_size;
  return sum;
}

// The old version gets its own folder, named like a repository, so that it is listed as a separate model when it is
// restored. If it cannot be moved to the trash, it is never deleted.
Result<Replaced> moveOldToTrash(const Swap& swap) {
  QString kept = swap.keptAs;
  const bool waits = QFileInfo::exists(swap.oldFolder());  // false: nothing was installed, or it was moved before an interruption
  if (waits ? !moveFile(swap.oldFolder(), kept).has_value() : !QFileInfo::exists(kept)) {
    kept = swap.keptInside();
    if (waits) MINERVA_TRY(moveFile(swap.oldFolder(), kept));
  }
  if (swap.keptAs.isEmpty() || !QFileInfo::exists(kept)) return Replaced();
  ReplacedVersion replaced{.place = {.from = kept, .at = {}}, .bytes = ownBytes(kept)};
  if (const Result<TrashedFile> trashed = moveToTrash(kept)) replaced.place = *trashed;
  else spdlog::warn("the earlier version of a model remains on the disk: {}", trashed.error().message());
  return Replaced(replaced);
}

void removeStaging(Journal& journal, const QString& staging) {
  QDir(staging + QStringLiteral("/new")).removeRecursively();
  journal.remove();
  for (const QString& folder : {staging, QFileInfo(staging).path()}) QDir().rmdir(folder);
}

Result<Replaced> carryOut(const Swap& swap, Journal& journal) {
  MINERVA_TRY(setAside(swap));
  MINERVA_TRY(moveIn(swap));
  MINERVA_ASSIGN(const Replaced replaced, moveOldToTrash(swap));
  removeStaging(journal, swap.staging);
  return replaced;
}

// Migrates a download of a Minerva version without staging folders; its journal is LABEL.download beside the model's files.
void moveToStaging(const QString& journalFile, const DownloadItem& item, const QString& models) {
  Result<Journal> journal = Journal::open(journalFile);
  if (!journal || QFileInfo::exists(item.journalPath(models))) return;  // locked by another process, or already in staging
  for (const HubFile& file : item.files) {
    const QString used = item.folder(models) + QLatin1Char('/') + file.path, fresh = item.stagedPath(file, models);
    const bool arrived = journal->facts().contains(QStringLiteral("verified ") + file.path);
    for (const auto& [from, to] :
         {std::pair(arrived ? used : QString(), fresh), std::pair(PartFile::partName(used), PartFile::partName(fresh)),
          std::pair(PartFile::journalName(used), PartFile::journalName(fresh))})
      if (!from.isEmpty() && QFileInfo::exists(from)) static_cast<void>(moveFile(from, to));
  }
  if (const Result<void> moved = moveFile(journalFile, item.journalPath(models)); !moved) spdlog::warn("{}", moved.error().message());
}

// The folders of all repositories, including those without an owner.
QStringList repositoriesIn(const QString& models) {
  QStringList folders;
  for (const QFileInfo& owner : QDir(models).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    folders << owner.filePath();
    for (const QFileInfo& name : QDir(owner.filePath()).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) folders << name.filePath();
  }
  return folders;
}

// nullopt for a journal that was just created. path: the journal's, for the error.
Result<std::optional<DownloadItem>> itemIn(const QJsonObject& facts, const QString& path) {
  if (facts.isEmpty()) return std::nullopt;
  if (auto item = downloadItemFrom(facts[DownloadItem::journalKey].toObject())) return item;
  return fail({.kind = ErrorKind::corrupt,
               .what = "the journal of a download does not name its model",
               .where = path.toStdString(),
               .expected = {},
               .actual = {},
               .hint = "delete its folder, and download the model again"});
}

Result<std::optional<DownloadItem>> itemInFile(const QString& journal) {
  MINERVA_ASSIGN(const QJsonObject facts, Journal::read(journal));
  return itemIn(facts, journal);
}

}  // namespace

QJsonObject stampOf(const QString& path) {
  const QFileInfo info(path);
  return {{QStringLiteral("size"), info.size()}, {QStringLiteral("changed"), info.lastModified().toMSecsSinceEpoch()}};
}

QString copiedKey(const HubFile& file) { return QStringLiteral("copied ") + file.path; }

Result<Replaced> swapIn(Journal& journal, const DownloadItem& item, const QString& models) {
  const QStringList old = installedFiles(item, models);
  const bool same =
      old.size() == item.files.size() && std::ranges::all_of(item.files, [&](const HubFile& file) {
        const QString used = item.folder(models) + QLatin1Char('/') + file.path;
        return isSameFile(item.stagedPath(file, models), used) || journal.facts()[copiedKey(file)].toObject() == stampOf(used);
      });
  if (same) {
    for (const HubFile& file : item.files) keepVersion(item.folder(models), file, item.commit);
    removeStaging(journal, item.stagingFolder(models));
    return Replaced();
  }
  const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  MINERVA_TRY(journal.add({{swapKey, QJsonObject{{oldKey, QJsonArray::fromStringList(old)},
                                                 {keptAsKey, item.folder(models) + QStringLiteral(".replaced-") + stamp}}}}));
  return carryOut(swapOf(journal, item, models), journal);
}

Result<std::optional<FinishedSwap>> finishSwap(Journal& journal, const QString& models) {
  if (!journal.facts().contains(swapKey)) return std::nullopt;
  MINERVA_ASSIGN(const auto item, itemIn(journal.facts(), journal.path()));
  MINERVA_ASSIGN(const Replaced replaced, carryOut(swapOf(journal, *item, models), journal));
  return FinishedSwap{*item, replaced};
}

QList<DownloadItem> stagedItems(const QString& models, QList<Error>* unreadable) {
  QList<DownloadItem> items;
  for (const QString& folder : repositoriesIn(models))
    for (const QFileInfo& staging : QDir(folder + QStringLiteral("/.incoming")).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      const QString journal = staging.filePath() + QLatin1Char('/') + DownloadItem::journalName;
      const auto item = itemInFile(journal);
      if (!item && unreadable != nullptr) *unreadable << item.error();
      if (item && *item && (*item)->journalPath(models) == journal) items << **item;
    }
  return items;
}

void finishSwaps(const QString& models) {
  for (const QString& folder : repositoriesIn(models))
    for (const QFileInfo& journal : QDir(folder).entryInfoList({QStringLiteral("*.download")}, QDir::Files)) {
      const auto item = itemInFile(journal.filePath());
      if (item && *item && (*item)->folder(models) == folder) moveToStaging(journal.filePath(), **item, models);
    }
  for (const DownloadItem& item : stagedItems(models)) {
    Result<Journal> journal = Journal::open(item.journalPath(models));
    if (!journal) continue;  // locked by another process
    if (const auto done = finishSwap(*journal, models); !done) spdlog::error("{}", done.error().message());
  }
}

}  // namespace minerva::app
