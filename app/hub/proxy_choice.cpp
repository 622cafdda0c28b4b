#include "app/hub/proxy_choice.h"

#include <QUrl>

namespace minerva::app {

namespace {

QUrl addressIn(const QString& wanted) {
  return QUrl(wanted.contains(QLatin1String("://")) ? wanted : QStringLiteral("http://") + wanted, QUrl::StrictMode);
}

}  // namespace

Result<QNetworkProxy> proxyFrom(const QString& text) {
  const QString wanted = text.trimmed();
  if (wanted.isEmpty()) return QNetworkProxy(QNetworkProxy::DefaultProxy);
  if (wanted == QLatin1String("none")) return QNetworkProxy(QNetworkProxy::NoProxy);
  const QUrl url = addressIn(wanted);
  const bool socks = url.scheme() == QLatin1String("socks5") || url.scheme() == QLatin1String("socks5h");
  if (!url.isValid() || url.host().isEmpty() || url.port() <= 0 || (!socks && url.scheme() != QLatin1String("http")))
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "the proxy in the settings is not an address",
                 .where = {},
                 .expected = "HOST:PORT, http://HOST:PORT or socks5://HOST:PORT; none; or nothing, for the system's",
                 .actual = withoutPassword(wanted).text.toStdString(),
                 .hint = "change Proxy in the settings"});
  return QNetworkProxy(socks ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy, url.host(), static_cast<quint16>(url.port()),
                       url.userName(QUrl::FullyDecoded), url.password(QUrl::FullyDecoded));
}

// Parsed as plain text instead of QUrl, so that the password is removed from invalid addresses too (missing port, space in
// the name).
ProxyAddress withoutPassword(const QString& text) {
  const qsizetype scheme = text.indexOf(QLatin1String("://")), begin = scheme < 0 ? 0 : scheme + 3;
  const qsizetype at = text.lastIndexOf(QLatin1Char('@'));
  const qsizetype colon = text.indexOf(QLatin1Char(':'), begin);
  if (at < 0 || colon < 0 || colon >= at) return {text, {}};
  return {text.left(colon) + text.mid(at), QByteArray::fromPercentEncoding(text.mid(colon + 1, at - colon - 1).toUtf8())};
}

QString withPassword(const QString& text, const QByteArray& password) {
  const qsizetype at = text.lastIndexOf(QLatin1Char('@'));
  if (password.isEmpty() || at < 0) return text;
  return text.left(at) + QLatin1Char(':') + QString::fromLatin1(password.toPercentEncoding()) + text.mid(at);
}

QString proxySecret(const QString& text) {
  const QUrl url = addressIn(text.trimmed());
  if (url.userName().isEmpty() || url.host().isEmpty()) return {};
  return QStringLiteral("proxy %1@%2:%3").arg(url.userName(QUrl::FullyDecoded), url.host()).arg(url.port());
}

}  // namespace minerva::app
