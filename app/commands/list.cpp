#include "app/commands/command.h"

#include "app/hub/download.h"
#include "app/library/models_folder.h"
#include "app/metrics/figures.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cstdio>

namespace minerva::app {

void describeList(QCommandLineParser& parser) { parser.addOption({QStringLiteral("json"), QStringLiteral("Print a JSON array.")}); }

int runList(const QCommandLineParser& parser, const Places& places) {
  QList<Error> unreadable;
  static_cast<void>(Download::unfinished(places.models, &unreadable));
  for (const Error& error : unreadable) complain(error);
  const QList<FolderModel> models = modelsIn(places.models);
  if (parser.isSet(QStringLiteral("json"))) {
    QJsonArray list;
    for (const FolderModel& model : models)
      list.append(QJsonObject{{QStringLiteral("name"), model.name},
                              {QStringLiteral("path"), model.path},
                              {QStringLiteral("format"), model.format},
                              {QStringLiteral("bytes"), model.bytes},
                              {QStringLiteral("bytes_there"), model.there},
                              {QStringLiteral("complete"), model.complete()}});
    std::printf("%s", QJsonDocument(list).toJson().constData());
    return 0;
  }
  if (models.isEmpty()) std::fprintf(stderr, "no models in %s (minerva get ORG/REPO downloads one)\n", qPrintable(places.models));
  qsizetype widest = 0;
  for (const FolderModel& model : models) widest = std::max(widest, model.name.size());
  for (const FolderModel& model : models) {
    const QString state = model.complete() ? QString()
                                           : QStringLiteral("  %1 downloaded: minerva get %2 resumes")
                                                 .arg(Figures::percent(static_cast<double>(model.there) / static_cast<double>(model.bytes)),
                                                      shown(model.name));
    std::printf("%-*s  %-11s  %9s%s\n", static_cast<int>(widest), qPrintable(shown(model.name)), qPrintable(model.format),
                qPrintable(Figures::bytes(static_cast<double>(model.bytes))), qPrintable(state));
  }
  return 0;
}

}  // namespace minerva::app
