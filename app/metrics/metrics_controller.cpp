#include "app/metrics/metrics_controller.h"

#include "app/metrics/figures.h"
#include "app/metrics/history_export.h"
#include "app/storage/write_file.h"

#include <algorithm>

namespace minerva::app {
namespace {

constexpr int mostIntervalPoints = 400;

}  // namespace

QList<QPointF> intervalPoints(const std::vector<float>& intervals, int most) {
  QList<QPointF> points;
  const std::size_t count = intervals.size(),
                    stride = std::max<std::size_t>(1, (count + static_cast<std::size_t>(most) - 1) / static_cast<std::size_t>(most));
  for (std::size_t from = 0; from < count; from += stride) {
    const auto begin = intervals.begin() + static_cast<std::ptrdiff_t>(from);
    const auto longest = std::max_element(begin, intervals.begin() + static_cast<std::ptrdiff_t>(std::min(count, from + stride)));
    // Interval i ends with token i + 1.
    points << QPointF(static_cast<double>(longest - intervals.begin() + 1), static_cast<double>(*longest));
  }
  return points;
}

MetricsController::MetricsController(ReplySource* source, ReplyRecorder* recorder, const QString& file, QObject* parent)
    : QObject(parent), m_benchmark(source, recorder), m_archive(file) {
  connect(recorder, &ReplyRecorder::recorded, this, &MetricsController::keep);
  connect(&m_benchmark, &Benchmark::measured, this, [this](const ReplyRecord& record) {
    m_following = true;
    keep(record);
  });
  connect(&m_history, &HistoryModel::shownChanged, this, [this] { setSaid({}); });  // those rows are no longer the ones shown
  connect(&m_archive, &MetricsArchive::listed, this, &MetricsController::takeList);
  connect(&m_archive, &MetricsArchive::added, this, &MetricsController::takeNew);
  connect(&m_archive, &MetricsArchive::found, this, &MetricsController::show);
  connect(&m_archive, &MetricsArchive::failed, this, &MetricsController::setError);
}

void MetricsController::takeList(const std::vector<ReplyRecord>& records) {
  m_history.reset(records);
  m_following = true;
  if (records.empty()) show(ReplyRecord{});
  else m_archive.read(records.front().id);
}

void MetricsController::takeNew(const ReplyRecord& record) {
  m_history.add(record);
  if (m_following) show(record);
}

void MetricsController::open(qint64 recordId) {
  m_following =
      m_history.total() > 0 && m_history.count() > 0 && m_history.data(m_history.index(0), HistoryModel::RecordIdRole) == recordId;
  m_archive.read(recordId);
}

void MetricsController::openMessage(qint64 messageId) {
  m_following = false;
  m_archive.readMessage(messageId);
}

// nullopt: the requested record does not exist. A record without an id clears the display.
void MetricsController::show(const std::optional<ReplyRecord>& record) {
  m_missing = !record;
  m_shown.clear();
  m_intervals.clear();
  m_stalls.clear();
  if (record && record->id != 0) {
    QVariantMap phases;
    for (const PhaseRow& phase : phaseTable) phases.insert(QString::fromLatin1(phase.key), record->phases.*phase.value);
    const bool measured = record->phases.wallMs > 0;
    m_shown = {{QStringLiteral("recordId"), record->id},
               {QStringLiteral("title"), m_history.title(*record)},
               {QStringLiteral("format"), record->format},
               {QStringLiteral("type"), record->type},
               {QStringLiteral("device"), record->device},
               {QStringLiteral("time"), Figures::moment(record->created)},
               {QStringLiteral("benchmark"), record->kind == ReplyRecord::Kind::benchmark},
               {QStringLiteral("repetitions"), record->repetitions},
               {QStringLiteral("end"), record->end},
               {QStringLiteral("figures"), figuresOf(*record)},
               {QStringLiteral("phases"), phases},
               {QStringLiteral("wall"), measured ? record->phases.wallMs : notMeasured},
               {QStringLiteral("unaccounted"), measured ? record->phases.unaccountedMs() : notMeasured}};
    m_intervals = intervalPoints(record->intervals, mostIntervalPoints);
    for (const int place : stallsIn(record->intervals))
      m_stalls << QPointF(place + 1, static_cast<double>(record->intervals[static_cast<std::size_t>(place)]));
  }
  Q_EMIT shownChanged();
}

bool MetricsController::exportTo(const QUrl& file, const QString& kind) {
  const std::vector<ReplyRecord> records = m_history.shown();
  const auto done = writeFile(file.toLocalFile(), kind == QLatin1String("json") ? historyAsJson(records) : historyAsCsv(records));
  setSaid(done ? tr("Saved as %1").arg(file.toLocalFile()) : QString());
  if (!done) setError(ErrorInfo::from(done.error(), tr("The figures could not be exported")));
  return done.has_value();
}

void MetricsController::setSaid(const QString& said) {
  m_said = said;
  Q_EMIT saidChanged();
}

void MetricsController::setError(const ErrorInfo& error) {
  m_error = error;
  Q_EMIT errorChanged();
}

void MetricsController::dismissError() { setError({}); }

}  // namespace minerva::app
