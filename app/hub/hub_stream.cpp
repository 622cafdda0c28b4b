#include "app/hub/hub_stream.h"

#include "app/text/error_words.h"

#include <QNetworkRequest>
#include <QRandomGenerator>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr int mostRedirects = 10;
constexpr qint64 chunk = 256 * 1024;
constexpr qint64 progressCounts = 64 * 1024;  // receiving as much resets the failure count
constexpr qint64 longestListBytes = 64 << 20;
constexpr int longestAskedWaitS = 300;
constexpr int paceMs = 20;

QByteArray bareEtag(QByteArray etag) {
  if (etag.startsWith("W/")) etag.remove(0, 2);
  return etag.replace('"', "").trimmed();
}

Error wrongAnswer(const QUrl& url, const char* what, const QString& expected, const QString& actual) {
  return {.kind = ErrorKind::io,
          .what = what,
          .where = url.toString(QUrl::RemoveQuery).toStdString(),
          .expected = expected.toStdString(),
          .actual = actual.toStdString(),
          .hint = "a proxy or firewall may be answering instead of the hub; try again"};
}

// Without what was expected: the line that shows it is short.
QString shortReason(const Error& error) {
  return error.actual.empty() ? shownSentence(error.what) : shownSentence(error.what) + QStringLiteral(": ") + shownFigure(error.actual);
}

}  // namespace

HubStream::HubStream(HubNetwork* network, Order order, Head head, Take take, QObject* parent)
    : QObject(parent),
      m_network(network),
      m_order(std::move(order)),
      m_head(std::move(head)),
      m_take(std::move(take)),
      m_position(m_order.from) {
  if (m_order.to >= 0) m_expected = m_order.to + 1;
  for (QTimer* timer : {&m_silence, &m_stall, &m_pace, &m_wait}) timer->setSingleShot(true);
  connect(&m_silence, &QTimer::timeout, this, [this] {
    if (m_reply) Q_EMIT waiting(tr("no answer from %1").arg(m_reply->url().host()), {}, std::max(1, m_stall.remainingTime()));
  });
  connect(&m_stall, &QTimer::timeout, this, [this] {
    if (m_reply) m_reply->abort();
  });
  connect(this, &HubStream::waiting, this, [this] { m_waited = true; });
  connect(&m_pace, &QTimer::timeout, this, &HubStream::readSome);
  connect(&m_wait, &QTimer::timeout, this, [this] { ask(m_order.url); });
}

HubStream::~HubStream() { dropReply(); }

void HubStream::start() { m_wait.start(0); }

void HubStream::stop() {
  m_ended = true;
  m_wait.stop();
  dropReply();
}

void HubStream::dropReply() {
  m_silence.stop();
  m_stall.stop();
  m_pace.stop();
  abandon(m_reply, this);
}

void HubStream::ask(const QUrl& url) {
  if (const std::optional<Error> refusal = m_network->refusal()) return end(*refusal);
  m_fromHub = m_network->access.isHub(url);
  m_checked = false;
  m_receivedHere = 0;
  m_skip = 0;
  m_whole.clear();
  const bool part = m_order.ranged;
  m_reply = m_network->get(url, m_order.why, part ? m_position : 0, part ? m_order.to : -1);
  connect(m_reply, &QNetworkReply::metaDataChanged, this, [this] {
    m_silence.stop();
    if (std::exchange(m_waited, false)) Q_EMIT answered();
  });
  connect(m_reply, &QNetworkReply::readyRead, this, &HubStream::readSome);
  connect(m_reply, &QNetworkReply::finished, this, &HubStream::finished);
  m_stall.start(m_network->patience.stallMs);
  m_silence.start(m_network->patience.silenceMs);
}

// Validates the headers of a 200 or 206 response.
Result<void> HubStream::checkAnswer() {
  m_checked = true;
  const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  const qint64 length = m_reply->header(QNetworkRequest::ContentLengthHeader).isValid()
                            ? m_reply->header(QNetworkRequest::ContentLengthHeader).toLongLong()
                            : -1;
  if (const QByteArray coding = m_reply->rawHeader("Content-Encoding").toLower(); !coding.isEmpty() && coding != "identity")
    return fail(wrongAnswer(m_reply->url(), "the data is encoded, although no encoding was requested", QStringLiteral("identity"),
                            QString::fromLatin1(coding)));
  qint64 total = length;
  if (status == 206) {
    static const QRegularExpression pattern(QStringLiteral("^bytes (\\d+)-(\\d+)/(\\d+|\\*)$"));
    const QString range = QString::fromLatin1(m_reply->rawHeader("Content-Range"));
    const auto match = pattern.match(range);
    if (!match.hasMatch() || match.captured(1).toLongLong() != m_position)
      return fail(wrongAnswer(m_reply->url(), "the server sent a different byte range than requested",
                              QStringLiteral("bytes from %1").arg(m_position), range));
    total = match.captured(3) == QLatin1String("*") ? -1 : match.captured(3).toLongLong();
  } else if (m_order.ranged) {
    m_skip = m_position;  // the server ignored the range and sends the whole file
  }
  if (m_said.size < 0 && m_fromHub && total >= 0) m_said.size = total;
  if (m_said.etag.isEmpty() && m_fromHub) m_said.etag = bareEtag(m_reply->rawHeader("ETag"));
  if (total >= 0 && m_said.size >= 0 && total != m_said.size && m_order.ranged)
    return fail(wrongAnswer(m_reply->url(), "the server sends a file of a different size", QStringLiteral("%1 bytes").arg(m_said.size),
                            QStringLiteral("%1 bytes").arg(total)));
  static const QRegularExpression next(QStringLiteral("<([^>]+)>;\\s*rel=\"next\""));
  m_said.nextPage = next.match(QString::fromUtf8(m_reply->rawHeader("Link"))).captured(1).toUtf8();
  if (m_expected < 0 && m_order.ranged) m_expected = m_said.size >= 0 ? m_said.size : total;
  return {};
}

void HubStream::readSome() {
  if (!m_reply || m_ended) return;
  const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  if (status != 200 && status != 206) return;  // redirects and errors are handled in finished()
  if (!m_checked) {
    if (const Result<void> good = checkAnswer(); !good) return fault(good.error());
    if (m_head)
      if (const Result<void> wanted = m_head(m_said); !wanted) return end(wanted.error());
    if (m_ended || !m_reply) return;
  }
  while (m_reply && m_reply->bytesAvailable() > 0) {
    qint64 most = chunk;
    if (m_order.limited) most = std::min(most, m_network->limit.allowance(m_network->now()));
    if (most == 0) return m_pace.start(paceMs);
    const QByteArray bytes = m_reply->read(most);
    if (bytes.isEmpty()) break;
    m_stall.start(m_network->patience.stallMs);
    m_received += bytes.size();
    m_receivedHere += bytes.size();
    m_reply->setProperty("received", m_receivedHere);
    if (m_order.limited) m_network->limit.spend(bytes.size());
    if (const Result<void> taken = deliver(bytes); !taken) return end(taken.error());
    if (m_ended) return;
  }
  if (m_reply && m_reply->isFinished()) finished();
}

Result<void> HubStream::deliver(QByteArray bytes) {
  if (!m_order.ranged) {
    if (m_whole.size() + bytes.size() > longestListBytes)
      return fail(
          wrongAnswer(m_order.url, "the answer is too long for a list", QStringLiteral("at most %1 bytes").arg(longestListBytes), {}));
    m_whole += bytes;
    return {};
  }
  if (m_skip > 0) {
    const qint64 known = std::min<qint64>(m_skip, bytes.size());
    m_skip -= known;
    bytes.remove(0, known);
  }
  if (m_expected >= 0 && m_position + bytes.size() > m_expected) bytes.truncate(m_expected - m_position);
  if (bytes.isEmpty()) return {};
  m_position += bytes.size();
  if (m_receivedHere >= progressCounts) m_failures = 0;
  const Result<void> taken = m_take(bytes);
  if (taken && m_position == m_expected && !m_ended) end(std::nullopt);
  return taken;
}

void HubStream::finished() {
  if (!m_reply || m_ended) return;
  const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  if (status == 200 || status == 206) {
    if (m_reply->bytesAvailable() > 0 || !m_checked) {
      if (m_pace.isActive()) return;  // readSome() calls finished() again when the rate limit allows
      readSome();
      if (!m_reply || m_ended || m_reply->bytesAvailable() > 0) return;
    }
    const bool cut = m_reply->error() != QNetworkReply::NoError;
    if (!cut && !m_order.ranged) {
      if (const Result<void> taken = m_take(m_whole); !taken) return end(taken.error());
      return end(std::nullopt);
    }
    if (m_position == m_expected || (!cut && m_expected < 0)) return end(std::nullopt);
    return retry(answerOf(*m_reply, m_fromHub, m_network->tokenSourceFor(m_reply->url())));  // connection closed too early
  }
  const QUrl target = m_reply->attribute(QNetworkRequest::RedirectionTargetAttribute).toUrl();
  if (status >= 300 && status < 400 && target.isValid()) return follow(m_reply->url().resolved(target));
  const HubAnswer answer = answerOf(*m_reply, m_fromHub, m_network->tokenSourceFor(m_reply->url()));
  if (!worthRepeating(answer)) return end(explain(answer));
  retry(answer);
}

void HubStream::follow(const QUrl& target) {
  if (m_fromHub) {
    if (const QByteArray etag = bareEtag(m_reply->rawHeader("X-Linked-Etag")); !etag.isEmpty()) m_said.etag = etag;
    bool isNumber = false;
    if (const qint64 size = m_reply->rawHeader("X-Linked-Size").toLongLong(&isNumber); isNumber && size >= 0) m_said.size = size;
  }
  const bool less_safe = m_network->access.endpoint.scheme() == QLatin1String("https") && target.scheme() != QLatin1String("https");
  const QUrl here = m_reply->url();
  dropReply();
  if (less_safe || (target.scheme() != QLatin1String("https") && target.scheme() != QLatin1String("http")))
    return end(wrongAnswer(here, "the hub redirects to an insecure address", QStringLiteral("https"), target.scheme()));
  if (++m_redirects > mostRedirects)
    return end(wrongAnswer(here, "the hub redirects too many times", QStringLiteral("at most %1 redirects").arg(mostRedirects), {}));
  ask(target);
}

void HubStream::fault(const Error& error) {
  dropReply();
  if (++m_failures >= m_network->patience.tries) return end(error);
  m_redirects = 0;
  const int wait = std::min(m_network->patience.longestWaitMs, m_network->patience.firstWaitMs << std::min(m_failures - 1, 16));
  Q_EMIT waiting(shortReason(error), shownSentence(error.hint), wait);
  m_wait.start(wait);
}

// Retries start at the hub's own URL: a signed link may have expired, and a fresh one costs only a small request.
void HubStream::retry(const HubAnswer& answer) {
  const Patience& patience = m_network->patience;
  const bool expired = !answer.fromHub && answer.status >= 400 && answer.status < 500 && answer.status != 429;
  dropReply();
  ++m_failures;
  if (m_failures >= patience.tries) return end(explain(answer));
  m_redirects = 0;
  if (expired && m_failures <= 1) return m_wait.start(0);
  // Exponential backoff with jitter, so that clients disconnected at the same moment do not reconnect at once.
  double wait = std::min<double>(patience.longestWaitMs, static_cast<double>(patience.firstWaitMs) * (1 << std::min(m_failures - 1, 16)));
  wait *= 0.75 + QRandomGenerator::global()->generateDouble() / 2;
  if (answer.waitSeconds >= 0) wait = 1000.0 * std::min(answer.waitSeconds, longestAskedWaitS);
  const int ms = std::max(1, static_cast<int>(wait));
  const Error error = explain(answer);
  Q_EMIT waiting(shortReason(error), shownSentence(error.hint), ms);
  m_wait.start(ms);
}

void HubStream::end(const std::optional<Error>& error) {
  if (m_ended) return;
  m_ended = true;
  dropReply();
  Q_EMIT ended(error);
}

}  // namespace minerva::app
