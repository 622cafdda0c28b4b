#include "app/compare/compare_controller.h"

#include "app/compare/builtin_twins.h"
#include "core/compare/measuring_text.h"

#include <QLocale>
#include <QDir>
#include <QFileInfo>
#include <QtConcurrent>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr int lookEveryMs = 100;  // poll interval; not shorter, because without a GPU drawing takes CPU time from the models
constexpr int fewest = 2, most = 4;
constexpr std::uint64_t fixedSeed = 7;

QStringList linesOf(const QString& prompt) {
  QStringList lines;
  for (const QString& line : prompt.split(QLatin1Char('\n')))
    if (!line.trimmed().isEmpty()) lines << line.trimmed();
  return lines;
}

}  // namespace

CompareController::CompareController(const Places& places, BackendOptions backend, QObject* parent)
    : QObject(parent), m_places(places), m_backend(std::move(backend)), m_archive(places.database) {
  const std::string_view text = compare::measuringText();
  m_text = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  m_timer.setInterval(lookEveryMs);
  connect(&m_timer, &QTimer::timeout, this, &CompareController::look);
  connect(&m_twins, &QFutureWatcher<Twins>::finished, this, [this] { twinsMade(m_twins.result()); });
  connect(&m_columns, &ColumnModel::countChanged, this, &CompareController::changed);
  connect(&m_archive, &CompareArchive::listed, this, [this](const std::vector<CompareSummary>& runs) {
    m_stored = runs;
    setRemoved(m_removed);
  });
  connect(&m_archive, &CompareArchive::foundSame, this, [this](const std::vector<CompareRun>& runs) {
    if (m_before && !runs.empty() && runs.back().id == m_before->id) m_earlier = runs;
  });
  connect(&m_archive, &CompareArchive::found, this, &CompareController::show);
  connect(&m_archive, &CompareArchive::failed, this, [this](const ErrorInfo& error) { setNotice(error); });
  connect(&m_archive, &CompareArchive::added, this, [this](qint64 id) {
    if (m_state == Done && m_run.id == 0) m_run.id = id;
    Q_EMIT changed();
  });
}

CompareController::~CompareController() {
  if (m_removed.id != 0) m_archive.remove(m_removed.id);
  m_copying.request_stop();
  m_twins.waitForFinished();
}

bool CompareController::canRun() const {
  return (m_state == Choosing || m_state == Done) && m_columns.count() >= fewest && m_columns.count() <= most &&
         !linesOf(m_prompt).isEmpty();
}

void CompareController::setPrompt(const QString& prompt) {
  if (prompt == m_prompt) return;
  m_prompt = prompt;
  Q_EMIT promptChanged();
  Q_EMIT changed();
}

void CompareController::setInterleaved(bool interleaved) {
  m_interleaved = interleaved;
  Q_EMIT changed();
}

void CompareController::setGreedy(bool greedy) {
  m_greedy = greedy;
  Q_EMIT changed();
}

void CompareController::setMaxTokens(int tokens) {
  m_maxTokens = std::clamp(tokens, 1, 4096);
  Q_EMIT changed();
}

void CompareController::setShownPrompt(int prompt) {
  m_shownPrompt = std::clamp(prompt, 0, std::max(0, static_cast<int>(prompts().size()) - 1));
  m_columns.showPrompt(m_shownPrompt);
  Q_EMIT changed();
}

QString CompareController::summary() const {
  QStringList parts{tr("%n models", nullptr, m_columns.count())};
  const auto& columns = m_columns.columns();
  const auto first = std::find_if(columns.begin(), columns.end(), [](const CompareColumn& c) { return c.reference && !c.replies.empty(); });
  if (first != columns.end() && first->replies.front().promptTokens > 0)
    parts << tr("same %n prompt tokens", nullptr, first->replies.front().promptTokens);
  const engine::SamplingOptions& sampling = m_run.settings.sampling;
  parts << (sampling.temperature <= 0 ? tr("greedy")
                                      : tr("temperature %1").arg(QLocale().toString(static_cast<double>(sampling.temperature), 'g', 3)))
        << tr("seed %1").arg(sampling.seed);
  parts << (m_run.settings.interleaved ? tr("side by side") : tr("one after another"));
  if (!m_run.device.isEmpty()) parts << m_run.device;
  return parts.join(QStringLiteral(", "));
}

QString CompareController::reference() const {
  for (int row = 0; row < m_columns.count(); ++row)
    if (m_columns.columns()[static_cast<std::size_t>(row)].reference) return m_columns.index(row).data(ColumnModel::LabelRole).toString();
  return {};
}

void CompareController::tryBuiltIn() {
  if (m_state == Preparing || m_state == Running || m_places.builtIn.isEmpty()) return;
  clear();
  m_state = Preparing;
  m_copying = std::stop_source();
  m_twins.setFuture(QtConcurrent::run(&builtInTwins, m_places.builtIn, m_places.copies, m_copying.get_token()));
  Q_EMIT changed();
}

void CompareController::twinsMade(const Twins& twins) {
  if (m_state != Preparing) return;
  m_state = Choosing;
  if (!twins) {
    if (twins.error().kind != ErrorKind::cancelled)
      setNotice(ErrorInfo::from(twins.error(), tr("The copies of the built-in model could not be made")));
    Q_EMIT changed();
    return;
  }
  for (const CompareModel& model : *twins) m_columns.add(model);
  if (linesOf(m_prompt).isEmpty()) setPrompt(tr("Tell me a story about a bear."));
  start();
}

void CompareController::addModel(const QString& path, const QString& name, const QString& format, const QString& type) {
  if (m_state != Choosing || m_columns.count() >= most) return;
  m_columns.add({path, name, format, type});
}

void CompareController::addUrl(const QUrl& url) {
  if (!url.isLocalFile()) return;
  const QFileInfo file(QDir::cleanPath(url.toLocalFile()));  // "folder/" has no file name
  addModel(file.absoluteFilePath(), file.isDir() ? file.fileName() : file.completeBaseName(), {}, {});
}

void CompareController::addOfServer(const QString& path) {
  if (m_state != Choosing || m_columns.count() >= most) return;
  if (const std::optional<CompareModel> model = m_servers.model(path)) m_columns.add(*model);
}

QStringList CompareController::servers() const {
  QStringList names;
  for (const CompareColumn& column : m_columns.columns())
    if (!column.model.server.isEmpty()) names << column.model.server;
  names.removeDuplicates();
  return names;
}

void CompareController::removeModel(int row) {
  if (m_state == Choosing) m_columns.remove(row);
}

CompareSettings CompareController::settings() const {
  CompareSettings settings{.prompts = linesOf(m_prompt), .interleaved = m_interleaved, .maxTokens = m_maxTokens};
  if (!m_greedy && m_chatSampling) settings.sampling = m_chatSampling();
  if (settings.sampling.seed == 0) settings.sampling.seed = fixedSeed;
  return settings;
}

void CompareController::start() {
  if (!canRun()) return;
  m_before.reset();
  begin(settings());
}

void CompareController::startInTurn() {
  setInterleaved(false);
  if (!canRun()) return;
  CompareSettings again = settings();
  if (m_before) {  // its sampling was the chat's at that time; not if the form was edited since
    const CompareSettings& before = m_before->settings;
    const bool greedy = before.sampling.temperature <= 0;
    if (before.prompts == again.prompts && before.maxTokens == again.maxTokens && greedy == m_greedy) again = before;
  }
  again.interleaved = false;
  m_before.reset();  // a run in another mode is not a repetition
  begin(again);
}

void CompareController::begin(CompareSettings settings) {
  CompareOrder order{.models = {},
                     .settings = settings,
                     .device = m_preferences.device,
                     .contextLength = m_preferences.contextLength,
                     .text = m_text,
                     .freeBytes = m_freeBytes,
                     .backend = m_preferences.applied(m_backend)};
  std::vector<CompareModel> onServers;
  for (const CompareColumn& column : m_columns.columns())
    (column.model.server.isEmpty() ? order.models : onServers).push_back(column.model);
  m_notice = {};
  m_canRunInTurn = false;
  clearVerdict();
  m_run = {};
  m_run.created = QDateTime::currentDateTime();
  m_run.settings = std::move(settings);
  m_run.repeats = m_before ? m_before->id : 0;
  m_shownPrompt = 0;
  m_state = Running;
  m_servers.prepare(onServers, m_run.settings);
  if (!order.models.empty()) m_job.start(std::move(order));
  else beginOnServers({});
  m_columns.set(progress().columns);
  m_timer.start();
  Q_EMIT changed();
}

void CompareController::stop() {
  if (m_state == Preparing) m_copying.request_stop();
  if (m_state != Running) return;
  m_job.stop();
  m_servers.stop();
}

// All columns in the order in which they were chosen.
CompareProgress CompareController::progress() const {
  const std::vector<CompareColumn>& chosen = m_columns.columns();
  const bool here = std::ranges::any_of(chosen, [](const CompareColumn& column) { return column.model.server.isEmpty(); });
  CompareProgress all = here ? m_job.progress() : CompareProgress{};  // the job's is that of an earlier run otherwise
  const std::vector<CompareColumn> ofJob = std::exchange(all.columns, {});
  auto nextOfJob = ofJob.begin();
  auto nextOnServers = m_servers.columns().begin();
  for (const CompareColumn& column : chosen) all.columns.push_back(column.model.server.isEmpty() ? *nextOfJob++ : *nextOnServers++);
  all.running = all.running || (!all.refusal && !m_servers.hasEnded());
  all.stopped = all.stopped || m_servers.wasStopped();
  return all;
}

// One after another: once this computer's models are done, because a server may be on this computer too.
void CompareController::beginOnServers(const CompareProgress& here) {
  if (m_servers.hasBegun() || m_servers.wasStopped() || here.refusal) return;
  if (!here.running || (m_run.settings.interleaved && here.admitted)) m_servers.begin();
}

void CompareController::look() {
  beginOnServers(m_job.progress());
  const CompareProgress progress = this->progress();
  m_columns.update(progress.columns);
  m_run.device = progress.device;
  m_run.positions = progress.positions;
  if (progress.running) {
    // Show the prompt that is being answered, or read.
    int prompt = m_shownPrompt;
    for (const ColumnStage stage : {ColumnStage::reading, ColumnStage::writing})
      for (const CompareColumn& column : progress.columns)
        if (column.stage == stage) prompt = column.prompt;
    if (prompt != m_shownPrompt) setShownPrompt(prompt);
    Q_EMIT changed();
    return;
  }
  m_timer.stop();
  finished(progress);
}

void CompareController::finished(const CompareProgress& progress) {
  m_run.columns = progress.columns;
  if (progress.refusal) {
    m_state = Choosing;
    const bool memory = progress.refusal->kind == ErrorKind::outOfMemory;
    return setNotice(
        ErrorInfo::from(*progress.refusal, memory ? tr("The models do not fit side by side") : tr("The comparison could not be run")),
        memory);
  }
  m_state = Done;
  setShownPrompt(0);
  const bool any =
      std::any_of(progress.columns.begin(), progress.columns.end(), [](const CompareColumn& c) { return c.stage == ColumnStage::done; });
  if (any && !progress.stopped) {
    if (m_before) {
      judgeRepetition();
    }
    m_archive.add(m_run);
  }
  Q_EMIT changed();
}

void CompareController::change() {
  if (m_state != Done) return;
  std::vector<CompareColumn> chosen;
  for (const CompareColumn& column : m_columns.columns()) chosen.emplace_back().model = column.model;
  m_left = std::exchange(m_run, {});
  clearVerdict();
  m_columns.set(std::move(chosen));
  m_state = Choosing;
  Q_EMIT changed();
}

void CompareController::keep() {
  if (!isChanging()) return;
  m_openedForm = form();  // what was changed is given up
  show(*std::exchange(m_left, std::nullopt));
}

void CompareController::startOver() {
  if (m_state == Running || m_state == Preparing) return;
  clear();
  if (const std::optional<Form> form = std::exchange(m_form, std::nullopt)) {
    for (const CompareModel& model : form->models) m_columns.add(model);
    m_interleaved = form->interleaved;
    m_greedy = form->greedy;
    m_maxTokens = form->maxTokens;
    setPrompt(form->prompt);
  }
  Q_EMIT changed();
}

void CompareController::clear() {
  m_run = {};
  m_left.reset();
  m_notice = {};
  m_canRunInTurn = false;
  clearVerdict();
  m_state = Choosing;
  m_columns.set({});
}

CompareController::Form CompareController::form() const {
  Form form{.models = {}, .prompt = m_prompt, .interleaved = m_interleaved, .greedy = m_greedy, .maxTokens = m_maxTokens};
  for (const CompareColumn& column : m_columns.columns()) form.models.push_back(column.model);
  return form;
}

void CompareController::setNotice(const ErrorInfo& notice, bool canRunInTurn) {
  m_notice = notice;
  m_canRunInTurn = canRunInTurn;
  Q_EMIT changed();
}

void CompareController::dismissNotice() { setNotice({}); }

}  // namespace minerva::app
