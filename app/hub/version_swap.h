// The last step of a download: moves the complete and verified files from their staging folder to the place they are used
// from, and the previously installed version to the trash. A swap interrupted at any point (kill -9, power failure) is
// completed by finishSwaps(). Thread-safe; calls block on the disk.
#pragma once

#include "app/hub/download_item.h"
#include "app/hub/journal.h"
#include "app/storage/trash.h"

#include <optional>

namespace minerva::app {

// The version that was replaced by a swap.
struct ReplacedVersion {
  TrashedFile place;  // `at` is empty if it could not be moved to the trash; it is then kept at `from`
  qint64 bytes = 0;   // without files shared with the new version
};
using Replaced = std::optional<ReplacedVersion>;

struct FinishedSwap {
  DownloadItem item;
  Replaced replaced;
};

// While its size and time of change stay the same, the file counts as unchanged.
[[nodiscard]] QJsonObject stampOf(const QString& path);
// Key in the item's journal: the stamp of an installed file when the staged one was found to be a copy of it. On disks with hard
// links they are one file instead.
[[nodiscard]] QString copiedKey(const HubFile& file);

// journal: the item's open journal, in which no swap has begun; deleted when the swap is done. If the installed version is the
// same, its files are not touched and nullopt is returned. Errors: io; then finishSwap() resumes it.
[[nodiscard]] Result<Replaced> swapIn(Journal& journal, const DownloadItem& item, const QString& models);
// Resumes the swap that has begun in this journal, of the version that the journal names; nullopt if none has begun. Before that,
// nothing else may be staged or swapped there: only the staging folder still has the old version. Errors: io, corrupt.
[[nodiscard]] Result<std::optional<FinishedSwap>> finishSwap(Journal& journal, const QString& models);

// Completes all swaps that an earlier run left unfinished in the folder for models, and migrates unfinished downloads of
// Minerva versions without staging folders. Call before models are listed.
void finishSwaps(const QString& models);

// The unfinished downloads in the folder for models. unreadable: receives the errors of journals that cannot be read or do
// not name an item.
[[nodiscard]] QList<DownloadItem> stagedItems(const QString& models, QList<Error>* unreadable = nullptr);

}  // namespace minerva::app
