#include "app/remote/remote_reply.h"

#include "app/metrics/percentiles.h"
#include "app/remote/remote_refusal.h"
#include "app/remote/server_address.h"

#include <QSslError>

#include <algorithm>
#include <array>
#include <utility>

namespace minerva::app {
namespace {

constexpr qint64 readAtOnce = 64 * 1024;  // so that the window stays responsive
constexpr qint64 mostReplyBytes = 256LL << 20;
constexpr qsizetype mostRefusalBytes = 64 * 1024;
constexpr qsizetype mostWholeBytes = 16 << 20;  // of a reply that is not streamed

constexpr qsizetype mostOfOther = 120;

constexpr const char* keptSoFar = "Its text so far is kept; generate it again, or let the model continue it";

int httpStatusOf(const QNetworkReply& reply) { return reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt(); }
bool isGoodStatus(int status) { return status >= 200 && status < 300; }

enum class End { whole, length, filtered, broken, unknown };

struct EndRow {
  const char* reason;
  End end;
};
// What servers say where a reply ends; Gemini's reasons go on after a colon ("content_filter: RECITATION").
constexpr std::array endTable{EndRow{"stop", End::whole},
                              EndRow{"eos", End::whole},
                              EndRow{"eos_token", End::whole},
                              EndRow{"stop_sequence", End::whole},
                              EndRow{"end_turn", End::whole},
                              EndRow{"tool_calls", End::whole},
                              EndRow{"function_call", End::whole},
                              EndRow{"length", End::length},
                              EndRow{"max_tokens", End::length},
                              EndRow{"model_context_window_exceeded", End::length},  // Anthropic, GLM
                              EndRow{"content_filter", End::filtered},
                              EndRow{"refusal", End::filtered},      // Anthropic
                              EndRow{"sensitive", End::filtered},    // GLM
                              EndRow{"error", End::broken},          // OpenRouter
                              EndRow{"abort", End::broken},          // vLLM, SGLang
                              EndRow{"network_error", End::broken},  // GLM
                              EndRow{"function_call_filter", End::broken},
                              EndRow{"insufficient_system_resource", End::broken}};  // DeepSeek

End endOf(const QString& finish) {
  const QString word = finish.section(u':', 0, 0).trimmed();
  for (const EndRow& row : endTable)
    if (word.compare(QLatin1String(row.reason), Qt::CaseInsensitive) == 0) return row.end;
  return End::unknown;
}

}  // namespace

RemoteReply::RemoteReply(HubNetwork* network, Order order, Sink sink, QObject* parent)
    : QObject(parent), m_network(network), m_order(std::move(order)), m_sink(std::move(sink)) {
  m_silence.setSingleShot(true);
  m_more.setSingleShot(true);
  connect(&m_more, &QTimer::timeout, this, &RemoteReply::readSome);
  connect(&m_silence, &QTimer::timeout, this, [this] {
    failAfterText("The server has fallen silent", QStringLiteral("nothing for %1 s").arg(m_silence.interval() / 1000),
                  "It may be overloaded: see its log, and try again");
  });
}

RemoteReply::~RemoteReply() { dropReply(); }

void RemoteReply::start() {
  m_began = Clock::now();
  QMetaObject::invokeMethod(this, &RemoteReply::ask, Qt::QueuedConnection);
}

void RemoteReply::cancel() {
  if (!m_ended) finish(engine::FinishReason::cancelled);
}

std::string RemoteReply::whereText() const { return below(m_order.server, QStringLiteral("chat/completions")).toString().toStdString(); }

void RemoteReply::ask() {
  if (m_ended) return;
  const QUrl url = below(m_order.server, QStringLiteral("chat/completions"));
  if (std::optional<Error> refusal = m_network->refusalTo(url)) return failWith(*std::move(refusal));
  if (std::optional<Error> exposed = m_order.key.isEmpty() ? std::nullopt : exposesKey(url)) return failWith(*std::move(exposed));
  Result<ChatBody> body = chatBody(m_order.request, m_order.model, m_order.leftOut);
  if (!body) return failWith(std::move(body.error()));
  m_body.clear();
  m_reply = m_network->send({.url = url, .why = QStringLiteral("chat with %1").arg(m_order.name), .key = m_order.key, .json = body->json});
  m_sent = *std::move(body);
  // Only noted: a connection whose certificate is wrong is closed before anything is sent.
  connect(m_reply, &QNetworkReply::sslErrors, this,
          [this](const QList<QSslError>& errors) { m_certificate = errors.first().errorString(); });
  connect(m_reply, &QNetworkReply::readyRead, this, &RemoteReply::readSome);
  connect(m_reply, &QNetworkReply::finished, this, &RemoteReply::readSome);
  m_silence.start(m_order.patience.firstMs);
}

void RemoteReply::readSome() {
  if (!m_reply || m_ended) return;
  if (m_reply->bytesAvailable() > 0) {
    const QByteArray bytes = m_reply->read(readAtOnce);
    m_received += bytes.size();
    m_reply->setProperty("received", m_received);
    takeBody(bytes);
    if (m_ended) return;
    // Until text begins, the longer patience: some servers say that they are there, and then read the prompt.
    m_silence.start(m_pieces > 0 ? m_order.patience.nextMs : m_order.patience.firstMs);
  }
  if (!m_reply) return;
  if (m_reply->bytesAvailable() > 0) m_more.start(0);
  else if (m_reply->isFinished()) connectionEnded();
}

void RemoteReply::takeBody(const QByteArray& bytes) {
  if (!isGoodStatus(httpStatusOf(*m_reply))) {
    m_body += bytes.left(mostRefusalBytes - m_body.size());
    if (m_body.size() >= mostRefusalBytes) refused();
    return;
  }
  if (m_received > mostReplyBytes)
    return failAfterText("The reply is too long", QStringLiteral("more than %1 bytes").arg(mostReplyBytes),
                         "Shorten replies in the settings");
  if (m_reply->header(QNetworkRequest::ContentTypeHeader).toString().contains(QLatin1String("json"), Qt::CaseInsensitive)) {
    m_body += bytes;  // a server that does not stream
    if (m_body.size() > mostWholeBytes)
      failAfterText("The reply is too long", QStringLiteral("more than %1 bytes").arg(mostWholeBytes), "Shorten replies in the settings");
    return;
  }
  const Result<QList<SseEvent>> events = m_reader.take(bytes);
  if (!events) return failWith(events.error());
  takeEvents(*events);
}

void RemoteReply::takeEvents(const QList<SseEvent>& events) {
  std::vector<ChatDelta> deltas;
  for (const SseEvent& event : events) {
    Result<ChatDelta> delta = readDelta(event.data, m_figures);
    const bool isRefusal = event.name == "error" || (delta && !delta->error.isEmpty());
    if (!delta || isRefusal) {
      speak(std::move(deltas));
      if (!isRefusal) return failWith(std::move(delta.error()));
      return failAfterText("The server reports an error", delta && !delta->error.isEmpty() ? delta->error : refusalIn(event.data),
                           "See the server's own log");
    }
    if (delta->isOther && m_other.isEmpty()) m_other = QString::fromUtf8(event.data.left(mostOfOther)).simplified();
    if (!delta->finish.isEmpty()) m_finish = delta->finish;
    if (delta->says()) deltas.push_back(*std::move(delta));
  }
  speak(std::move(deltas));
  if (m_reader.isDone() && !m_ended) endOfStream();
}

// Pieces that arrived together share the time since those before them.
void RemoteReply::speak(std::vector<ChatDelta> deltas) {
  if (deltas.empty() || m_ended) return;
  const TimePoint now = Clock::now();
  const bool isFirst = m_pieces == 0;
  const double since = millisecondsBetween(isFirst ? m_began : m_last, now);
  const double share = isFirst ? 0 : since / static_cast<double>(deltas.size());
  if (isFirst) m_first = now;
  m_last = now;
  for (ChatDelta& delta : deltas) {
    engine::TokenEvent piece{
        .token = 0, .text = {}, .index = m_pieces, .millisecondsSinceLast = m_pieces == 0 ? since : share, .contextUsed = 0};
    if (m_pieces > 0) m_gaps.push_back(static_cast<float>(share));
    if (!delta.content.empty()) piece.calls = m_calls.take();
    for (const CallPart& part : delta.calls) m_calls.add(part);
    piece.text = std::move(delta.content);
    piece.reasoning = std::move(delta.reasoning);
    ++m_pieces;
    m_sink({.request = 0, .time = now, .body = std::move(piece)});
    if (m_ended) return;
  }
}

void RemoteReply::connectionEnded() {
  if (!isGoodStatus(httpStatusOf(*m_reply))) return refused();
  const bool cut = m_reply->error() != QNetworkReply::NoError;
  if (!m_body.isEmpty() && !cut) {
    takeEvents({{.name = {}, .data = m_body}});
  } else if (const Result<SseEvent> last = m_reader.end(); last && readDelta(last->data, m_figures)) {  // it may have been cut off
    takeEvents({*last});
  }
  if (!m_ended) endOfStream();
}

// Without a reason for its end, the text may be only the beginning of the reply.
void RemoteReply::endOfStream() {
  const End end = endOf(m_finish);
  if (end == End::filtered)
    return failAfterText(m_pieces == 0 ? "The server held the reply back" : "The server cut the reply short", m_finish,
                         "Its filter objects to the conversation: put the question differently");
  if (end == End::broken) return failAfterText("The reply broke off", m_finish, keptSoFar);
  if (!m_finish.isEmpty() && end == End::unknown && m_pieces == 0)
    return failAfterText("The server ended the reply before its text", m_finish, "Put the question differently, or see the server's log");
  if (!m_finish.isEmpty() || (m_reader.isDone() && m_pieces > 0))
    return finish(end == End::length ? engine::FinishReason::length : engine::FinishReason::endOfTurn);
  const QString network =
      m_reply && m_reply->error() != QNetworkReply::NoError ? m_reply->errorString() : QStringLiteral("the end of the connection");
  if (m_received == 0 || m_pieces == 0)
    return failAfterText("The server sent no reply",
                         m_received == 0      ? QStringLiteral("nothing")
                         : !m_other.isEmpty() ? m_other
                                              : QStringLiteral("%1 bytes without text").arg(m_received),
                         "Check that the address is that of an OpenAI-compatible interface, and see the server's log");
  failAfterText("The reply broke off", network, keptSoFar);
}

void RemoteReply::refused() {
  ServerAnswer answer = serverAnswerOf(*m_reply);
  answer.certificate = m_certificate;
  answer.body = m_body;
  answer.keySent = !m_order.key.isEmpty();
  answer.model = m_order.model;
  answer.effort = QString::fromStdString(reasoningEffortOf(m_order.request));
  const QStringList named = answer.status == 400 || answer.status == 422 ? fieldsNamedIn(m_body, m_sent) : QStringList();
  if (named.isEmpty()) return failWith(explainServer(answer));
  dropReply();
  m_order.leftOut += named;  // fewer optional fields are left each time, so this ends
  m_received = 0;
  Q_EMIT fieldsRefused(named);
  ask();
}

engine::Timings RemoteReply::timings() const {
  engine::Timings timings;  // without arrival: the phases within the server are not known
  timings.wallMs = millisecondsBetween(m_began, Clock::now());
  timings.promptTokens = std::max(0, m_figures.promptTokens);
  timings.reusedTokens = std::max(0, m_figures.cachedTokens);
  timings.reasoningTokens = std::max(0, m_figures.reasoningTokens);
  timings.generatedTokens = isCounted() ? m_figures.generatedTokens : m_pieces;
  timings.prefillMs = std::max(0.0, m_figures.prefillMs);
  timings.prefillTokensPerSecond = std::max(0.0, m_figures.prefillTokensPerSecond);
  if (m_pieces == 0) return timings;
  timings.ttftMs = millisecondsBetween(m_began, m_first);
  timings.decodeMs = millisecondsBetween(m_first, m_last);
  if (timings.decodeMs > 0 && timings.generatedTokens > 1)
    timings.decodeTokensPerSecond = (timings.generatedTokens - 1) * 1000.0 / timings.decodeMs;
  if (m_gaps.empty() || timings.decodeMs <= 0) return timings;  // a reply in one packet has no times of pieces
  const Percentiles percentiles = percentilesOf(m_gaps);
  timings.tpotP50 = percentiles.p50;
  timings.tpotP95 = percentiles.p95;
  timings.tpotP99 = percentiles.p99;
  return timings;
}

void RemoteReply::finish(engine::FinishReason reason) {
  m_ended = true;
  if (m_reply && reason != engine::FinishReason::cancelled) m_reply->setProperty("complete", true);
  dropReply();
  engine::Finished finished{.reason = reason, .tail = {}, .timings = timings()};
  if (reason != engine::FinishReason::cancelled) finished.callsTail = m_calls.take();
  if (m_figures.promptTokens > 0 && isCounted()) finished.contextUsed = m_figures.promptTokens + m_figures.generatedTokens;
  m_sink({.request = 0, .time = Clock::now(), .body = std::move(finished)});
}

void RemoteReply::failAfterText(const char* what, const QString& actual, const char* hint) {
  failWith({.kind = ErrorKind::io,
            .what = what,
            .where = whereText(),
            .expected = "a reply and its end",
            .actual = actual.toStdString(),
            .hint = hint});
}

void RemoteReply::failWith(Error error) {
  if (m_ended) return;
  m_ended = true;
  dropReply();
  m_sink({.request = 0, .time = Clock::now(), .body = engine::Failed{.error = std::move(error), .timings = timings()}});
}

void RemoteReply::dropReply() {
  m_silence.stop();
  m_more.stop();
  abandon(m_reply, this);
}

}  // namespace minerva::app
