#include "app/remote/server_address.h"

#include "app/hub/hub_access.h"

#include <QHostAddress>
#include <QRegularExpression>

#include <algorithm>

namespace minerva::app {
namespace {

const QLatin1String plainScheme("http"), secureScheme("https");
constexpr qsizetype longestAddress = 2048;

std::unexpected<Error> wrongAddress(const char* what, const QString& actual, const char* hint) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = what,
               .where = {},
               .expected = "an address such as localhost:8080 or https://example.org/v1",
               .actual = actual.left(120).toStdString(),
               .hint = hint});
}

// Hosts of a local network rarely have certificates.
bool isLocalName(const QString& host) {
  return isThisMachine(host) || !QHostAddress(host).isNull() || !host.contains(QLatin1Char('.')) ||
         host.endsWith(QLatin1String(".local")) || host.endsWith(QLatin1String(".lan")) || host.endsWith(QLatin1String(".internal"));
}

// Servers print the address they listen on, which is no address to connect to.
QString connectable(const QString& host) {
  if (host == QLatin1String("0.0.0.0")) return QStringLiteral("127.0.0.1");
  return host == QLatin1String("::") ? QStringLiteral("::1") : host;
}

QString withoutEndpoint(QString path) {
  const auto chopSlashes = [&path] {
    while (path.endsWith(QLatin1Char('/'))) path.chop(1);
  };
  chopSlashes();
  for (const char* end : {"/chat/completions", "/completions", "/responses", "/models"}) {
    if (!path.endsWith(QLatin1String(end))) continue;
    path.chop(QLatin1String(end).size());
    chopSlashes();
    break;
  }
  return path.isEmpty() ? QStringLiteral("/v1") : path;
}

int portOf(const QUrl& url) { return url.port(url.scheme() == secureScheme ? 443 : 80); }

}  // namespace

Result<QUrl> serverAddressFrom(const QString& typed) {
  const QString text = typed.trimmed();
  if (text.isEmpty()) return wrongAddress("No address was entered", {}, "Enter the address that the server prints when it starts");
  static const QRegularExpression blank(QStringLiteral("[\\s\\x00-\\x1f\\x7f]"));
  if (text.contains(blank) || text.size() > longestAddress)
    return wrongAddress("This is not an address", text, "Remove spaces and anything that follows the address");
  const bool hasScheme = text.contains(QLatin1String("://"));
  QUrl url(hasScheme ? text : QStringLiteral("http://") + text, QUrl::StrictMode);
  const QString scheme = url.scheme().toLower();
  if (hasScheme && scheme != plainScheme && scheme != secureScheme)
    return wrongAddress("Only http and https can be used", scheme.isEmpty() ? text : scheme,
                        "Change the beginning of the address to https://");
  if (!url.isValid() || url.host().isEmpty() || url.port() == 0)
    return wrongAddress("This is not an address", text, "Enter HOST:PORT, or the whole address with https://");
  if (!url.userInfo().isEmpty() || text.section(QLatin1String("://"), -1).section(QLatin1Char('/'), 0, 0).contains(QLatin1Char('@')))
    return wrongAddress("An address must not contain a user name or password", url.host(),
                        "Enter the key in its own field, where it is kept in the system's keyring");
  if (url.hasQuery() || url.hasFragment())
    return wrongAddress("An address must not have a part after ? or #", url.toString(QUrl::RemoveUserInfo), "Leave that part out");
  url.setHost(connectable(url.host()));
  if (!hasScheme && !isLocalName(url.host())) url.setScheme(secureScheme);
  url.setPath(withoutEndpoint(url.path(QUrl::FullyEncoded)), QUrl::StrictMode);
  return url.adjusted(QUrl::NormalizePathSegments | QUrl::StripTrailingSlash);
}

QUrl below(const QUrl& server, const QString& path) {
  QUrl url = server;
  url.setPath(server.path(QUrl::FullyEncoded) + QLatin1Char('/') + path, QUrl::StrictMode);
  return url;
}

bool isReadable(const QUrl& server) { return server.scheme() != secureScheme && !isThisMachine(server.host()); }

std::optional<Error> exposesKey(const QUrl& server) {
  if (!isReadable(server)) return std::nullopt;
  return Error{.kind = ErrorKind::invalidArgument,
               .what = "A key is not sent over plain http, where anyone on the network path can read it",
               .where = server.toString().toStdString(),
               .expected = "https, or an address of this computer",
               .actual = "http",
               .hint = "Use an https address, or a tunnel (ssh -L 8080:localhost:8080 HOST) and http://localhost:8080"};
}

bool haveSameOrigin(const QUrl& one, const QUrl& other) {
  return one.scheme() == other.scheme() && one.host() == other.host() && portOf(one) == portOf(other);
}

}  // namespace minerva::app
