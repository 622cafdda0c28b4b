#include "app/metrics/history_export.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>

namespace minerva::app {
namespace {

using Field = std::pair<QString, QJsonValue>;

std::vector<Field> fieldsOf(const ReplyRecord& r) {
  const auto name = [](const char* text) { return QString::fromLatin1(text); };
  const auto number = [](double value) { return std::isnan(value) ? QJsonValue() : QJsonValue(value); };
  std::vector<Field> fields{{name("time"), r.created.toUTC().toString(Qt::ISODateWithMs)},
                            {name("kind"), name(r.kind == ReplyRecord::Kind::benchmark ? "benchmark" : "reply")},
                            {name("model"), r.model},
                            {name("path"), r.path},
                            {name("format"), r.format},
                            {name("type"), r.type},
                            {name("device"), r.device},
                            {name("device_id"), r.deviceId},
                            {name("ended"), r.end},
                            {name("prompt_tokens"), r.promptTokens},
                            {name("reused_tokens"), r.reusedTokens},
                            {name("generated_tokens"), r.generatedTokens},
                            {name("repetitions"), r.repetitions}};
  for (const RecordFigure& figure : recordFigures) fields.emplace_back(name(figure.key), number(r.*figure.value));
  const bool measured = r.phases.wallMs > 0;
  for (const PhaseRow& phase : phaseTable)
    fields.emplace_back(name(phase.key) + QStringLiteral("_ms"), number(measured ? r.phases.*phase.value : notMeasured));
  fields.emplace_back(name("unaccounted_ms"), number(measured ? r.phases.unaccountedMs() : notMeasured));
  fields.emplace_back(name("wall_ms"), number(measured ? r.phases.wallMs : notMeasured));
  return fields;
}

// Quotes values that contain a comma, a quote or a line break, and doubles quotes inside.
QString csvCell(const QJsonValue& value) {
  if (value.isNull()) return {};
  if (value.isDouble()) return QString::number(value.toDouble(), 'g', 9);
  QString text = value.toString();
  if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char('\n'))) return text;
  text.replace(QLatin1Char('"'), QStringLiteral("\"\""));
  return QLatin1Char('"') + text + QLatin1Char('"');
}

}  // namespace

QByteArray historyAsCsv(const std::vector<ReplyRecord>& records) {
  QStringList names;
  for (const Field& field : fieldsOf({})) names << field.first;
  QString text = names.join(QLatin1Char(',')) + QLatin1Char('\n');
  for (const ReplyRecord& record : records) {
    QStringList cells;
    for (const Field& field : fieldsOf(record)) cells << csvCell(field.second);
    text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
  }
  return text.toUtf8();
}

QByteArray historyAsJson(const std::vector<ReplyRecord>& records) {
  QJsonArray all;
  for (const ReplyRecord& record : records) {
    QJsonObject object;
    for (const Field& field : fieldsOf(record)) object.insert(field.first, field.second);
    all << object;
  }
  return QJsonDocument(all).toJson();
}

}  // namespace minerva::app
