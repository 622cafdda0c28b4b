// The unit of download: a GGUF file with all its parts, or a folder of weights, configuration and tokenizer. Value types;
// thread-safe.
#pragma once

#include "app/hub/hub_file.h"

#include <QList>

namespace minerva::app {

struct DownloadItem {
  QString repository;      // "ORG/REPO"
  QString commit;          // 40 hex digits
  QString label;           // "Q4_K_M", "SafeTensors": unique within the repository
  QString format{};        // "GGUF", "SafeTensors", "MLX": guessed from names
  QList<HubFile> files{};  // small files first

  [[nodiscard]] QString name() const { return repository + QLatin1Char(':') + label; }
  [[nodiscard]] qint64 bytes() const;
  [[nodiscard]] bool isFolder() const;                           // the model is opened by its folder, not by a file
  [[nodiscard]] QString folder(const QString& models) const;     // installation folder, below the root folder for models
  [[nodiscard]] QString modelPath(const QString& models) const;  // path to open when the download is complete
  [[nodiscard]] bool isInstalled(const QString& models) const;   // all files exist there, whatever their version
  // Where the files are kept until the download is complete: next to the installed version, on the same file system.
  [[nodiscard]] QString stagingFolder(const QString& models) const;
  [[nodiscard]] QString stagedPath(const HubFile& file, const QString& models) const;
  [[nodiscard]] QString journalPath(const QString& models) const;  // in the staging folder
  static const QString journalName, journalKey;                    // the journal's file name; its key for this item

  friend bool operator==(const DownloadItem&, const DownloadItem&) = default;
};

[[nodiscard]] QJsonObject toJson(const DownloadItem& item);
[[nodiscard]] std::optional<DownloadItem> downloadItemFrom(const QJsonObject& json);

}  // namespace minerva::app
