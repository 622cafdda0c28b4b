#include "app/commands/command.h"

#include "app/commands/model_named.h"
#include "app/hub/download.h"
#include "app/metrics/figures.h"
#include "core/base/standard_output.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cstdio>

namespace minerva::app {

namespace {

// A usual folder that is not there yet holds no models. Errors: notFound, io.
Result<void> checkFolder(const QString& folder, bool isGiven) {
  const QFileInfo place(folder);
  if (!place.exists() && !isGiven) return {};
  if (place.isDir() && place.isReadable() && place.isExecutable()) return {};
  const char* found = !place.exists() ? "none" : place.isDir() ? "one that your account cannot read" : "a file";
  return fail({.kind = place.exists() ? ErrorKind::io : ErrorKind::notFound,
               .what = "the models cannot be listed",
               .where = folder.toStdString(),
               .expected = "a folder",
               .actual = found,
               .hint = {}});
}

QByteArray asJson(const QList<ListedModel>& models) {
  QJsonArray list;
  for (const auto& [model, origin] : models)
    list.append(QJsonObject{{QStringLiteral("name"), model.name},
                            {QStringLiteral("path"), model.path},
                            {QStringLiteral("format"), model.format},
                            {QStringLiteral("bytes"), model.bytes},
                            {QStringLiteral("bytes_there"), model.there},
                            {QStringLiteral("complete"), model.complete()},
                            {QStringLiteral("origin"), origin}});
  return QJsonDocument(list).toJson();
}

QString remark(const ListedModel& listed) {
  const auto& [model, origin] = listed;
  if (!origin.isEmpty()) return QStringLiteral("  from %1").arg(origin);
  if (model.complete()) return {};
  return QStringLiteral("  %1 downloaded: minerva get %2 resumes")
      .arg(Figures::percent(static_cast<double>(model.there) / static_cast<double>(model.bytes)), shown(model.name));
}

QByteArray asTable(const QList<ListedModel>& models) {
  QString lines;
  qsizetype widest = 0;
  for (const ListedModel& listed : models) widest = std::max(widest, shown(listed.model.name).size());
  for (const ListedModel& listed : models) {
    const FolderModel& model = listed.model;
    lines += shown(model.name).leftJustified(widest) + QLatin1String("  ") + model.format.leftJustified(11) + QLatin1String("  ") +
             Figures::bytes(static_cast<double>(model.bytes)).rightJustified(9) + remark(listed) + QLatin1Char('\n');
  }
  return lines.toLocal8Bit();
}

}  // namespace

void describeList(QCommandLineParser& parser) { parser.addOption({QStringLiteral("json"), QStringLiteral("Print a JSON array.")}); }

int runList(const QCommandLineParser& parser, const Places& places) {
  if (const Result<void> there = checkFolder(places.models, parser.isSet(QStringLiteral("models"))); !there) {
    complain(there.error());
    return 1;
  }
  QList<Error> unreadable;
  static_cast<void>(Download::unfinished(places.models, &unreadable));
  for (const Error& error : unreadable) complain(error);
  const QList<ListedModel> models = listedModels(places);
  const bool json = parser.isSet(QStringLiteral("json"));
  if (models.isEmpty() && !json)
    std::fprintf(stderr, "no models in %s (minerva get ORG/REPO downloads one)\n", qPrintable(shown(places.models)));
  if (const Result<void> written = writeStandardOutput((json ? asJson(models) : asTable(models)).toStdString()); !written) {
    complain(written.error());
    return 1;
  }
  return 0;
}

}  // namespace minerva::app
