#include "app/hub/hub_network.h"

#include "app/hub/proxy_choice.h"

#include <QNetworkProxyFactory>
#include <QNetworkRequest>

namespace minerva::app {
namespace {

constexpr qint64 readBuffer = 1 << 20;  // about as much as is lost when a connection is cut or the program is killed

// Connects directly to this machine: such requests must not go through a proxy on another one.
class ProxyFor : public QNetworkProxyFactory {
 public:
  explicit ProxyFor(QNetworkProxy chosen) : m_chosen(std::move(chosen)) {}
  QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery& query) override {
    if (isThisMachine(query.peerHostName())) return {QNetworkProxy(QNetworkProxy::NoProxy)};
    return m_chosen.type() == QNetworkProxy::DefaultProxy ? systemProxyForQuery(query) : QList<QNetworkProxy>{m_chosen};
  }

 private:
  QNetworkProxy m_chosen;
};

Error offlineError(ErrorKind kind, const char* hint) {
  return {.kind = kind, .what = "Minerva is in offline mode", .where = {}, .expected = {}, .actual = {}, .hint = hint};
}

QNetworkRequest requestTo(const QUrl& url) {
  QNetworkRequest request(url);
  request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
  request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);  // each connection carries one long body
  request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
  request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
  request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
  request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("Minerva/%1").arg(QStringLiteral(MINERVA_VERSION)));
  request.setRawHeader("Accept-Encoding", "identity");
  return request;
}

}  // namespace

HubNetwork::HubNetwork(HubAccess given, RequestLog* log, QObject* parent) : QObject(parent), access(std::move(given)), m_log(log) {
  m_manager.setProxyFactory(new ProxyFor(QNetworkProxy::DefaultProxy));
  m_manager.setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
  m_clock.start();
}

QString HubNetwork::tokenSourceFor(const QUrl& url) const {
  return !access.token.isEmpty() && access.isHub(url) ? access.tokenSource : QString();
}

QNetworkReply* HubNetwork::get(const QUrl& url, const QString& why, qint64 from, qint64 to) {
  QNetworkRequest request = requestTo(url);
  if (from > 0 || to >= 0)
    request.setRawHeader("Range", "bytes=" + QByteArray::number(from) + '-' + (to >= 0 ? QByteArray::number(to) : QByteArray()));
  if (!tokenSourceFor(url).isEmpty()) request.setRawHeader("Authorization", "Bearer " + access.token);
  const quint64 number = m_log != nullptr ? m_log->made("GET", url, why) : 0;
  QNetworkReply* reply = m_manager.get(request);
  logAnswer(reply, number);
  return reply;
}

// The connection is not kept: one that the server has closed meanwhile would fail with the next message.
QNetworkReply* HubNetwork::send(const OtherRequest& order) {
  QNetworkRequest request = requestTo(order.url);
  request.setRawHeader("Connection", "close");
  if (!order.key.isEmpty()) request.setRawHeader("Authorization", "Bearer " + order.key);
  if (order.json) request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
  const quint64 number = m_log != nullptr ? m_log->made(order.json ? "POST" : "GET", order.url, order.why) : 0;
  QNetworkReply* reply = order.json ? m_manager.post(request, *order.json) : m_manager.get(request);
  logAnswer(reply, number);
  return reply;
}

void HubNetwork::logAnswer(QNetworkReply* reply, quint64 number) {
  reply->setReadBufferSize(readBuffer);
  if (m_log == nullptr) return;
  const qint64 begun = now();
  connect(reply, &QNetworkReply::finished, this, [this, reply, number, begun] {
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const bool cut = reply->error() != QNetworkReply::NoError && status < 400 && !reply->property("complete").toBool();
    const QString result = cut ? QStringLiteral("%1 %2").arg(status).arg(reply->errorString()) : QString::number(status);
    m_log->answered(number, result, reply->property("received").toLongLong(), now() - begun);
  });
}

void HubNetwork::setProxy(const QString& choice) {
  const Result<QNetworkProxy> proxy = proxyFrom(choice);
  m_proxyError = proxy ? std::nullopt : std::optional(proxy.error());
  if (proxy) m_manager.setProxyFactory(new ProxyFor(*proxy));  // owned by the manager
}

std::optional<Error> HubNetwork::refusal() const {
  if (access.keptOffline)
    return offlineError(ErrorKind::cancelled, "start Minerva without HF_HUB_OFFLINE and TRANSFORMERS_OFFLINE to use the hub");
  if (access.offline) return offlineError(ErrorKind::cancelled, "turn off Offline in the settings to use the hub");
  const std::optional<Error> exposed = access.exposesToken();
  return exposed ? exposed : m_proxyError;
}

std::optional<Error> HubNetwork::refusalTo(const QUrl& url) const {
  if (isThisMachine(url.host())) return std::nullopt;
  return access.offline ? offlineError(ErrorKind::invalidArgument, "turn off Offline in the settings to use servers on other computers")
                        : m_proxyError;
}

void abandon(QPointer<QNetworkReply>& reply, const QObject* listener) {
  if (!reply) return;
  QNetworkReply* ended = reply;
  reply.clear();  // first: aborting may call those who look at it
  ended->disconnect(listener);
  ended->abort();
  ended->deleteLater();
}

}  // namespace minerva::app
