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
  QNetworkRequest request(url);
  request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
  request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);  // each connection carries one long body
  request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
  request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
  request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("Minerva/%1").arg(QStringLiteral(MINERVA_VERSION)));
  request.setRawHeader("Accept-Encoding", "identity");
  if (from > 0 || to >= 0)
    request.setRawHeader("Range", "bytes=" + QByteArray::number(from) + '-' + (to >= 0 ? QByteArray::number(to) : QByteArray()));
  if (!tokenSourceFor(url).isEmpty()) request.setRawHeader("Authorization", "Bearer " + access.token);
  const quint64 number = m_log != nullptr ? m_log->made(url, why) : 0;
  QNetworkReply* reply = m_manager.get(request);
  reply->setReadBufferSize(readBuffer);
  const qint64 begun = now();
  connect(reply, &QNetworkReply::finished, this, [this, reply, number, begun] {
    if (m_log == nullptr) return;
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const bool cut = reply->error() != QNetworkReply::NoError && status < 400;
    const QString result = cut ? QStringLiteral("%1 %2").arg(status).arg(reply->errorString()) : QString::number(status);
    m_log->answered(number, result, reply->property("received").toLongLong(), now() - begun);
  });
  return reply;
}

void HubNetwork::setProxy(const QString& choice) {
  const Result<QNetworkProxy> proxy = proxyFrom(choice);
  m_proxyError = proxy ? std::nullopt : std::optional(proxy.error());
  if (proxy) m_manager.setProxyFactory(new ProxyFor(*proxy));  // owned by the manager
}

std::optional<Error> HubNetwork::refusal() const {
  if (const std::optional<Error> exposed = access.exposesToken(); exposed && !access.offline) return exposed;
  if (!access.offline) return m_proxyError;
  return Error{.kind = ErrorKind::cancelled,
               .what = "Minerva is in offline mode",
               .where = {},
               .expected = {},
               .actual = {},
               .hint = "turn off Offline in the settings to use the hub"};
}

}  // namespace minerva::app
