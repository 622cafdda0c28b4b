#include "app/library/models_folder.h"

#include "app/hub/choices.h"
#include "app/hub/download.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonDocument>

#include <algorithm>

namespace minerva::app {
namespace {

// The folder of one repository, as if the hub had listed it.
Repository asRepository(const QString& models, const QString& name) {
  Repository repository{.name = name, .commit = {}};
  const QDir folder(models + QLatin1Char('/') + name);
  QDirIterator files(folder.path(), QDir::Files, QDirIterator::Subdirectories | QDirIterator::FollowSymlinks);
  while (files.hasNext()) {
    files.next();
    repository.files << HubFile{.path = folder.relativeFilePath(files.filePath()), .size = files.fileInfo().size()};
    if (files.fileName() != QLatin1String("config.json")) continue;
    QFile config(files.filePath());
    if (config.open(QIODevice::ReadOnly) && QJsonDocument::fromJson(config.readAll()).object()[QStringLiteral("quantization")].isObject())
      repository.tags << QStringLiteral("mlx");
  }
  return repository;
}

FolderModel modelOf(const DownloadItem& item, const QString& models, qint64 there) {
  return {.name = item.name(), .path = item.modelPath(models), .format = item.format, .bytes = item.bytes(), .there = there, .item = item};
}

bool overlaps(const DownloadItem& a, const DownloadItem& b) {
  return a.repository == b.repository && std::ranges::any_of(a.files, [&](const HubFile& file) {
           return isWeights(file.path) && std::ranges::find(b.files, file.path, &HubFile::path) != b.files.end();
         });
}

}  // namespace

QList<FolderModel> modelsIn(const QString& folder) {
  QList<FolderModel> models;
  const QDir root(folder);
  for (const QFileInfo& file : root.entryInfoList({QStringLiteral("*.gguf")}, QDir::Files)) {
    const DownloadItem item{{}, {}, file.completeBaseName(), QStringLiteral("GGUF"), {{.path = file.fileName(), .size = file.size()}}};
    models << FolderModel{
        .name = item.label, .path = file.filePath(), .format = item.format, .bytes = file.size(), .there = file.size(), .item = item};
  }
  const QList<DownloadItem> unfinished = Download::unfinished(folder);
  for (const QString& owner : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
    for (const QString& name : QDir(root.filePath(owner)).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      const QString repository = owner + QLatin1Char('/') + name;
      if (!isRepositoryName(repository)) continue;
      for (const DownloadItem& item : choicesOf(asRepository(folder, repository)))
        if (std::ranges::none_of(unfinished, [&](const DownloadItem& other) { return overlaps(item, other); }))
          models << modelOf(item, folder, item.bytes());
    }
  std::ranges::sort(models, {}, &FolderModel::name);
  // All bytes may be there, and the last hash not looked at yet.
  for (const DownloadItem& item : unfinished)
    models << modelOf(item, folder, std::min(Download::bytesThere(item, folder), item.bytes() - 1));
  return models;
}

Result<void> removeModel(const FolderModel& model, const QString& folder) {
  if (!model.item.repository.isEmpty()) return Download::remove(model.item, folder);
  if (QFile file(model.path); !file.remove())
    return fail({.kind = ErrorKind::io,
                 .what = "the file could not be removed",
                 .where = model.path.toStdString(),
                 .expected = {},
                 .actual = file.errorString().toStdString(),
                 .hint = {}});
  return {};
}

}  // namespace minerva::app
