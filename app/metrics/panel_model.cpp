#include "app/metrics/panel_model.h"

#include "app/inference/inference_controller.h"
#include "app/metrics/speed_series.h"

#include <QFile>

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr double panelTickMs = 240;  // minimum time between ticks
constexpr unsigned tickUpdates = 2;  // minimum updates per tick: slow replies share the CPU with the window
// Timer interval for ticks without updates, during prefill and waiting. Otherwise ticks coincide with updates. An interval
// close to the time between updates would draw an additional frame before each of them.
constexpr int tickWithoutNewsMs = 900;
constexpr int readProcessEveryTicks = 4;
constexpr double panelWindowMs = 1000;
constexpr std::size_t historyLength = 60;  // points; one per four pixels

double residentBytes() {
  QFile statm(QStringLiteral("/proc/self/statm"));
  if (!statm.open(QIODevice::ReadOnly)) return std::numeric_limits<double>::quiet_NaN();
  const QList<QByteArray> fields = statm.readAll().split(' ');
  return fields.size() > 1 ? fields[1].toDouble() * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

PanelModel::PanelModel(ReplySource* source, InferenceController* inference, QObject* parent) : QObject(parent), m_inference(inference) {
  m_machineBytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  m_processBytes = residentBytes();
  m_timer.setInterval(tickWithoutNewsMs);
  connect(&m_timer, &QTimer::timeout, this, &PanelModel::tick);
  connect(source, &ReplySource::submitted, this, &PanelModel::begin);
  connect(source, &ReplySource::updated, this, &PanelModel::take);
  if (inference == nullptr) return;
  connect(inference, &InferenceController::modelChanged, this, &PanelModel::modelChanged);
  connect(inference, &InferenceController::bandwidthChanged, this, [this] { setBandwidth(m_inference->bandwidth()); });
}

void PanelModel::setBandwidth(const MeasuredBandwidth& measured) {
  m_measured = measured;
  refreshShare();
  Q_EMIT changed();
}

void PanelModel::modelChanged() {
  ModelFacts now = m_inference->model();
  now.name = m_model.name;  // a change of the display name alone does not reset the figures
  if (now == m_model) return;
  m_processBytes = residentBytes();
  setModel(m_inference->model());
}

void PanelModel::setModel(const ModelFacts& model) {
  const bool set = model.isSet(), here = set && model.server.isEmpty();
  m_model = model;
  m_loadMs = here ? model.loadMs : unknown;
  m_weightBytes = here ? model.weightBytes : unknown;
  m_draftBytes = here ? model.draftBytes : unknown;
  m_cacheBytes = here ? model.kvBytes : unknown;
  m_cacheHeld = unknown;
  m_cacheType = set ? model.cacheType : QString();
  m_scratchBytes = here ? model.scratchBytes : unknown;
  if (!here) m_measured = {};
  m_lastOf.clear();
  showFigures();
}

void PanelModel::begin(quint64 request) {
  PanelRun run{.request = request, .phase = Waiting, .begun = Clock::now(), .times = {}, .gaps = {}, .reply = {}};
  run.reply.m_contextUsed = m_contextUsed;  // kept until its prompt is known
  run.reply.m_path = m_model.path;
  run.reply.m_contextTotal = m_model.contextLength;
  run.reply.m_server = m_model.server;
  run.reply.m_pieces = !m_model.server.isEmpty();
  m_runs.push_back(std::move(run));
  m_timer.start();
  showFigures();
}

void PanelModel::setConversation(quint64 request, qint64 conversation) {
  const auto run = std::ranges::find(m_runs, request, &PanelRun::request);
  if (run == m_runs.end()) return;
  run->conversation = conversation;
  showFigures();
}

void PanelModel::showConversation(qint64 conversation) {
  if (std::exchange(m_shown, conversation) != conversation) showFigures();
}

// A request without a conversation is a measurement, which somebody watches.
const PanelRun* PanelModel::followed() const {
  const auto here =
      std::ranges::find_if(m_runs, [this](const PanelRun& run) { return run.conversation == m_shown || run.conversation == 0; });
  if (here != m_runs.end()) return &*here;
  return m_runs.empty() ? nullptr : &m_runs.back();
}

void PanelModel::showFigures() {
  const PanelRun* run = followed();
  m_phase = run != nullptr ? static_cast<Phase>(run->phase) : Idle;
  static_cast<PanelReply&>(*this) = run != nullptr ? run->reply : m_lastOf.value(m_shown);
  if (m_path.isEmpty()) m_contextTotal = m_model.contextLength;
  refreshShare();
  Q_EMIT historyChanged();
  Q_EMIT changed();
}

void PanelModel::take(const ReplyUpdate& update) {
  const auto run = std::ranges::find(m_runs, update.request, &PanelRun::request);
  if (run == m_runs.end()) return;
  const int before = run->phase;
  PanelReply& reply = run->reply;
  if (update.started) {
    run->phase = Prefill;
    reply.m_contextUsed = update.started->promptTokens;
    reply.m_contextReused = update.started->reusedTokens;
    reply.m_prefillTotal = update.started->promptTokens - update.started->reusedTokens;
  }
  if (update.prefill) {
    reply.m_prefillDone = update.prefill->done;
    reply.m_prefillTotal = update.prefill->total;
    reply.m_prefillSpeed = update.prefill->tokensPerSecond;
  }
  addTokens(*run, update);
  if (update.contextUsed > 0) reply.m_contextUsed = update.contextUsed;
  if (update.drafted > 0) {
    reply.m_drafted = update.drafted;
    reply.m_accepted = update.accepted;
  }
  if (update.kvHeld > 0 && reply.m_path == m_model.path) m_cacheHeld = update.kvHeld;
  if (update.isLast()) {
    reply.m_pieces = update.span.pieces;
    return finish(*run, update.finished ? update.finished->timings : update.failed->timings);
  }
  if (&*run != followed()) return;
  // Tick together with the text, so that the window draws one frame for both.
  m_timer.start();
  if (run->phase != before || (++m_updates >= tickUpdates && millisecondsBetween(m_lastTick, Clock::now()) >= panelTickMs)) tick();
}

void PanelModel::addTokens(PanelRun& run, const ReplyUpdate& update) {
  for (const TokenMark& mark : update.tokens) {
    if (run.times.empty()) run.reply.m_ttftMs = mark.sinceLastMs;
    else run.gaps.push_back(mark.sinceLastMs);
    // Tokens of one step arrive together; each has its part of the time since the last one.
    run.times.push_back(run.times.empty() ? mark.time
                                          : run.times.back() + std::chrono::duration_cast<Clock::duration>(
                                                                   std::chrono::duration<float, std::milli>(mark.sinceLastMs)));
    run.phase = Decode;
  }
  run.reply.m_tokens = static_cast<int>(run.times.size());
}

void PanelModel::finish(PanelRun& run, const engine::Timings& timings) {
  compute(run);
  PanelReply& reply = run.reply;
  reply.m_decodeNow = unknown;
  reply.m_tokens = timings.generatedTokens;
  const auto orUnknown = [](double value, bool known) { return known ? value : unknown; };
  const bool any = timings.generatedTokens > 0, several = timings.generatedTokens > 1;
  reply.m_ttftMs = orUnknown(timings.ttftMs, any);
  const bool here = reply.m_server.isEmpty();
  reply.m_queueMs = orUnknown(timings.phases.queueMs, here);
  reply.m_templateMs = orUnknown(timings.templateMs, here);
  reply.m_tokenizeMs = orUnknown(timings.tokenizeMs, here);
  reply.m_prefillMs = orUnknown(timings.prefillMs, here || timings.prefillMs > 0);
  reply.m_decodeMs = orUnknown(timings.decodeMs, several);
  reply.m_replyMs = timings.wallMs;
  reply.m_prefillSpeed = orUnknown(timings.prefillTokensPerSecond, timings.prefillTokensPerSecond > 0);
  reply.m_decodeAverage = orUnknown(timings.decodeTokensPerSecond, several && timings.decodeTokensPerSecond > 0);
  const bool spread = several && (here || timings.decodeMs > 0);
  reply.m_p50 = orUnknown(timings.tpotP50, spread);
  reply.m_p95 = orUnknown(timings.tpotP95, spread);
  reply.m_p99 = orUnknown(timings.tpotP99, spread);
  const PanelRun ended = run;
  std::erase_if(m_runs, [&ended](const PanelRun& other) { return other.request == ended.request; });
  if (m_runs.empty()) m_timer.stop();
  if (ended.conversation != 0) m_lastOf[ended.conversation] = ended.reply;
  showFigures();
  if (m_passed && m_inference != nullptr) m_inference->bandwidthPassed(m_inference->device());
}

void PanelModel::tick() {
  m_lastTick = Clock::now();
  m_updates = 0;
  m_timer.start();
  if (++m_ticks % readProcessEveryTicks == 1) m_processBytes = residentBytes();
  const PanelRun* run = followed();
  if (run == nullptr) return;
  compute(m_runs[static_cast<std::size_t>(run - m_runs.data())]);
  showFigures();
}

// The figures that change with time and tokens.
void PanelModel::compute(PanelRun& run) const {
  PanelReply& reply = run.reply;
  reply.m_replyMs = millisecondsBetween(run.begun, Clock::now());
  if (run.times.size() < 2) return;
  const TimePoint first = run.times.front(), last = run.times.back();
  reply.m_decodeMs = millisecondsBetween(first, last);
  reply.m_decodeAverage = static_cast<double>(run.times.size() - 1) * 1000 / reply.m_decodeMs;
  // Over the second before the last token, by the engine's timestamps.
  auto from =
      std::find_if(run.times.begin(), run.times.end(), [last](TimePoint t) { return millisecondsBetween(t, last) <= panelWindowMs; });
  if (std::distance(from, run.times.end()) < 2) from = std::prev(run.times.end(), 2);
  reply.m_decodeNow = static_cast<double>(std::distance(from, run.times.end()) - 1) * 1000 / millisecondsBetween(*from, last);
  const Percentiles percentiles = percentilesOf(run.gaps);
  reply.m_p50 = percentiles.p50;
  reply.m_p95 = percentiles.p95;
  reply.m_p99 = percentiles.p99;
  reply.m_history = speedSeries(run.times, historyLength);
}

void PanelModel::refreshShare() {
  const double bytes = m_model.weightBytesPerToken + m_model.stateReads.bytesAt(m_contextUsed);
  // Another model that writes on, because it was in use when the reply began, has a ceiling of its own.
  const bool isPresent = m_path.isEmpty() || m_path == m_model.path;
  const double ceiling = isPresent && m_model.weightBytesPerToken > 0 ? m_measured.curve.timesPerSecond(bytes) : 0;
  // The weights are read once a step, and accepted tokens need none of their own.
  const double stepsPerToken = m_tokens > 0 ? 1.0 * (m_tokens - std::min(m_accepted, m_tokens - 1)) / m_tokens : 1;
  const double speed = stepsPerToken * (m_phase == Idle ? m_decodeAverage : m_decodeNow);
  m_passed = ceiling > 0 && speed > ceiling;
  const bool holds = ceiling > 0 && !m_passed;
  m_bandwidth = holds ? ceiling * bytes : unknown;
  m_bandwidthTime = holds ? m_measured.when : QDateTime();
  m_ceiling = holds ? ceiling : unknown;
  m_share = holds && speed > 0 ? speed / ceiling : unknown;
}

}  // namespace minerva::app
