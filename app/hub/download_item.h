// What a person downloads as one thing: a GGUF file with all its parts, or a folder of weights, configuration and
// tokenizer. Values; safe on any thread.
#pragma once

#include "app/hub/hub_file.h"

#include <QList>

namespace minerva::app {

struct DownloadItem {
  QString repository;      // "ORG/REPO"
  QString commit;          // 40 hex digits
  QString label;           // "Q4_K_M", "SafeTensors": one of its kind in the repository
  QString format{};        // "GGUF", "SafeTensors", "MLX": as far as names tell
  QList<HubFile> files{};  // the small ones first

  [[nodiscard]] QString name() const { return repository + QLatin1Char(':') + label; }
  [[nodiscard]] qint64 bytes() const;
  [[nodiscard]] bool isFolder() const;                           // what is opened is the folder, not a file
  [[nodiscard]] QString folder(const QString& models) const;     // where the files go, below the folder for models
  [[nodiscard]] QString modelPath(const QString& models) const;  // what is opened when all is there
  // Until it is complete it lies here, beside the version that may be in use and on the same file system.
  [[nodiscard]] QString stagingFolder(const QString& models) const;
  [[nodiscard]] QString stagedPath(const HubFile& file, const QString& models) const;
  [[nodiscard]] QString journalPath(const QString& models) const;  // in the staging folder
  static const QString journalName, journalKey;                    // the journal's file, and its fact that is this item

  friend bool operator==(const DownloadItem&, const DownloadItem&) = default;
};

[[nodiscard]] QJsonObject toJson(const DownloadItem& item);
[[nodiscard]] std::optional<DownloadItem> downloadItemFrom(const QJsonObject& json);

}  // namespace minerva::app
