// Lists the models in the model folder under their hub names, ORG/REPO:LABEL. Reads folders but no weights. Safe on any
// thread.
#pragma once

#include "app/hub/download_item.h"
#include "core/base/error.h"

namespace minerva::app {

struct FolderModel {
  QString name;       // "ORG/REPO:Q4_K_M"; for files directly in the folder, their name without number and extension
  QString path;       // the file or folder to open
  QString format;     // "GGUF", "SafeTensors", "MLX"
  qint64 bytes = 0;   // of all its files when complete
  qint64 there = 0;   // bytes present on disk; less than `bytes` until the download is complete and verified
  DownloadItem item;  // its files; for an unfinished download, with hashes and commit
  [[nodiscard]] bool complete() const { return there == bytes; }
};

// Complete models first, by name, then unfinished downloads.
[[nodiscard]] QList<FolderModel> modelsIn(const QString& folder);
// The paths of its files. REQUIRES that it is in no repository's folder.
[[nodiscard]] QStringList filesOf(const FolderModel& model);
// Errors: limit (it is being downloaded), io.
[[nodiscard]] Result<void> removeModel(const FolderModel& model, const QString& folder);

}  // namespace minerva::app
