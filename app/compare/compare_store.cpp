#include "app/compare/compare_store.h"

#include "app/compare/compare_labels.h"
#include "app/compare/figure_table.h"
#include "app/inference/model_names.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <cmath>

namespace minerva::app {
namespace {

// One entry per schema version: the statements that migrate from the previous version.
const std::vector<QStringList>& compareMigrations() {
  static const std::vector<QStringList> steps{
      {QStringLiteral("CREATE TABLE runs (id INTEGER PRIMARY KEY, repeats INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, "
                      "prompts TEXT NOT NULL, interleaved INTEGER NOT NULL, temperature REAL NOT NULL, top_k INTEGER NOT NULL, "
                      "top_p REAL NOT NULL, min_p REAL NOT NULL, repeat_penalty REAL NOT NULL, repeat_last INTEGER NOT NULL, "
                      "seed INTEGER NOT NULL, max_tokens INTEGER NOT NULL, device TEXT NOT NULL, positions INTEGER NOT NULL)"),
       QStringLiteral("CREATE TABLE columns (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, place INTEGER NOT NULL, "
                      "path TEXT NOT NULL, name TEXT NOT NULL, format TEXT NOT NULL, type TEXT NOT NULL, stage INTEGER NOT NULL, "
                      "reference INTEGER NOT NULL, notes TEXT NOT NULL, error_headline TEXT NOT NULL, error_detail TEXT NOT NULL, "
                      "error_details TEXT NOT NULL, speeds TEXT NOT NULL, load REAL, ttft REAL, prefill REAL, decode REAL, p50 "
                      "REAL, "
                      "p95 REAL, memory REAL, disk REAL, bits REAL, kl REAL, kl99 REAL, top1 REAL, perplexity REAL, "
                      "PRIMARY KEY (run, place))"),
       QStringLiteral("CREATE TABLE replies (run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, place INTEGER NOT NULL, "
                      "prompt INTEGER NOT NULL, text TEXT NOT NULL, tokens TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, "
                      "differs_at INTEGER NOT NULL, mark_start INTEGER NOT NULL, mark_length INTEGER NOT NULL, "
                      "reference_token TEXT NOT NULL, own_token TEXT NOT NULL, reference_in_reference REAL, own_in_reference "
                      "REAL, "
                      "reference_in_own REAL, own_in_own REAL, PRIMARY KEY (run, place, prompt))")},
      // Speeds per reply, used to judge repetitions.
      {QStringLiteral("ALTER TABLE replies ADD COLUMN ttft REAL"), QStringLiteral("ALTER TABLE replies ADD COLUMN prefill REAL"),
       QStringLiteral("ALTER TABLE replies ADD COLUMN decode REAL")},
      // Models of servers.
      {QStringLiteral("ALTER TABLE columns ADD COLUMN server TEXT NOT NULL DEFAULT ''"),
       QStringLiteral("ALTER TABLE replies ADD COLUMN generated INTEGER NOT NULL DEFAULT 0")}};
  return steps;
}

double columnFigure(const QVariant& value) { return value.isNull() ? unknownFigure : value.toDouble(); }

QString jsonText(const QJsonArray& array) { return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact)); }
QJsonArray jsonArray(const QVariant& text) { return QJsonDocument::fromJson(text.toString().toUtf8()).array(); }

QStringList stringsFrom(const QVariant& text) {
  QStringList strings;
  for (const QJsonValue& value : jsonArray(text)) strings << value.toString();
  return strings;
}

QString pointsText(const QList<QPointF>& points) {
  QJsonArray array;
  for (const QPointF& point : points) array << point.x() << point.y();
  return jsonText(array);
}

QList<QPointF> pointsFrom(const QVariant& text) {
  const QJsonArray array = jsonArray(text);
  QList<QPointF> points;
  for (qsizetype i = 0; i + 1 < array.size(); i += 2) points << QPointF(array[i].toDouble(), array[i + 1].toDouble());
  return points;
}

QString tokensText(const QList<int>& tokens) {
  QJsonArray array;
  for (const int token : tokens) array << token;
  return jsonText(array);
}

QString figureColumns() {
  QStringList names;
  for (const FigureRow& row : figureTable) names << QString::fromLatin1(row.key);
  return names.join(QStringLiteral(", "));
}

QString questionMarks(qsizetype count) { return QStringList(count, QStringLiteral("?")).join(QStringLiteral(", ")); }

}  // namespace

CompareStore::CompareStore(std::unique_ptr<SqliteFile> file) : m_file(std::move(file)) {}

Result<std::unique_ptr<CompareStore>> CompareStore::open(const QString& file) {
  MINERVA_ASSIGN(auto opened, SqliteFile::open(file, "the comparisons", compareMigrations()));
  return std::unique_ptr<CompareStore>(new CompareStore(std::move(opened)));
}

Result<std::vector<CompareSummary>> CompareStore::runs() {
  std::vector<CompareSummary> all;
  std::vector<std::vector<NamedModel>> models;
  MINERVA_TRY(m_file->each(
      QStringLiteral("SELECT r.id, r.created, r.prompts, c.name, c.path, c.server FROM runs r LEFT JOIN columns c ON c.run = r.id "
                     "ORDER BY r.id DESC, c.place"),
      {}, [&](const QSqlQuery& row) {
        const qint64 id = row.value(0).toLongLong();
        if (all.empty() || all.back().id != id) {
          all.push_back({id, QDateTime::fromMSecsSinceEpoch(row.value(1).toLongLong()), stringsFrom(row.value(2)).value(0), {}});
          models.emplace_back();
        }
        if (!row.value(3).isNull())
          models.back().push_back(
              {shownNameOf({.path = {}, .name = row.value(3).toString(), .format = {}, .type = {}, .server = row.value(5).toString()}),
               row.value(4).toString()});
      }));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].models = tellApart(models[i]).join(QStringLiteral(", "));
  return all;
}

Result<CompareRun> CompareStore::read(qint64 id) {
  MINERVA_ASSIGN(QSqlQuery found, m_file->query(QStringLiteral("SELECT repeats, created, prompts, interleaved, temperature, "
                                                               "top_k, top_p, min_p, repeat_penalty, repeat_last, "
                                                               "seed, max_tokens, device, positions FROM runs WHERE id = ?"),
                                                {id}));
  if (!found.next())
    return fail({.kind = ErrorKind::notFound, .what = "there is no such comparison", .where = m_file->file().toStdString()});
  CompareRun run{.id = id,
                 .repeats = found.value(0).toLongLong(),
                 .created = QDateTime::fromMSecsSinceEpoch(found.value(1).toLongLong()),
                 .settings = {},
                 .device = found.value(12).toString(),
                 .positions = found.value(13).toInt(),
                 .columns = {}};
  run.settings = {.prompts = stringsFrom(found.value(2)),
                  .interleaved = found.value(3).toBool(),
                  .sampling = {.temperature = found.value(4).toFloat(),
                               .topK = found.value(5).toInt(),
                               .topP = found.value(6).toFloat(),
                               .minP = found.value(7).toFloat(),
                               .repeatPenalty = found.value(8).toFloat(),
                               .repeatLastN = found.value(9).toInt(),
                               .seed = static_cast<std::uint64_t>(found.value(10).toLongLong())},
                  .maxTokens = found.value(11).toInt()};
  MINERVA_TRY(readColumns(run));
  MINERVA_TRY(readReplies(run));
  return run;
}

Result<std::vector<CompareRun>> CompareStore::sameAs(qint64 id) {
  std::vector<qint64> ids;
  MINERVA_TRY(
      m_file->each(QStringLiteral("WITH RECURSIVE up(id, repeats) AS (SELECT id, repeats FROM runs WHERE id = ? "
                                  "UNION SELECT r.id, r.repeats FROM runs r JOIN up ON r.id = up.repeats), "
                                  "family(id) AS (SELECT id FROM up UNION SELECT r.id FROM runs r JOIN family ON r.repeats = family.id) "
                                  "SELECT id FROM family ORDER BY id = ?, id"),
                   {id, id}, [&](const QSqlQuery& row) { ids.push_back(row.value(0).toLongLong()); }));
  std::vector<CompareRun> runs;
  for (const qint64 each : ids) {
    MINERVA_ASSIGN(CompareRun run, read(each));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<void> CompareStore::readColumns(CompareRun& run) {
  return m_file->each(QStringLiteral("SELECT path, name, format, type, stage, reference, notes, error_headline, "
                                     "error_detail, error_details, speeds, server, ") +
                          figureColumns() + QStringLiteral(" FROM columns WHERE run = ? ORDER BY place"),
                      {run.id}, [&](const QSqlQuery& found) {
                        CompareColumn& column = run.columns.emplace_back();
                        column.model = {found.value(0).toString(), found.value(1).toString(), found.value(2).toString(),
                                        found.value(3).toString(), found.value(11).toString()};
                        column.stage = static_cast<ColumnStage>(found.value(4).toInt());
                        column.reference = found.value(5).toBool();
                        column.notes = stringsFrom(found.value(6));
                        column.error = {.headline = found.value(7).toString(),
                                        .detail = found.value(8).toString(),
                                        .hint = {},
                                        .details = found.value(9).toString(),
                                        .kind = {}};
                        column.speeds = pointsFrom(found.value(10));
                        int at = 12;
                        for (const FigureRow& row : figureTable) column.figures.*row.value = columnFigure(found.value(at++));
                      });
}

Result<void> CompareStore::readReplies(CompareRun& run) {
  return m_file->each(QStringLiteral("SELECT place, text, tokens, prompt_tokens, differs_at, "
                                     "mark_start, mark_length, reference_token, own_token, "
                                     "reference_in_reference, own_in_reference, reference_in_own, "
                                     "own_in_own, ttft, prefill, decode, generated FROM replies WHERE run = ? ORDER BY place, prompt"),
                      {run.id}, [&](const QSqlQuery& found) {
                        const auto place = found.value(0).toULongLong();
                        if (place >= run.columns.size()) return;
                        CompareReply& reply = run.columns[place].replies.emplace_back();
                        reply.text = found.value(1).toString();
                        for (const QJsonValue& token : jsonArray(found.value(2))) reply.tokens << token.toInt();
                        reply.promptTokens = found.value(3).toInt();
                        reply.differsAt = found.value(4).toInt();
                        reply.markStart = found.value(5).toInt();
                        reply.markLength = found.value(6).toInt();
                        reply.referenceToken = found.value(7).toString();
                        reply.ownToken = found.value(8).toString();
                        reply.referenceInReference = columnFigure(found.value(9));
                        reply.ownInReference = columnFigure(found.value(10));
                        reply.referenceInOwn = columnFigure(found.value(11));
                        reply.ownInOwn = columnFigure(found.value(12));
                        reply.ttftMs = columnFigure(found.value(13));
                        reply.prefillSpeed = columnFigure(found.value(14));
                        reply.decodeSpeed = columnFigure(found.value(15));
                        reply.generated = found.value(16).toInt();
                      });
}

Result<qint64> CompareStore::add(const CompareRun& run) {
  qint64 id = 0;
  MINERVA_TRY(m_file->together([&]() -> Result<void> {
    const engine::SamplingOptions& s = run.settings.sampling;
    MINERVA_ASSIGN(const QSqlQuery added,
                   m_file->query(QStringLiteral("INSERT INTO runs (repeats, created, prompts, interleaved, temperature, top_k, top_p, "
                                                "min_p, repeat_penalty, repeat_last, seed, "
                                                "max_tokens, device, positions) VALUES (") +
                                     questionMarks(14) + QLatin1Char(')'),
                                 {run.repeats, run.created.toMSecsSinceEpoch(), jsonText(QJsonArray::fromStringList(run.settings.prompts)),
                                  run.settings.interleaved, s.temperature, s.topK, s.topP, s.minP, s.repeatPenalty, s.repeatLastN,
                                  static_cast<qint64>(s.seed), run.settings.maxTokens, filled(run.device), run.positions}));
    id = added.lastInsertId().toLongLong();
    return addParts(run, id);
  }));
  return id;
}

Result<void> CompareStore::addParts(const CompareRun& run, qint64 id) {
  for (std::size_t place = 0; place < run.columns.size(); ++place) {
    const CompareColumn& c = run.columns[place];
    const auto at = static_cast<qint64>(place);
    QVariantList values{id,
                        at,
                        filled(c.model.path),
                        filled(c.model.name),
                        filled(c.model.format),
                        filled(c.model.type),
                        static_cast<int>(c.stage),
                        c.reference,
                        jsonText(QJsonArray::fromStringList(c.notes)),
                        filled(c.error.headline),
                        filled(c.error.detail),
                        filled(c.error.details),
                        pointsText(c.speeds),
                        filled(c.model.server)};
    for (const FigureRow& row : figureTable) values << orNull(c.figures.*row.value);
    MINERVA_TRY(m_file->run(QStringLiteral("INSERT INTO columns (run, place, path, name, format, type, stage, reference, "
                                           "notes, error_headline, error_detail, error_details, speeds, server, ") +
                                figureColumns() + QStringLiteral(") VALUES (") + questionMarks(values.size()) + QLatin1Char(')'),
                            values));
    for (std::size_t prompt = 0; prompt < c.replies.size(); ++prompt) {
      const CompareReply& r = c.replies[prompt];
      const QVariantList reply{id,
                               at,
                               static_cast<qint64>(prompt),
                               filled(r.text),
                               tokensText(r.tokens),
                               r.promptTokens,
                               r.differsAt,
                               r.markStart,
                               r.markLength,
                               filled(r.referenceToken),
                               filled(r.ownToken),
                               orNull(r.referenceInReference),
                               orNull(r.ownInReference),
                               orNull(r.referenceInOwn),
                               orNull(r.ownInOwn),
                               orNull(r.ttftMs),
                               orNull(r.prefillSpeed),
                               orNull(r.decodeSpeed),
                               r.generated};
      MINERVA_TRY(m_file->run(QStringLiteral("INSERT INTO replies VALUES (") + questionMarks(reply.size()) + QLatin1Char(')'), reply));
    }
  }
  return {};
}

Result<void> CompareStore::remove(qint64 id) { return m_file->run(QStringLiteral("DELETE FROM runs WHERE id = ?"), {id}); }

}  // namespace minerva::app
