#include "app/hub/download_item.h"

#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>

namespace minerva::app {

qint64 DownloadItem::bytes() const {
  qint64 sum = 0;
  for (const HubFile& file : files) sum += file.size;
  return sum;
}

bool DownloadItem::isFolder() const {
  return std::ranges::none_of(files, [](const HubFile& file) { return file.path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive); });
}

QString DownloadItem::folder(const QString& models) const { return models + QLatin1Char('/') + repository; }

QString DownloadItem::modelPath(const QString& models) const {
  const QString here = folder(models);
  if (!isFolder()) {
    QStringList parts;
    for (const HubFile& file : files)
      if (file.path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive)) parts << file.path;
    return here + QLatin1Char('/') + *std::ranges::min_element(parts);
  }
  QStringList folders;  // those below the model's own belong to its modules
  for (const HubFile& file : files) {
    if (file.path == QLatin1String("config.json")) return here;
    if (file.path.endsWith(QLatin1String("/config.json"))) folders << file.path.section(QLatin1Char('/'), 0, -2);
  }
  return folders.isEmpty() ? here : here + QLatin1Char('/') + *std::ranges::min_element(folders, {}, &QString::size);
}

bool DownloadItem::isInstalled(const QString& models) const {
  return std::ranges::all_of(files, [&](const HubFile& file) { return QFileInfo::exists(folder(models) + QLatin1Char('/') + file.path); });
}

const QString DownloadItem::journalName = QStringLiteral("minerva-download.journal");
const QString DownloadItem::journalKey = QStringLiteral("item");

QString DownloadItem::stagingFolder(const QString& models) const {
  QString name = label;
  name.replace(QLatin1Char('/'), QLatin1Char('_'));
  return folder(models) + QStringLiteral("/.incoming/") + name;
}

QString DownloadItem::stagedPath(const HubFile& file, const QString& models) const {
  return stagingFolder(models) + QStringLiteral("/new/") + file.path;
}

QString DownloadItem::journalPath(const QString& models) const { return stagingFolder(models) + QLatin1Char('/') + journalName; }

QJsonObject toJson(const DownloadItem& item) {
  QJsonArray files;
  for (const HubFile& file : item.files) files.append(toJson(file));
  return {{QStringLiteral("repository"), item.repository},
          {QStringLiteral("commit"), item.commit},
          {QStringLiteral("label"), item.label},
          {QStringLiteral("format"), item.format},
          {QStringLiteral("files"), files}};
}

std::optional<DownloadItem> downloadItemFrom(const QJsonObject& json) {
  DownloadItem item{json[QStringLiteral("repository")].toString(), json[QStringLiteral("commit")].toString(),
                    json[QStringLiteral("label")].toString(), json[QStringLiteral("format")].toString()};
  for (const QJsonValue& value : json[QStringLiteral("files")].toArray()) {
    const auto file = hubFileFrom(value.toObject());
    if (!file) return std::nullopt;
    item.files << *file;
  }
  const bool whole = isRepositoryName(item.repository) && isSafePath(item.commit) && isSafePath(item.label) && !item.files.isEmpty();
  return whole ? std::optional(item) : std::nullopt;
}

}  // namespace minerva::app
