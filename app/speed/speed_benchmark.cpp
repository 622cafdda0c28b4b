#include "app/speed/speed_benchmark.h"

#include "app/metrics/figures.h"
#include "app/speed/speed_charts.h"
#include "app/storage/write_file.h"
#include "app/text/text.h"
#include "core/speed/speed_report.h"

#include <algorithm>
#include <array>

namespace minerva::app {
namespace {

constexpr int lookAtRunMs = 100;  // not shorter, because drawing takes time from what is measured
constexpr std::array batchChoices{1, 2, 4, 8, 16, 20, 32};
constexpr std::array depthChoices{0, 512, 2048, 4096, 8192, 16384};

}  // namespace

SpeedBenchmark::SpeedBenchmark(const QString& folder, BackendOptions backend, QObject* parent)
    : QObject(parent), m_backend(std::move(backend)), m_folder(folder) {
  m_timer.setInterval(lookAtRunMs);
  connect(&m_timer, &QTimer::timeout, this, &SpeedBenchmark::look);
  connect(&m_forecast, &LoadForecast::changed, this, &SpeedBenchmark::changed);
  connect(&m_folder, &SpeedFolder::failed, this, &SpeedBenchmark::setError);
  connect(&m_folder, &SpeedFolder::listed, this, [this](const std::vector<KeptReport>& reports) {
    m_kept = reports;
    std::erase_if(m_kept, [this](const KeptReport& report) { return report.file == m_removed; });
    if (m_shown.rows.empty() && !m_kept.empty() && !isRunning()) show(m_kept.front().report, m_kept.front().file);
    if (m_file.isEmpty() && !m_kept.empty() && m_kept.front().report.rows == m_shown.rows) m_file = m_kept.front().file;  // just kept
    Q_EMIT keptChanged();
  });
  m_folder.list();
}

SpeedBenchmark::~SpeedBenchmark() {
  if (!m_removed.isEmpty()) m_folder.remove(m_removed);
}

void SpeedBenchmark::setModel(const ModelFacts& model) {
  if (model == m_model) return;
  m_model = model;
  askForecast();
  Q_EMIT changed();
}

void SpeedBenchmark::setPreferences(const LoadPreferences& preferences) {
  m_preferences = preferences;
  askForecast();
}

void SpeedBenchmark::setBusy(const QString& why) {
  if (why == m_busy) return;
  m_busy = why;
  if (isRunning() && !why.isEmpty()) m_disturbed = true;
  Q_EMIT changed();
}

bool SpeedBenchmark::isPossible(int depth) const {
  const engine::LoadOptions room = speed::roomFor(std::array{speed::SpeedTask{depth, 1, promptTokens, decodeTokens}});
  return m_model.modelContext == 0 || room.contextLength <= m_model.modelContext;
}

std::vector<int> SpeedBenchmark::chosenDepths() const {
  std::vector<int> depths;
  for (const int depth : depthChoices)
    if (m_chosenDepths.contains(depth) && isPossible(depth)) depths.push_back(depth);
  if (depths.empty()) depths.push_back(depthChoices.front());
  return depths;
}

std::vector<speed::SpeedTask> SpeedBenchmark::tasks() const {
  std::vector<int> batches;
  for (const int batch : batchChoices)
    if (m_chosenBatches.contains(batch)) batches.push_back(batch);
  const std::vector<int> depths = chosenDepths();
  std::vector<speed::SpeedTask> tasks;
  for (const int batch : batches) tasks.push_back({depths.front(), batch, promptTokens, decodeTokens});
  for (std::size_t i = 1; i < depths.size(); ++i) tasks.push_back({depths[i], batches.front(), promptTokens, decodeTokens});
  return tasks;
}

QVariantList SpeedBenchmark::choices(std::span<const int> all, const QSet<int>& chosen, bool areDepths) const {
  QVariantList list;
  for (const int value : all) {
    const bool possible = !areDepths || isPossible(value);
    list << QVariantMap{{QStringLiteral("value"), value},
                        {QStringLiteral("chosen"), possible && chosen.contains(value)},
                        {QStringLiteral("possible"), possible}};
  }
  return list;
}

QVariantList SpeedBenchmark::batches() const { return choices(batchChoices, m_chosenBatches, false); }
QVariantList SpeedBenchmark::depths() const {
  const std::vector<int> depths = chosenDepths();
  return choices(depthChoices, QSet<int>(depths.begin(), depths.end()), true);
}

void SpeedBenchmark::toggle(QSet<int>& chosen, std::span<const int> all, int value) {
  if (isRunning() || std::ranges::find(all, value) == all.end()) return;
  if (!chosen.contains(value)) chosen.insert(value);
  else if (chosen.size() > 1) chosen.remove(value);
  askForecast();
  Q_EMIT changed();
}

void SpeedBenchmark::toggleBatch(int batch) { toggle(m_chosenBatches, batchChoices, batch); }

void SpeedBenchmark::toggleDepth(int depth) {
  if (!isPossible(depth)) return;
  const std::vector<int> depths = chosenDepths();
  m_chosenDepths = QSet<int>(depths.begin(), depths.end());
  toggle(m_chosenDepths, depthChoices, depth);
}

// As the run would load the model, beside what is in memory now.
void SpeedBenchmark::askForecast() {
  if (!m_model.isSet() || !m_model.server.isEmpty()) return;
  const engine::LoadOptions room = speed::roomFor(tasks());
  FitQuestion question{.path = m_model.path, .preferences = m_preferences, .backend = m_backend, .held = 0, .draft = {}};
  question.preferences.drafts = false;
  question.preferences.contextLength = room.contextLength;
  question.preferences.sequences = room.sequences;
  question.preferences.contexts = room.contexts;
  m_forecast.ask(m_model.path, question);
}

QString SpeedBenchmark::whyNot() const {
  if (isRunning()) return {};
  if (!m_model.isSet()) return tr("Choose a model first.");
  if (!m_model.server.isEmpty())
    return tr("A benchmark measures a model of this computer; the present one runs on %1.").arg(m_model.server);
  if (!m_busy.isEmpty()) return m_busy;
  return m_forecast.model() == m_model.path && m_forecast.isRefused() ? m_forecast.reason() : QString();
}

QString SpeedBenchmark::stage() const {
  if (!isRunning()) return {};
  if (m_state.stage == SpeedState::Stage::loading) return tr("Loading the model");
  if (m_state.stage == SpeedState::Stage::bandwidth) return tr("Measuring the bandwidth");
  const speed::SpeedTask& task = m_tasks.at(m_state.task);
  const QString what = task.depth > 0
                           ? tr("%n conversation(s), %1 tokens in the context", nullptr, task.batch).arg(Figures::integer(task.depth))
                           : tr("%n conversation(s)", nullptr, task.batch);
  return m_state.repetition < 0 ? tr("%1: warming up").arg(what)
                                : tr("%1: repetition %2 of %3").arg(what).arg(m_state.repetition + 1).arg(repetitions);
}

void SpeedBenchmark::run() {
  if (!canRun()) return;
  m_error = {};
  setSaid({});
  m_file.clear();
  m_disturbed = false;
  m_tasks = tasks();
  m_job.start({.path = m_model.path, .preferences = m_preferences, .backend = m_backend, .tasks = m_tasks, .repetitions = repetitions});
  m_state = m_job.state();
  show({}, {});
  m_timer.start();
  Q_EMIT runningChanged();
  Q_EMIT keptChanged();
  Q_EMIT changed();
}

void SpeedBenchmark::cancel() { m_job.stop(); }

void SpeedBenchmark::look() {
  m_state = m_job.state();
  m_state.report.machine.disturbed = m_disturbed;
  if (m_state.report.rows != m_shown.rows || m_disturbed != m_shown.machine.disturbed) show(m_state.report, {});
  if (!m_state.running) {
    m_timer.stop();
    if (m_state.error) m_error = ErrorInfo::from(*m_state.error, tr("The benchmark failed"));
    if (m_state.finished) m_folder.keep(m_state.report);
    Q_EMIT runningChanged();
  }
  Q_EMIT changed();
}

void SpeedBenchmark::show(const speed::SpeedReport& report, const QString& file) {
  m_shown = report;
  m_file = file;
  m_subject = speedSubject(report);
  m_charts = speedCharts(report);
  m_table = speedTable(report);
  Q_EMIT shownChanged();
}

QVariantList SpeedBenchmark::kept() const {
  QVariantList list;
  for (const KeptReport& each : m_kept) {
    QVariantMap entry = speedSubject(each.report);
    entry.insert(QStringLiteral("file"), each.file);
    entry.insert(QStringLiteral("time"), Figures::moment(each.time));
    entry.insert(QStringLiteral("shown"), each.file == m_file);
    list << entry;
  }
  return list;
}

void SpeedBenchmark::open(const QString& file) {
  const auto found = std::ranges::find(m_kept, file, &KeptReport::file);
  if (found == m_kept.end() || isRunning()) return;
  setSaid({});
  show(found->report, file);
  Q_EMIT keptChanged();
}

void SpeedBenchmark::remove(const QString& file) {
  const auto found = std::ranges::find(m_kept, file, &KeptReport::file);
  if (found == m_kept.end() || isRunning()) return;
  const QString name =
      speedSubject(found->report).value(QStringLiteral("model")).toString() + QStringLiteral(", ") + Figures::moment(found->time);
  dismissUndo();
  if (file == m_file) show({}, {});
  setRemoved(file, name);
  m_folder.list();
}

void SpeedBenchmark::undoRemove() {
  setRemoved({}, {});
  m_folder.list();
}

void SpeedBenchmark::dismissUndo() {
  if (!m_removed.isEmpty()) m_folder.remove(m_removed);
  setRemoved({}, {});
}

void SpeedBenchmark::setRemoved(const QString& file, const QString& name) {
  m_removed = file;
  m_removedName = name;
  Q_EMIT removedChanged();
}

bool SpeedBenchmark::exportTo(const QUrl& file, const QString& kind) {
  if (m_shown.rows.empty()) return false;
  std::string document = speed::toDocument(m_shown);
  if (kind == QLatin1String("md")) document = speed::speedMarkdown(m_shown.rows, m_shown.machine);
  if (kind == QLatin1String("svg")) document = speed::speedSvg(m_shown.rows, m_shown.machine);
  const Result<void> done = writeFile(file.toLocalFile(), QByteArray::fromStdString(document));
  setSaid(done ? tr("Saved as %1").arg(file.toLocalFile()) : QString());
  if (!done) setError(ErrorInfo::from(done.error(), tr("The benchmark could not be exported")));
  return done.has_value();
}

void SpeedBenchmark::setSaid(const QString& said) {
  m_said = said;
  Q_EMIT saidChanged();
}

void SpeedBenchmark::setError(const ErrorInfo& error) {
  m_error = error;
  Q_EMIT changed();
}

void SpeedBenchmark::dismissError() { setError({}); }

}  // namespace minerva::app
