#include "app/metrics/metrics_store.h"

#include <QtEndian>

#include <cmath>

namespace minerva::app {
namespace {

// One entry per schema version: the statements that migrate from the previous version. Not generated from the tables of
// reply_record.h, because those may grow while a released version must not change.
const std::vector<QStringList>& metricsMigrations() {
  static const std::vector<QStringList> steps{
      {QStringLiteral(
           "CREATE TABLE replies (id INTEGER PRIMARY KEY, message INTEGER NOT NULL, kind TEXT NOT NULL, created INTEGER NOT NULL, "
           "model TEXT NOT NULL, path TEXT NOT NULL, format TEXT NOT NULL, type TEXT NOT NULL, device TEXT NOT NULL, "
           "device_id TEXT NOT NULL, ended TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, reused_tokens INTEGER NOT NULL, "
           "generated_tokens INTEGER NOT NULL, repetitions INTEGER NOT NULL, "
           "bits_per_weight REAL, prefill_tokens_per_second REAL, decode_tokens_per_second REAL, ttft_ms REAL, "
           "tpot_p50_ms REAL, tpot_p95_ms REAL, tpot_p99_ms REAL, stalls REAL, bandwidth_bytes_per_second REAL, "
           "bandwidth_share REAL, model_load_ms REAL, prefill_low REAL, prefill_high REAL, decode_low REAL, decode_high REAL, "
           "ttft_low REAL, ttft_high REAL, "
           "queue_ms REAL, load_ms REAL, template_ms REAL, tokenize_ms REAL, prefill_ms REAL, first_token_ms REAL, "
           "decode_ms REAL, detokenize_ms REAL, render_ms REAL, wall_ms REAL, intervals BLOB)"),
       QStringLiteral("CREATE INDEX replies_of ON replies(message)")}};
  return steps;
}

double figureOf(const QVariant& value) { return value.isNull() ? notMeasured : value.toDouble(); }

QByteArray bytesOf(const std::vector<float>& values) {
  QByteArray bytes(static_cast<qsizetype>(values.size() * sizeof(float)), Qt::Uninitialized);
  for (std::size_t i = 0; i < values.size(); ++i) qToLittleEndian(values[i], bytes.data() + i * sizeof(float));
  return bytes;
}

std::vector<float> floatsFrom(const QByteArray& bytes) {
  std::vector<float> values(static_cast<std::size_t>(bytes.size()) / sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = qFromLittleEndian<float>(bytes.constData() + i * sizeof(float));
  return values;
}

QString columns() {
  QStringList names{
      QStringLiteral("message, kind, created, model, path, format, type, device, device_id, ended, prompt_tokens, "
                     "reused_tokens, generated_tokens, repetitions")};
  for (const RecordFigure& figure : recordFigures) names << QString::fromLatin1(figure.key);
  for (const PhaseRow& phase : phaseTable) names << QString::fromLatin1(phase.key) + QStringLiteral("_ms");
  names << QStringLiteral("wall_ms");
  return names.join(QStringLiteral(", "));
}

QVariantList valuesOf(const ReplyRecord& r) {
  QVariantList values{r.message,
                      r.kind == ReplyRecord::Kind::benchmark ? QStringLiteral("benchmark") : QStringLiteral("reply"),
                      r.created.toMSecsSinceEpoch(),
                      filled(r.model),
                      filled(r.path),
                      filled(r.format),
                      filled(r.type),
                      filled(r.device),
                      filled(r.deviceId),
                      filled(r.end),
                      r.promptTokens,
                      r.reusedTokens,
                      r.generatedTokens,
                      r.repetitions};
  for (const RecordFigure& figure : recordFigures) values << orNull(r.*figure.value);
  const bool measured = r.phases.wallMs > 0;
  for (const PhaseRow& phase : phaseTable) values << (measured ? QVariant(r.phases.*phase.value) : QVariant());
  values << (measured ? QVariant(r.phases.wallMs) : QVariant());
  return values;
}

ReplyRecord recordFrom(const QSqlQuery& row, bool intervals) {
  ReplyRecord r;
  int at = 0;
  const auto next = [&] { return row.value(at++); };
  r.id = next().toLongLong();
  r.message = next().toLongLong();
  r.kind = next().toString() == QLatin1String("benchmark") ? ReplyRecord::Kind::benchmark : ReplyRecord::Kind::reply;
  r.created = QDateTime::fromMSecsSinceEpoch(next().toLongLong());
  for (QString* text : {&r.model, &r.path, &r.format, &r.type, &r.device, &r.deviceId, &r.end}) *text = next().toString();
  for (int* count : {&r.promptTokens, &r.reusedTokens, &r.generatedTokens, &r.repetitions}) *count = next().toInt();
  for (const RecordFigure& figure : recordFigures) r.*figure.value = figureOf(next());
  for (const PhaseRow& phase : phaseTable) r.phases.*phase.value = next().toDouble();
  r.phases.wallMs = next().toDouble();
  if (intervals) r.intervals = floatsFrom(next().toByteArray());
  return r;
}

}  // namespace

Result<std::unique_ptr<MetricsStore>> MetricsStore::open(const QString& file) {
  MINERVA_ASSIGN(auto opened, SqliteFile::open(file, "the figures of replies", metricsMigrations()));
  return std::unique_ptr<MetricsStore>(new MetricsStore(std::move(opened)));
}

Result<qint64> MetricsStore::add(const ReplyRecord& record) {
  QVariantList values = valuesOf(record);
  values << bytesOf(record.intervals);
  const QString marks = QStringList(values.size(), QStringLiteral("?")).join(QStringLiteral(", "));
  MINERVA_ASSIGN(const QSqlQuery added,
                 m_file->query(QStringLiteral("INSERT INTO replies (%1, intervals) VALUES (%2)").arg(columns(), marks), values));
  return added.lastInsertId().toLongLong();
}

Result<std::vector<ReplyRecord>> MetricsStore::select(const QString& rest, const QVariantList& values, bool intervals) {
  std::vector<ReplyRecord> all;
  MINERVA_TRY(m_file->each(
      QStringLiteral("SELECT id, %1%2 FROM replies %3").arg(columns(), intervals ? QStringLiteral(", intervals") : QString(), rest), values,
      [&](const QSqlQuery& row) { all.push_back(recordFrom(row, intervals)); }));
  return all;
}

Result<std::vector<ReplyRecord>> MetricsStore::newest(int most) {
  return select(QStringLiteral("ORDER BY id DESC LIMIT ?"), {most}, false);
}

Result<std::optional<ReplyRecord>> MetricsStore::read(qint64 id) {
  MINERVA_ASSIGN(const auto found, select(QStringLiteral("WHERE id = ?"), {id}, true));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

Result<std::optional<ReplyRecord>> MetricsStore::ofMessage(qint64 message) {
  MINERVA_ASSIGN(const auto found, select(QStringLiteral("WHERE message = ? ORDER BY id DESC LIMIT 1"), {message}, true));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace minerva::app
