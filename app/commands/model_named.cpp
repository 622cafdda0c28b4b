#include "app/commands/model_named.h"

#include "app/hub/choices.h"
#include "app/library/model_header.h"
#include "app/library/other_apps.h"
#include "app/settings/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QSet>
#include <QStringList>

#include <algorithm>

namespace minerva::app {
namespace {

// Of a folder's files, or of all parts of a file.
qint64 bytesOnDisk(const QFileInfo& place) {
  qint64 bytes = 0;
  if (place.isDir()) {
    for (const QFileInfo& file : QDir(place.filePath()).entryInfoList(QDir::Files)) bytes += file.size();
    return bytes;
  }
  const QString stem = stemOf(place.fileName());
  if (stem == place.completeBaseName() || !place.fileName().endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive)) return place.size();
  for (const QFileInfo& file : place.dir().entryInfoList(QDir::Files))
    if (stemOf(file.fileName()) == stem) bytes += file.size();
  return bytes;
}

ListedModel listed(const OtherAppModel& found) {
  const QFileInfo place(found.path);
  const qint64 bytes = bytesOnDisk(place);
  return {{.name = found.name.isEmpty() ? nameFromPath(found.path) : found.name,
           .path = found.path,
           .format = place.isDir() ? QStringLiteral("SafeTensors") : QStringLiteral("GGUF"),
           .bytes = bytes,
           .there = bytes,
           .item = {}},
          found.app};
}

bool hasName(const FolderModel& model, const QString& named) { return model.name.compare(named, Qt::CaseInsensitive) == 0; }

bool hasNameInPart(const FolderModel& model, const QString& named) {
  const QString file = QFileInfo(model.path).fileName(), repository = model.name.section(QLatin1Char(':'), 0, 0);
  const QStringList parts{repository, repository.section(QLatin1Char('/'), -1), model.name.section(QLatin1Char('/'), -1), file,
                          stemOf(file)};
  return parts.contains(named, Qt::CaseInsensitive);
}

// Those of one name are told apart by their places.
std::string allOf(const QList<ListedModel>& models) {
  QStringList words;
  for (const ListedModel& one : models) {
    const bool alone = std::ranges::count_if(models, [&](const ListedModel& other) { return hasName(other.model, one.model.name); }) == 1;
    words << (alone ? one.model.name : one.model.path);
  }
  return words.join(QStringLiteral(", ")).toStdString();
}

Result<QString> only(const QList<ListedModel>& models, const QString& named) {
  if (models.size() == 1) return models.first().model.path;
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "several models have that name",
               .where = {},
               .expected = "one of " + allOf(models),
               .actual = named.toStdString(),
               .hint = {}});
}

}  // namespace

QList<ListedModel> listedModels(const Places& places) {
  QList<ListedModel> all;
  QSet<QString> known;
  for (const FolderModel& model : modelsIn(places.models)) {
    known.insert(QFileInfo(model.path).canonicalFilePath());
    all << ListedModel{model, {}};
  }
  if (!Settings(places.settings + QStringLiteral("/settings.ini")).otherApps()) return all;
  for (const OtherAppModel& found : modelsOfOtherApps(otherAppPlaces()))
    if (!known.contains(QFileInfo(found.path).canonicalFilePath())) all << listed(found);
  return all;
}

Result<QString> modelNamed(const QString& named, const Places& places) {
  QList<ListedModel> models = listedModels(places), whole, partly;
  models.removeIf([](const ListedModel& listed) { return !listed.model.complete(); });
  for (const ListedModel& one : std::as_const(models)) {
    if (hasName(one.model, named) && one.origin.isEmpty()) return one.model.path;
    if (hasName(one.model, named)) whole << one;
    if (hasNameInPart(one.model, named)) partly << one;
  }
  if (!whole.isEmpty()) return only(whole, named);
  if (QFileInfo::exists(named)) return QDir::cleanPath(QFileInfo(named).absoluteFilePath());
  if (!partly.isEmpty()) return only(partly, named);
  return fail({.kind = ErrorKind::notFound,
               .what = "there is no model of that name, and no file",
               .where = places.models.toStdString(),
               .expected = models.isEmpty() ? "a file or folder" : "a file, a folder, or " + allOf(models),
               .actual = named.toStdString(),
               .hint = "minerva get ORG/REPO downloads one"});
}

}  // namespace minerva::app
