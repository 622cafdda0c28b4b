// The desktop's trash: moves files and folders there and restores them. Thread-safe; blocks on the disk.
#pragma once

#include "core/base/error.h"

#include <QList>
#include <QString>

namespace minerva::app {

// A file or folder in the trash: its original path and its path in the trash.
struct TrashedFile {
  QString from, at;
  friend bool operator==(const TrashedFile&, const TrashedFile&) = default;
};

// Errors: io (for example no trash on that disk; the file is unchanged).
[[nodiscard]] Result<TrashedFile> moveToTrash(const QString& path);
// Errors: io (the original path is in use again, the file is no longer in the trash, or it cannot be moved).
[[nodiscard]] Result<void> restore(const QList<TrashedFile>& files);

}  // namespace minerva::app
