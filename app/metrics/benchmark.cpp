#include "app/metrics/benchmark.h"

#include "core/base/percentile.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace minerva::app {
namespace {

constexpr int fewestPromptTokens = 16;
constexpr std::uint64_t idsUsed = 256;  // every vocabulary has at least these ids; the speed does not depend on the ids
constexpr double prefillPart = 0.3;     // of a repetition's progress
// Never clashes with ids of chat conversations, which are small.
constexpr quint64 firstConversation = std::uint64_t{1} << 62;

// Smallest value, median by the nearest-rank method, and largest value.
struct TimingSpread {
  double low, median, high;
};
TimingSpread timingSpread(const std::vector<engine::Timings>& timings, double engine::Timings::*figure) {
  std::vector<double> values;
  for (const engine::Timings& t : timings) values.push_back(t.*figure);
  std::sort(values.begin(), values.end());
  return {values.front(), nearestRank(values, 50), values.back()};
}

}  // namespace

Benchmark::Benchmark(ReplySource* source, const ReplyRecorder* recorder, QObject* parent)
    : QObject(parent), m_source(source), m_recorder(recorder), m_conversation(firstConversation) {
  connect(source, &ReplySource::submitted, this, [this](quint64 request) {
    m_active.insert(request);
    Q_EMIT changed();
  });
  connect(source, &ReplySource::updated, this, &Benchmark::take);
  connect(source, &ReplySource::readyChanged, this, &Benchmark::changed);
}

bool Benchmark::canRun() const { return m_source->isReady() && m_source->serverName().isEmpty() && m_active.isEmpty() && !isRunning(); }

QString Benchmark::stage() const {
  if (!isRunning()) return {};
  return m_done < 0 ? tr("Warming up") : tr("Repetition %1 of %2").arg(m_done + 1).arg(repetitions);
}

int Benchmark::promptLength() const {
  const int context = m_recorder->contextLength();
  return context > 0 ? std::min(promptTokens, context - decodeTokens - 2) : promptTokens;
}

void Benchmark::run() {
  if (!canRun()) return;
  m_error = {};
  if (promptLength() < fewestPromptTokens) {
    m_error = ErrorInfo::from({.kind = ErrorKind::invalidArgument,
                               .what = "The context is too short for a benchmark",
                               .where = "context",
                               .expected = std::to_string(fewestPromptTokens + decodeTokens + 2) + " tokens or more",
                               .actual = std::to_string(m_recorder->contextLength()),
                               .hint = "choose a longer context in the settings and load the model again"},
                              tr("The benchmark cannot run"));
    Q_EMIT changed();
    return;
  }
  m_done = -1;
  m_progress = 0;
  m_cancelled = false;
  m_timings.clear();
  m_intervals.clear();
  next();
}

void Benchmark::next() {
  engine::Request request;
  for (int i = promptLength(); i > 0; --i) request.tokens.push_back(static_cast<engine::TokenId>(m_random() % idsUsed));
  request.sampling.temperature = 0;
  request.maxTokens = decodeTokens + 1;  // the first token belongs to prefill
  request.ignoreEndOfTurn = true;
  request.drafts = false;
  request.conversation = ++m_conversation;
  m_tokens = 0;
  m_ticket = m_source->submit(std::move(request));
  Q_EMIT changed();
}

void Benchmark::cancel() {
  if (!isRunning()) return;
  m_cancelled = true;
  m_source->cancel(m_ticket);
}

void Benchmark::take(const ReplyUpdate& update) {
  if (update.isLast()) m_active.remove(update.request);
  if (!isRunning() || update.request != m_ticket) {
    if (update.isLast()) Q_EMIT changed();
    return;
  }
  for (const TokenMark& mark : update.tokens)
    if (m_tokens++ > 0 && m_done >= 0) m_intervals.push_back(mark.sinceLastMs);
  double part = prefillPart * (m_tokens > 0 ? 1 : 0);
  if (m_tokens == 0 && update.prefill && update.prefill->total > 0) part = prefillPart * update.prefill->done / update.prefill->total;
  part += (1 - prefillPart) * std::min(m_tokens, decodeTokens) / decodeTokens;
  m_progress = std::max(m_progress, (m_done + 1 + part) / (repetitions + 1));
  if (!update.isLast()) return Q_EMIT changed();
  m_ticket = 0;
  if (update.failed && update.failed->error.kind != ErrorKind::cancelled)
    m_error = ErrorInfo::from(update.failed->error, tr("The benchmark failed"));
  if (update.failed || m_cancelled || update.finished->reason == engine::FinishReason::cancelled) return Q_EMIT changed();
  m_subject = update.span.subject;
  takeRepetition(update.finished->timings);
}

void Benchmark::takeRepetition(const engine::Timings& timings) {
  if (m_done >= 0) m_timings.push_back(timings);
  if (++m_done < repetitions) return next();
  finish();
  Q_EMIT changed();
}

void Benchmark::finish() {
  ReplyRecord record;
  record.kind = ReplyRecord::Kind::benchmark;
  record.created = QDateTime::currentDateTimeUtc();
  record.end = QString::fromLatin1(engine::name(engine::FinishReason::length));
  record.repetitions = static_cast<int>(m_timings.size());
  record.promptTokens = m_timings.front().promptTokens;
  record.generatedTokens = m_timings.front().generatedTokens;
  const TimingSpread prefill = timingSpread(m_timings, &engine::Timings::prefillTokensPerSecond);
  const TimingSpread decode = timingSpread(m_timings, &engine::Timings::decodeTokensPerSecond);
  const TimingSpread ttft = timingSpread(m_timings, &engine::Timings::ttftMs);
  std::tie(record.prefillLow, record.prefillSpeed, record.prefillHigh) = std::tie(prefill.low, prefill.median, prefill.high);
  std::tie(record.decodeLow, record.decodeSpeed, record.decodeHigh) = std::tie(decode.low, decode.median, decode.high);
  std::tie(record.ttftLow, record.ttftMs, record.ttftHigh) = std::tie(ttft.low, ttft.median, ttft.high);
  std::vector<double> sorted(m_intervals.begin(), m_intervals.end());
  std::sort(sorted.begin(), sorted.end());
  record.p50 = nearestRank(sorted, 50);
  record.p95 = nearestRank(sorted, 95);
  record.p99 = nearestRank(sorted, 99);
  record.intervals = m_intervals;
  record.stalls = static_cast<double>(stallsIn(m_intervals).size());
  if (m_subject) m_recorder->describe(record, *m_subject);
  Q_EMIT measured(record);
}

void Benchmark::dismissError() {
  m_error = {};
  Q_EMIT changed();
}

}  // namespace minerva::app
