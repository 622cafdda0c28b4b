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
  const bool set = model.isSet();
  m_model = model;
  m_loadMs = set ? model.loadMs : unknown;
  m_weightBytes = set ? model.weightBytes : unknown;
  m_cacheBytes = set ? model.kvBytes : unknown;
  m_cacheHeld = unknown;
  m_cacheType = set ? model.cacheType : QString();
  m_scratchBytes = set ? model.scratchBytes : unknown;
  m_contextTotal = model.contextLength;
  if (!set) m_measured = {};
  m_lastOf.clear();
  clearReply();
  refreshShare();
  Q_EMIT historyChanged();
  Q_EMIT changed();
}

void PanelModel::clearReply() {
  m_times.clear();
  m_gaps.clear();
  static_cast<PanelReply&>(*this) = {};
}

void PanelModel::begin(quint64 request) {
  const int contextUsed = m_contextUsed;  // kept until the first token
  clearReply();
  m_contextUsed = contextUsed;
  m_request = request;
  m_conversation = 0;
  m_begun = m_lastTick = Clock::now();
  m_phase = Waiting;
  m_timer.start();
  Q_EMIT historyChanged();
  Q_EMIT changed();
}

void PanelModel::setConversation(quint64 request, qint64 conversation) {
  if (request == m_request) m_conversation = conversation;
}

// The figures of a running reply stay, whichever conversation is shown, because they are what the machine is doing.
void PanelModel::showConversation(qint64 conversation) {
  if (std::exchange(m_shown, conversation) != conversation && m_phase == Idle) showLast();
}

void PanelModel::showLast() {
  clearReply();
  static_cast<PanelReply&>(*this) = m_lastOf.value(m_shown);
  refreshShare();
  Q_EMIT historyChanged();
  Q_EMIT changed();
}

void PanelModel::take(const ReplyUpdate& update) {
  if (update.request != m_request) return;
  const Phase before = m_phase;
  if (update.started) {
    m_phase = Prefill;
    m_contextReused = update.started->reusedTokens;
    m_prefillTotal = update.started->promptTokens - update.started->reusedTokens;
  }
  if (update.prefill) {
    m_prefillDone = update.prefill->done;
    m_prefillTotal = update.prefill->total;
    m_prefillSpeed = update.prefill->tokensPerSecond;
  }
  for (const TokenMark& mark : update.tokens) {
    if (m_times.empty()) m_ttftMs = mark.sinceLastMs;
    else m_gaps.push_back(mark.sinceLastMs);
    // Tokens of one step arrive together; each has its part of the time since the last one.
    m_times.push_back(m_times.empty() ? mark.time
                                      : m_times.back() + std::chrono::duration_cast<Clock::duration>(
                                                             std::chrono::duration<float, std::milli>(mark.sinceLastMs)));
    m_phase = Decode;
  }
  m_tokens = static_cast<int>(m_times.size());
  if (update.contextUsed > 0) m_contextUsed = update.contextUsed;
  if (update.drafted > 0) {
    m_drafted = update.drafted;
    m_accepted = update.accepted;
  }
  if (update.kvHeld > 0) m_cacheHeld = update.kvHeld;
  if (update.finished) finish(update.finished->timings);
  if (update.failed) finish(update.failed->timings);
  if (m_phase == Idle) return;
  // Tick together with the text, so that the window draws one frame for both.
  m_timer.start();
  if (m_phase != before || (++m_updates >= tickUpdates && millisecondsBetween(m_lastTick, Clock::now()) >= panelTickMs)) tick();
}

void PanelModel::finish(const engine::Timings& timings) {
  tick();
  m_timer.stop();
  m_phase = Idle;
  m_decodeNow = unknown;
  m_tokens = timings.generatedTokens;
  const auto orUnknown = [](double value, bool known) { return known ? value : unknown; };
  const bool any = timings.generatedTokens > 0, several = timings.generatedTokens > 1;
  m_ttftMs = orUnknown(timings.ttftMs, any);
  m_queueMs = timings.phases.queueMs;
  m_templateMs = timings.templateMs;
  m_tokenizeMs = timings.tokenizeMs;
  m_prefillMs = timings.prefillMs;
  m_decodeMs = orUnknown(timings.decodeMs, several);
  m_replyMs = timings.wallMs;
  m_prefillSpeed = orUnknown(timings.prefillTokensPerSecond, timings.prefillTokensPerSecond > 0);
  m_decodeAverage = orUnknown(timings.decodeTokensPerSecond, several);
  m_p50 = orUnknown(timings.tpotP50, several);
  m_p95 = orUnknown(timings.tpotP95, several);
  m_p99 = orUnknown(timings.tpotP99, several);
  refreshShare();
  if (m_passed && m_inference != nullptr) m_inference->bandwidthPassed(m_inference->device());
  if (m_conversation != 0) m_lastOf[m_conversation] = *this;
  if (m_conversation != 0 && m_conversation != m_shown) return showLast();
  Q_EMIT changed();
}

void PanelModel::tick() {
  const TimePoint now = Clock::now();
  m_lastTick = now;
  m_updates = 0;
  m_timer.start();
  m_replyMs = millisecondsBetween(m_begun, now);
  if (m_times.size() > 1) {
    const TimePoint first = m_times.front(), last = m_times.back();
    m_decodeMs = millisecondsBetween(first, last);
    m_decodeAverage = static_cast<double>(m_times.size() - 1) * 1000 / m_decodeMs;
    // Over the second before the last token, by the engine's timestamps.
    auto from = std::find_if(m_times.begin(), m_times.end(), [last](TimePoint t) { return millisecondsBetween(t, last) <= panelWindowMs; });
    if (std::distance(from, m_times.end()) < 2) from = std::prev(m_times.end(), 2);
    m_decodeNow = static_cast<double>(std::distance(from, m_times.end()) - 1) * 1000 / millisecondsBetween(*from, last);
    const Percentiles percentiles = percentilesOf(m_gaps);
    m_p50 = percentiles.p50;
    m_p95 = percentiles.p95;
    m_p99 = percentiles.p99;
    m_history = speedSeries(m_times, historyLength);
    Q_EMIT historyChanged();
  }
  if (++m_ticks % readProcessEveryTicks == 1) m_processBytes = residentBytes();
  refreshShare();
  Q_EMIT changed();
}

void PanelModel::refreshShare() {
  const double bytes = m_model.weightBytesPerToken + m_model.stateReads.bytesAt(m_contextUsed);
  const double ceiling = m_model.weightBytesPerToken > 0 ? m_measured.curve.timesPerSecond(bytes) : 0;
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
