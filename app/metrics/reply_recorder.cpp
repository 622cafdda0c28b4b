#include "app/metrics/reply_recorder.h"

#include "app/inference/inference_controller.h"

#include <QQuickWindow>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

double orUnknown(double value, bool known) { return known ? value : notMeasured; }

}  // namespace

void ReplyRecorder::describe(ReplyRecord& record, const Subject& subject, int accepted) const {
  const ModelFacts& model = subject.model;
  record.model = model.name;
  record.path = model.path;
  record.format = model.format;
  record.type = model.type;
  record.device = subject.device.text;
  record.deviceId = subject.device.uuid.isEmpty() ? subject.device.id : subject.device.uuid;
  record.bitsPerWeight = orUnknown(model.bitsPerWeight, model.bitsPerWeight > 0);
  record.modelLoadMs = orUnknown(model.loadMs, model.loadMs > 0);
  if (m_inference == nullptr) return;
  // A step reads all weights and the states so far: on average the positions of the prompt and half of the reply.
  const double positions = record.promptTokens + 0.5 * record.generatedTokens;
  const double bytes = model.weightBytesPerToken + model.stateReads.bytesAt(positions);
  const backend::BandwidthCurve curve = m_inference->bandwidths().of(subject.device.bandwidthKey).curve;
  const double ceiling = model.weightBytesPerToken > 0 ? curve.timesPerSecond(bytes) : 0;
  // Steps read them, and an accepted token of a draft has no step of its own.
  const int tokens = std::max(1, record.generatedTokens);
  const double steps = record.decodeSpeed * (tokens - std::min(accepted, tokens - 1)) / tokens;
  if (!(ceiling > 0) || steps > ceiling) return;
  record.bandwidth = ceiling * bytes;
  record.share = steps / ceiling;
}

ReplyRecorder::ReplyRecorder(ReplySource* source, InferenceController* inference, QObject* parent)
    : QObject(parent), m_inference(inference) {
  connect(source, &ReplySource::updated, this, &ReplyRecorder::take);
  m_noFrame.setSingleShot(true);
  m_noFrame.setInterval(frameWithinMs);
  connect(&m_noFrame, &QTimer::timeout, this, [this] { complete(m_ended ? m_ended->delivered : TimePoint{}); });
}

void ReplyRecorder::follow(quint64 request, qint64 message) {
  Following& reply = m_following[request];
  reply.message = message;
  if (m_inference != nullptr) reply.subject = {m_inference->model(), m_inference->device()};
}

int ReplyRecorder::contextLength() const { return m_inference != nullptr ? m_inference->model().contextLength : 0; }

// The signals are emitted on the render thread. A frame that was being drawn when the text arrived does not contain it, so
// wait for the first frame synchronized after that.
void ReplyRecorder::setWindow(QQuickWindow* window) {
  m_window = window;
  connect(
      window, &QQuickWindow::afterSynchronizing, this,
      [this] {
        auto wanted = Frame::wanted;
        m_frame.compare_exchange_strong(wanted, Frame::synchronized);
      },
      Qt::DirectConnection);
  connect(
      window, &QQuickWindow::frameSwapped, this,
      [this] {
        auto synchronized = Frame::synchronized;
        if (!m_frame.compare_exchange_strong(synchronized, Frame::none)) return;
        QMetaObject::invokeMethod(
            this, [this, shown = Clock::now()] { complete(shown); }, Qt::QueuedConnection);
      },
      Qt::DirectConnection);
}

void ReplyRecorder::take(const ReplyUpdate& update) {
  const auto found = m_following.find(update.request);
  if (found == m_following.end()) return;
  for (const TokenMark& mark : update.tokens)
    if (!std::exchange(found->first, false)) found->intervals.push_back(mark.sinceLastMs);
  if (!update.isLast()) return;
  const Following reply = *found;
  m_following.erase(found);
  end(reply, update);
}

void ReplyRecorder::end(const Following& reply, const ReplyUpdate& update) {
  if (m_ended) complete(m_ended->delivered);
  const engine::Timings& t = update.finished ? update.finished->timings : update.failed->timings;
  const bool any = t.generatedTokens > 0, several = t.generatedTokens > 1, counted = !update.span.pieces;
  ReplyRecord record;
  record.message = reply.message;
  record.created = QDateTime::currentDateTimeUtc();
  record.end = update.finished ? QString::fromLatin1(engine::name(update.finished->reason)) : QStringLiteral("failed");
  record.promptTokens = t.promptTokens;
  record.reusedTokens = t.reusedTokens;
  record.generatedTokens = counted ? t.generatedTokens : 0;
  record.prefillSpeed = orUnknown(t.prefillTokensPerSecond, t.prefillTokensPerSecond > 0);
  record.decodeSpeed = orUnknown(t.decodeTokensPerSecond, several && counted && t.decodeTokensPerSecond > 0);
  record.ttftMs = orUnknown(t.ttftMs, any);
  const bool spread = several && (t.tpotP99 > 0 || t.arrival != TimePoint{});  // a server's reply may arrive in one piece
  record.p50 = orUnknown(t.tpotP50, spread);
  record.p95 = orUnknown(t.tpotP95, spread);
  record.p99 = orUnknown(t.tpotP99, spread);
  record.intervals = reply.intervals;
  record.stalls = orUnknown(static_cast<double>(stallsIn(reply.intervals).size()), several);
  describe(record, update.span.subject ? *update.span.subject : reply.subject, t.acceptedTokens);
  m_ended = Ended{record, t, update.span, update.ended, Clock::now()};
  if (m_window == nullptr || !m_window->isExposed()) return complete(m_ended->delivered);
  m_frame = Frame::wanted;
  m_noFrame.start();
}

void ReplyRecorder::complete(TimePoint shown) {
  m_frame = Frame::none;
  m_noFrame.stop();
  if (!m_ended) return;
  Ended ended = *std::exchange(m_ended, std::nullopt);
  shown = std::max(shown, ended.delivered);
  // A request that never reached an engine has no timestamps.
  if (ended.timings.arrival != TimePoint{} && ended.span.sent != TimePoint{})
    ended.record.phases = phasesOf(ended.timings, ended.span.sent, ended.span.loadMs, ended.ended, shown);
  Q_EMIT recorded(ended.record);
}

}  // namespace minerva::app
