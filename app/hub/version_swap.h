// The end of a download: its files, complete and verified, leave their staging folder for the place they are used from,
// and the version that was there goes to the trash. A swap that was interrupted at any point (kill -9, a power cut) is
// finished by finishSwaps(). Safe on any thread; calls block on the disk.
#pragma once

#include "app/hub/download_item.h"
#include "app/hub/journal.h"
#include "app/storage/trash.h"

#include <optional>

namespace minerva::app {

// The version that a swap replaced.
struct ReplacedVersion {
  TrashedFile place;  // `at` is empty where it could not be moved to the trash: then it is kept at `from`
  qint64 bytes = 0;   // that only it has, without files that the new version shares
};
using Replaced = std::optional<ReplacedVersion>;

// journal: the item's own, open; gone when the swap is done. Nothing happens to a version that is the same. Errors: io.
// A second call goes on where the first one stopped.
[[nodiscard]] Result<Replaced> swapIn(Journal& journal, const DownloadItem& item, const QString& models);
[[nodiscard]] bool swapBegun(const Journal& journal);

// What an earlier run of the program left in the middle, in the whole folder for models; and downloads that a version
// before staging left beside the models are moved to their staging folders. To be called before models are listed.
void finishSwaps(const QString& models);

// What is being downloaded in the folder for models. unreadable: takes the errors of journals that nothing can be told from.
[[nodiscard]] QList<DownloadItem> stagedItems(const QString& models, QList<Error>* unreadable = nullptr);

}  // namespace minerva::app
