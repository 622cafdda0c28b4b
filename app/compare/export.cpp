#include "app/compare/export.h"

#include "app/compare/compare_labels.h"
#include "app/compare/figure_table.h"
#include "app/metrics/figures.h"
#include "app/text/markdown_names.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace minerva::app {
namespace {

QString shown(const FigureRow& row, double value) {
  if (std::isnan(value)) return QStringLiteral("-");
  switch (row.unit) {
    case FigureRow::Unit::milliseconds: return Figures::duration(value);
    case FigureRow::Unit::perSecond: return Figures::speed(value);
    case FigureRow::Unit::bytes: return Figures::bytes(value);
    case FigureRow::Unit::share: return Figures::decimal(value * 100, 1) + QStringLiteral(" %");
    case FigureRow::Unit::number: break;
  }
  return QString::number(value, 'g', 4);
}

QString quoted(QString text) { return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"'); }

// Uses a fence longer than any run of backticks in the text.
QString fencedText(const QString& text) {
  QString fence = QStringLiteral("```");
  while (text.contains(fence)) fence += QLatin1Char('`');
  return fence + QLatin1Char('\n') + text + QLatin1Char('\n') + fence + QLatin1Char('\n');
}

QString samplingText(const engine::SamplingOptions& s) {
  if (s.temperature <= 0) return QStringLiteral("greedy, seed %1").arg(s.seed);
  return QStringLiteral("temperature %1, top-k %2, top-p %3, min-p %4, seed %5")
      .arg(s.temperature)
      .arg(s.topK)
      .arg(s.topP)
      .arg(s.minP)
      .arg(s.seed);
}

QString modeText(const CompareSettings& settings) {
  return settings.interleaved ? QStringLiteral("side by side") : QStringLiteral("one after another");
}

QString referenceName(const CompareRun& run) {
  const auto found = std::ranges::find_if(run.columns, &CompareColumn::reference);
  return found == run.columns.end() ? QStringLiteral("-") : labelsOf(run.columns)[found - run.columns.begin()];
}

// The format of a model's file, or that it has none here.
QString formatText(const CompareModel& model) { return model.server.isEmpty() ? model.format : QStringLiteral("server"); }

QJsonValue jsonOrNull(double value) { return std::isnan(value) ? QJsonValue() : QJsonValue(value); }

QJsonObject replyObject(const CompareReply& reply) {
  QJsonArray tokens;
  for (const int token : reply.tokens) tokens << token;
  QJsonObject object{{QStringLiteral("text"), reply.text},
                     {QStringLiteral("tokens"), tokens},
                     {QStringLiteral("prompt_tokens"), reply.promptTokens},
                     {QStringLiteral("first_divergence"), reply.differsAt}};
  if (reply.tokens.isEmpty() && reply.generated > 0) object[QStringLiteral("generated")] = reply.generated;
  if (reply.ownToken.isEmpty() && reply.referenceToken.isEmpty()) return object;
  object[QStringLiteral("divergence")] = QJsonObject{{QStringLiteral("reference_token"), reply.referenceToken},
                                                     {QStringLiteral("own_token"), reply.ownToken},
                                                     {QStringLiteral("reference_in_reference"), jsonOrNull(reply.referenceInReference)},
                                                     {QStringLiteral("own_in_reference"), jsonOrNull(reply.ownInReference)},
                                                     {QStringLiteral("reference_in_own"), jsonOrNull(reply.referenceInOwn)},
                                                     {QStringLiteral("own_in_own"), jsonOrNull(reply.ownInOwn)}};
  return object;
}

QJsonObject columnObject(const CompareColumn& column, const QString& label) {
  QJsonObject figures;
  for (const FigureRow& row : figureTable) figures[QString::fromLatin1(row.key)] = jsonOrNull(column.figures.*row.value);
  QJsonArray replies;
  for (const CompareReply& reply : column.replies) replies << replyObject(reply);
  return {{QStringLiteral("path"), column.model.path},
          {QStringLiteral("model"), label},
          {QStringLiteral("format"), column.model.format},
          {QStringLiteral("type"), column.model.type},
          {QStringLiteral("server"), column.model.server.isEmpty() ? QJsonValue() : QJsonValue(column.model.server)},
          {QStringLiteral("reference"), column.reference},
          {QStringLiteral("figures"), figures},
          {QStringLiteral("replies"), replies},
          {QStringLiteral("notes"), QJsonArray::fromStringList(column.notes)},
          {QStringLiteral("error"), column.error.isSet() ? QJsonValue(column.error.details) : QJsonValue()}};
}

}  // namespace

QString toMarkdown(const CompareRun& run) {
  QStringList labels = labelsOf(run.columns);
  for (QString& label : labels) label = markdownEscaped(label);
  QString text = QStringLiteral("# Comparison, %1\n\n").arg(run.created.toString(Qt::ISODate));
  text += QStringLiteral(
              "Device %1, %2, %3, at most %4 tokens a reply. Distances from %5, means over %6 tokens of text (KL in "
              "nats).\n\n")
              .arg(run.device.isEmpty() ? QStringLiteral("-") : markdownEscaped(run.device), modeText(run.settings),
                   samplingText(run.settings.sampling), QString::number(run.settings.maxTokens), markdownEscaped(referenceName(run)),
                   QString::number(run.positions));
  text += QStringLiteral("| Model | Format | Type |");
  QString rule = QStringLiteral("|---|---|---|");
  for (const FigureRow& row : figureTable) {
    text += QStringLiteral(" %1 |").arg(QString::fromLatin1(row.title));
    rule += QStringLiteral("---:|");
  }
  text += QStringLiteral(" First token that differs |\n") + rule + QStringLiteral("---:|\n");
  for (std::size_t i = 0; i < run.columns.size(); ++i) {
    const CompareColumn& column = run.columns[i];
    text += QStringLiteral("| %1 | %2 | %3 |").arg(labels[static_cast<qsizetype>(i)], formatText(column.model), column.model.type);
    for (const FigureRow& row : figureTable) text += QStringLiteral(" %1 |").arg(shown(row, column.figures.*row.value));
    const int at = column.replies.empty() || column.reference ? -1 : column.replies.front().differsAt;
    text += QStringLiteral(" %1 |\n").arg(at < 0 ? QStringLiteral("-") : QString::number(at + 1));
  }
  for (qsizetype prompt = 0; prompt < run.settings.prompts.size(); ++prompt) {
    text += QStringLiteral("\n## Prompt %1\n\n").arg(prompt + 1) + fencedText(run.settings.prompts[prompt]);
    for (std::size_t i = 0; i < run.columns.size(); ++i) {
      const CompareColumn& column = run.columns[i];
      if (static_cast<std::size_t>(prompt) >= column.replies.size()) continue;
      text += QStringLiteral("\n%1, %2:\n\n")
                  .arg(labels[static_cast<qsizetype>(i)],
                       QStringList({formatText(column.model), column.model.type}).join(QLatin1Char(' ')).trimmed()) +
              fencedText(column.replies[static_cast<std::size_t>(prompt)].text);
    }
  }
  return text;
}

QString toCsv(const CompareRun& run) {
  const QStringList labels = labelsOf(run.columns);
  QStringList head{QStringLiteral("model"), QStringLiteral("format"),    QStringLiteral("type"),
                   QStringLiteral("path"),  QStringLiteral("reference"), QStringLiteral("first_divergence")};
  for (const FigureRow& row : figureTable) head << QString::fromLatin1(row.key);
  QString text = head.join(QLatin1Char(',')) + QStringLiteral("\r\n");
  for (std::size_t i = 0; i < run.columns.size(); ++i) {
    const CompareColumn& column = run.columns[i];
    const int at = column.replies.empty() ? -1 : column.replies.front().differsAt;
    QStringList fields{quoted(labels[static_cast<qsizetype>(i)]),
                       quoted(formatText(column.model)),
                       quoted(column.model.type),
                       quoted(column.model.path),
                       column.reference ? QStringLiteral("1") : QStringLiteral("0"),
                       QString::number(at)};
    for (const FigureRow& row : figureTable) {
      const double value = column.figures.*row.value;
      fields << (std::isnan(value) ? QString() : QString::number(value, 'g', 17));
    }
    text += fields.join(QLatin1Char(',')) + QStringLiteral("\r\n");
  }
  return text;
}

QByteArray toJson(const CompareRun& run) {
  const engine::SamplingOptions& s = run.settings.sampling;
  QJsonArray columns;
  const QStringList labels = labelsOf(run.columns);
  for (std::size_t i = 0; i < run.columns.size(); ++i) columns << columnObject(run.columns[i], labels[static_cast<qsizetype>(i)]);
  const QJsonObject object{
      {QStringLiteral("minerva"), QCoreApplication::applicationVersion()},
      {QStringLiteral("created"), run.created.toUTC().toString(Qt::ISODateWithMs)},
      {QStringLiteral("device"), run.device},
      {QStringLiteral("mode"), modeText(run.settings)},
      {QStringLiteral("prompts"), QJsonArray::fromStringList(run.settings.prompts)},
      {QStringLiteral("max_tokens"), run.settings.maxTokens},
      {QStringLiteral("sampling"), QJsonObject{{QStringLiteral("temperature"), static_cast<double>(s.temperature)},
                                               {QStringLiteral("top_k"), s.topK},
                                               {QStringLiteral("top_p"), static_cast<double>(s.topP)},
                                               {QStringLiteral("min_p"), static_cast<double>(s.minP)},
                                               {QStringLiteral("repeat_penalty"), static_cast<double>(s.repeatPenalty)},
                                               {QStringLiteral("repeat_last_n"), s.repeatLastN},
                                               {QStringLiteral("seed"), static_cast<qint64>(s.seed)}}},
      {QStringLiteral("positions"), run.positions},
      {QStringLiteral("columns"), columns}};
  return QJsonDocument(object).toJson();
}

}  // namespace minerva::app
