#include "app/compare/server_columns.h"

#include "app/compare/compare_labels.h"
#include "app/text/text.h"
#include "core/base/percentile.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

double measuredOrNot(double value) { return value > 0 ? value : unknownFigure; }

// Speeds of a reply that did not end are of pieces of text.
void dropLiveSpeeds(CompareColumn& column) {
  column.pieces = false;
  column.speeds.clear();
  column.figures.decodeSpeed = unknownFigure;
}

bool isOver(const CompareColumn& column) {
  return column.stage == ColumnStage::done || column.stage == ColumnStage::stopped || column.stage == ColumnStage::failed;
}

// Greedy decoding needs no limits of the choice, and a strict server might refuse them.
engine::Request serverRequest(const CompareSettings& settings, std::size_t prompt) {
  engine::Request request;
  request.sampling = settings.sampling;
  if (settings.sampling.temperature <= 0) {
    request.sampling.topK = 0;
    request.sampling.topP = 1;
    request.sampling.minP = 0;
  }
  request.maxTokens = settings.maxTokens;
  request.chat.messages.push_back({{"role", "user"}, {"content", settings.prompts[static_cast<qsizetype>(prompt)].toStdString()}});
  return request;
}

}  // namespace

ServerColumns::~ServerColumns() {
  if (m_engine == nullptr) return;
  m_engine->setSink([](quint64, const engine::Event&, const RequestSpan&) {});
  for (const auto& [ticket, column] : std::exchange(m_running, {})) m_engine->cancel(ticket);
}

void ServerColumns::setEngine(OtherEngine* engine) {
  m_engine = engine;
  engine->setSink([this](quint64 ticket, const engine::Event& event, const RequestSpan& span) { hear(ticket, event, span); });
}

std::optional<CompareModel> ServerColumns::model(const QString& path) const {
  const auto subject = m_engine != nullptr ? m_engine->subject(path) : nullptr;
  if (subject == nullptr) return std::nullopt;
  return CompareModel{.path = path, .name = subject->model.name, .format = {}, .type = {}, .server = subject->model.server};
}

void ServerColumns::prepare(const std::vector<CompareModel>& models, const CompareSettings& settings) {
  m_settings = settings;
  m_columns.clear();
  m_begun = m_stopped = false;
  for (const CompareModel& model : models) {
    CompareColumn& column = m_columns.emplace_back();
    column.model = model;
    if (const auto now = this->model(model.path)) column.model = *now;  // it may have been renamed since
  }
  m_totals.assign(m_columns.size(), {});
}

void ServerColumns::begin() {
  m_begun = true;
  if (!m_settings.interleaved) return goOn();
  for (std::size_t i = 0; i < m_columns.size(); ++i) ask(i, 0);
}

// The next column, if none is running.
void ServerColumns::goOn() {
  if (m_settings.interleaved || m_stopped || !m_running.empty()) return;
  const auto next = std::ranges::find(m_columns, ColumnStage::waiting, &CompareColumn::stage);
  if (next != m_columns.end()) ask(static_cast<std::size_t>(next - m_columns.begin()), 0);
}

void ServerColumns::stop() {
  m_stopped = true;
  std::vector<quint64> tickets;
  for (const auto& [ticket, column] : m_running) tickets.push_back(ticket);
  for (const quint64 ticket : tickets) m_engine->cancel(ticket);
  for (CompareColumn& column : m_columns) {
    if (isOver(column)) continue;
    column.stage = ColumnStage::stopped;
    dropLiveSpeeds(column);
  }
}

bool ServerColumns::hasEnded() const { return std::ranges::all_of(m_columns, isOver); }

void ServerColumns::ask(std::size_t column, std::size_t prompt) {
  CompareColumn& c = m_columns[column];
  c.stage = ColumnStage::reading;
  c.progress = -1;
  c.prompt = static_cast<int>(prompt);
  c.replies.resize(prompt + 1);
  m_totals[column].pieces = 0;
  m_totals[column].isAnswering = false;
  const quint64 ticket = ++m_lastTicket;
  m_running[ticket] = column;
  m_engine->submit(ticket, c.model.path, serverRequest(m_settings, prompt));
}

void ServerColumns::hear(quint64 ticket, const engine::Event& event, const RequestSpan& span) {
  const auto running = m_running.find(ticket);
  if (running == m_running.end()) return;
  const std::size_t column = running->second;
  if (const auto* piece = std::get_if<engine::TokenEvent>(&event.body)) return hearPiece(column, *piece, !span.pieces);
  const auto* finished = std::get_if<engine::Finished>(&event.body);
  const auto* failed = std::get_if<engine::Failed>(&event.body);
  if (finished == nullptr && failed == nullptr) return;
  m_running.erase(running);
  if (m_stopped) return;  // stop() tells the rest
  if (failed != nullptr) {
    failColumn(column, failed->error);
  } else if (finished->reason == engine::FinishReason::cancelled) {
    failColumn(column, {.kind = ErrorKind::cancelled,
                        .what = "the connection to the server was closed by this program",
                        .where = {},
                        .expected = {},
                        .actual = {},
                        .hint = "Offline was turned on, or the server was removed (Settings, Network; Models, Servers)"});
  } else {
    replyEnded(column, finished->timings, !span.pieces);
  }
  goOn();
}

void ServerColumns::hearPiece(std::size_t column, const engine::TokenEvent& piece, bool isCounted) {
  CompareColumn& c = m_columns[column];
  Totals& totals = m_totals[column];
  CompareReply& reply = c.replies.back();
  c.stage = ColumnStage::writing;
  c.pieces = !isCounted;
  reply.text += text(piece.reasoning);
  if (!piece.text.empty() && !std::exchange(totals.isAnswering, true) && !reply.text.isEmpty()) reply.text += QStringLiteral("\n\n");
  reply.text += text(piece.text);
  ++totals.pieces;
  if (piece.index == 0) {
    reply.ttftMs = piece.millisecondsSinceLast;
    if (c.prompt == 0) columnBegun(c);
    return;
  }
  totals.intervals.push_back(piece.millisecondsSinceLast);
  if (totals.intervals.size() % 4 == 2) c.speeds = speedsOf(totals.intervals);
  if (!c.speeds.isEmpty()) c.figures.decodeSpeed = c.speeds.last().y();
}

// The first piece of the first reply.
void ServerColumns::columnBegun(CompareColumn& column) const {
  column.figures.ttftMs = column.replies.front().ttftMs;
  column.notes << tr("On %1: time to first token and speed are measured by this program, the network included. Load, memory, disk and "
                     "distances are not known")
                      .arg(column.model.server);
  if (m_settings.interleaved) column.notes << tr("Side by side: the other models ran meanwhile");
}

void ServerColumns::replyEnded(std::size_t column, const engine::Timings& timings, bool isCounted) {
  CompareColumn& c = m_columns[column];
  Totals& totals = m_totals[column];
  CompareReply& reply = c.replies.back();
  reply.promptTokens = timings.promptTokens;
  reply.generated = isCounted ? timings.generatedTokens : 0;
  reply.ttftMs = measuredOrNot(timings.ttftMs);
  reply.decodeSpeed = isCounted ? measuredOrNot(timings.decodeTokensPerSecond) : unknownFigure;
  totals.ttftMs += timings.ttftMs;
  totals.isCounted = totals.isCounted && isCounted;
  // The token that ends the turn has no text.
  const int unheard = timings.generatedTokens - totals.pieces;
  totals.isByToken = totals.isByToken && isCounted && (unheard == 0 || unheard == 1);
  if (timings.decodeMs > 0 && timings.generatedTokens > 1) {
    totals.decodeMs += timings.decodeMs;
    totals.decoded += timings.generatedTokens - 1;
  }
  const bool hasTimes = totals.decodeMs > 0;  // not of replies that came in one packet
  c.pieces = false;
  c.figures.ttftMs = measuredOrNot(totals.ttftMs / static_cast<double>(c.replies.size()));
  c.figures.decodeSpeed = totals.isCounted && hasTimes ? totals.decoded * 1e3 / totals.decodeMs : unknownFigure;
  std::vector<double> sorted = totals.intervals;
  std::ranges::sort(sorted);
  const bool hasIntervals = totals.isByToken && hasTimes;
  c.figures.tpotP50 = hasIntervals ? measuredOrNot(nearestRank(sorted, 50)) : unknownFigure;
  c.figures.tpotP95 = hasIntervals ? measuredOrNot(nearestRank(sorted, 95)) : unknownFigure;
  c.speeds = hasIntervals ? speedsOf(totals.intervals) : QList<QPointF>();
  if (c.replies.size() < static_cast<std::size_t>(m_settings.prompts.size())) ask(column, c.replies.size());
  else columnEnded(column);
}

void ServerColumns::columnEnded(std::size_t column) {
  CompareColumn& c = m_columns[column];
  c.stage = ColumnStage::done;
  if (!m_totals[column].isCounted) c.notes << tr("%1 tells no number of tokens: its speed is not known").arg(c.model.server);
  const auto subject = m_engine->subject(c.model.path);
  QStringList leftOut = subject != nullptr ? subject->model.leftOut : QStringList();
  for (const char* harmless : {"max_tokens", "stream_options", "top_p=1"})
    leftOut.removeAll(QLatin1String(harmless));  // the text is the same
  if (!leftOut.isEmpty()) c.notes << tr("%1 does not take: %2").arg(c.model.name, leftOut.join(QStringLiteral(", ")));
}

void ServerColumns::failColumn(std::size_t column, const minerva::Error& error) {
  CompareColumn& c = m_columns[column];
  c.stage = ColumnStage::failed;
  dropLiveSpeeds(c);
  c.error = ErrorInfo::from(error, tr("%1 could not be compared").arg(shownNameOf(c.model)));
}

}  // namespace minerva::app
