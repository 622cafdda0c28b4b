// The desktop's trash: files and folders go there and come back. Safe on any thread; calls block on the disk.
#pragma once

#include "core/base/error.h"

#include <QList>
#include <QString>

namespace minerva::app {

// A file or folder in the trash, and where it was.
struct TrashedFile {
  QString from, at;
  friend bool operator==(const TrashedFile&, const TrashedFile&) = default;
};

// Errors: io (there is no trash on that disk: the file is where it was).
[[nodiscard]] Result<TrashedFile> moveToTrash(const QString& path);
// Errors: io (something lies there again, or the trash was emptied).
[[nodiscard]] Result<void> restore(const QList<TrashedFile>& files);

}  // namespace minerva::app
