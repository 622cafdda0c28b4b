// What lies in the folder for models, by the names it has on the hub: ORG/REPO:LABEL. Reads folders, no weights. Safe
// on any thread.
#pragma once

#include "app/hub/download_item.h"
#include "core/base/error.h"

namespace minerva::app {

struct FolderModel {
  QString name;       // "ORG/REPO:Q4_K_M"; of a file directly in the folder, its name without the ending
  QString path;       // what is opened
  QString format;     // "GGUF", "SafeTensors", "MLX"
  qint64 bytes = 0;   // of all its files when complete
  qint64 there = 0;   // of these, on the disk
  DownloadItem item;  // its files; of an unfinished one, with hashes and commit
  [[nodiscard]] bool complete() const { return there == bytes; }
};

// Complete ones first, then unfinished downloads; by name.
[[nodiscard]] QList<FolderModel> modelsIn(const QString& folder);
// Errors: limit (it is being downloaded), io.
[[nodiscard]] Result<void> removeModel(const FolderModel& model, const QString& folder);

}  // namespace minerva::app
