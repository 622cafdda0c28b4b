// Download progress as one line, for terminal and window: "1.58 of 2.50 GB · 11.2 MB/s · 1 min 24 s left · ...".
#pragma once

#include "app/hub/download.h"

namespace minerva::app {

// "no connection: Connection refused; next attempt in 4 s".
[[nodiscard]] QString againText(const QString& reason, double seconds);
[[nodiscard]] QString progressText(const DownloadStatus& status);

}  // namespace minerva::app
