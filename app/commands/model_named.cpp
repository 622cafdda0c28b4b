#include "app/commands/model_named.h"

#include "app/library/models_folder.h"

#include <QDir>
#include <QFileInfo>
#include <QStringList>

namespace minerva::app {

Result<QString> modelNamed(const QString& named, const QString& folder) {
  QStringList names;
  for (const FolderModel& model : modelsIn(folder)) {
    if (!model.complete()) continue;
    if (model.name.compare(named, Qt::CaseInsensitive) == 0) return model.path;
    names << model.name;
  }
  if (QFileInfo::exists(named)) return QDir::cleanPath(QFileInfo(named).absoluteFilePath());
  return fail({.kind = ErrorKind::notFound,
               .what = "there is no model of that name, and no file",
               .where = folder.toStdString(),
               .expected = names.isEmpty() ? "a file or folder" : "a file, a folder, or " + names.join(QStringLiteral(", ")).toStdString(),
               .actual = named.toStdString(),
               .hint = "minerva get ORG/REPO downloads one"});
}

}  // namespace minerva::app
