#include "app/commands/command.h"

#include "app/commands/model_named.h"
#include "app/metrics/figures.h"

#include <algorithm>
#include <cstdio>

namespace minerva::app {

void describeRemove(QCommandLineParser& /*parser*/) {}

int runRemove(const QCommandLineParser& parser, const Places& places) {
  const QString name = parser.positionalArguments()[1];
  QStringList names;
  QList<FolderModel> models = modelsIn(places.models);
  // Unfinished updates first: the update is removed, and the installed version of the model stays.
  std::ranges::stable_partition(models, [](const FolderModel& model) { return !model.complete(); });
  for (const FolderModel& model : models) {
    names << model.name;
    if (model.name.compare(name, Qt::CaseInsensitive) != 0) continue;
    if (const Result<void> removed = removeModel(model, places.models); !removed) {
      complain(removed.error());
      return 1;
    }
    const bool stays = !model.complete() && std::ranges::count(models, model.name, &FolderModel::name) > 1;
    std::fprintf(stderr, "removed %s%s (%s)%s\n", stays ? "the unfinished update of " : "", qPrintable(shown(model.name)),
                 qPrintable(Figures::bytes(static_cast<double>(model.there))), stays ? "; the installed version is kept" : "");
    return 0;
  }
  for (const auto& [model, origin] : listedModels(places)) {
    if (origin.isEmpty() || model.name.compare(name, Qt::CaseInsensitive) != 0) continue;
    complain({.kind = ErrorKind::unsupported,
              .what = "the model belongs to another program, which removes it",
              .where = model.path.toStdString(),
              .expected = {},
              .actual = origin.toStdString(),
              .hint = {}});
    return 1;
  }
  complain({.kind = ErrorKind::notFound,
            .what = "there is no model of that name",
            .where = places.models.toStdString(),
            .expected = names.isEmpty() ? "a name that minerva list shows" : names.join(QStringLiteral(", ")).toStdString(),
            .actual = name.toStdString(),
            .hint = {}});
  return 1;
}

}  // namespace minerva::app
