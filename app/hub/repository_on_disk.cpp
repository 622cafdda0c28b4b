#include "app/hub/repository_on_disk.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonDocument>

namespace minerva::app {

Repository repositoryOnDisk(const QString& models, const QString& name) {
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

}  // namespace minerva::app
