#include "app/hub/proxy_choice.h"

#include <QUrl>

namespace minerva::app {

Result<QNetworkProxy> proxyFrom(const QString& text) {
  const QString wanted = text.trimmed();
  if (wanted.isEmpty()) return QNetworkProxy(QNetworkProxy::DefaultProxy);
  if (wanted == QLatin1String("none")) return QNetworkProxy(QNetworkProxy::NoProxy);
  const QUrl url(wanted.contains(QLatin1String("://")) ? wanted : QStringLiteral("http://") + wanted, QUrl::StrictMode);
  const bool socks = url.scheme() == QLatin1String("socks5") || url.scheme() == QLatin1String("socks5h");
  if (!url.isValid() || url.host().isEmpty() || url.port() <= 0 || (!socks && url.scheme() != QLatin1String("http")))
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "the proxy in the settings is no address",
                 .where = {},
                 .expected = "HOST:PORT, http://HOST:PORT or socks5://HOST:PORT; none; or nothing, for the system's",
                 .actual = wanted.toStdString(),
                 .hint = "change Proxy in the settings"});
  return QNetworkProxy(socks ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy, url.host(), static_cast<quint16>(url.port()),
                       url.userName(QUrl::FullyDecoded), url.password(QUrl::FullyDecoded));
}

}  // namespace minerva::app
