#include "app/library/models_folder.h"

#include "app/hub/choices.h"
#include "app/hub/download.h"
#include "app/hub/repository_on_disk.h"

#include <QDir>

#include <algorithm>

namespace minerva::app {
namespace {

FolderModel modelOf(const DownloadItem& item, const QString& models, qint64 there) {
  return {.name = item.name(), .path = item.modelPath(models), .format = item.format, .bytes = item.bytes(), .there = there, .item = item};
}

}  // namespace

QList<FolderModel> modelsIn(const QString& folder) {
  QList<FolderModel> models;
  const QDir root(folder);
  Repository loose{.name = {}, .commit = {}};
  for (const QFileInfo& file : root.entryInfoList({QStringLiteral("*.gguf")}, QDir::Files))
    loose.files << HubFile{.path = file.fileName(), .size = file.size()};
  for (DownloadItem item : choicesOf(loose)) {
    item.label = stemOf(item.files.first().path);
    FolderModel model = modelOf(item, folder, item.bytes());
    model.name = item.label;
    model.path = root.filePath(item.files.first().path);
    models << model;
  }
  for (const QString& owner : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
    for (const QString& name : QDir(root.filePath(owner)).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      const QString repository = owner + QLatin1Char('/') + name;
      if (!isRepositoryName(repository)) continue;
      for (const DownloadItem& item : choicesOf(repositoryOnDisk(folder, repository))) models << modelOf(item, folder, item.bytes());
    }
  std::ranges::sort(models, {}, &FolderModel::name);
  // All bytes may be present although the last hash is not verified yet; such a download must not count as complete.
  for (const DownloadItem& item : Download::unfinished(folder))
    models << modelOf(item, folder, std::min(Download::bytesThere(item, folder), item.bytes() - 1));
  return models;
}

QStringList filesOf(const FolderModel& model) {
  QStringList files;
  for (const HubFile& file : model.item.files) files << QFileInfo(model.path).dir().filePath(file.path);
  return files;
}

Result<void> removeModel(const FolderModel& model, const QString& folder) {
  if (!model.complete()) {
    MINERVA_TRY(Download::discard(model.item, folder));
    return {};
  }
  if (!model.item.repository.isEmpty()) return Download::remove(model.item, folder);
  for (const QString& path : filesOf(model))
    if (QFile file(path); !file.remove())
      return fail({.kind = ErrorKind::io,
                   .what = "the file could not be removed",
                   .where = path.toStdString(),
                   .expected = {},
                   .actual = file.errorString().toStdString(),
                   .hint = {}});
  return {};
}

}  // namespace minerva::app
