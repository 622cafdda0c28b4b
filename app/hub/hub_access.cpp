#include "app/hub/hub_access.h"

#include <QDir>
#include <QFile>
#include <QHostAddress>
#include <QStandardPaths>
#include <QStringList>

namespace minerva::app {
namespace {

QString tokenFile() {
  if (const QString path = qEnvironmentVariable("HF_TOKEN_PATH"); !path.isEmpty()) return path;
  return huggingFaceHome() + QStringLiteral("/token");
}

// As the Hugging Face tools read it.
bool staysOffline() {
  QString value = qEnvironmentVariable("HF_HUB_OFFLINE");
  if (value.isEmpty()) value = qEnvironmentVariable("TRANSFORMERS_OFFLINE");
  static const QStringList yes{QStringLiteral("1"), QStringLiteral("ON"), QStringLiteral("YES"), QStringLiteral("TRUE")};
  return yes.contains(value.toUpper());
}

QUrl below(QUrl base, const QString& path, const QString& query = {}) {
  base.setPath(QDir::cleanPath(base.path() + QLatin1Char('/') + path), QUrl::DecodedMode);
  if (!query.isEmpty()) base.setQuery(query);
  return base;
}

}  // namespace

QString huggingFaceHome() {
  if (const QString home = qEnvironmentVariable("HF_HOME"); !home.isEmpty()) return home;
  return QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) + QStringLiteral("/huggingface");
}

HubAccess HubAccess::fromEnvironment() {
  HubAccess access;
  access.keptOffline = staysOffline();
  if (const QUrl given(qEnvironmentVariable("HF_ENDPOINT").trimmed(), QUrl::StrictMode); given.isValid() && !given.host().isEmpty())
    access.endpoint = given;
  access.token = qgetenv("HF_TOKEN").trimmed();
  if (!access.token.isEmpty()) {
    access.tokenSource = QStringLiteral("HF_TOKEN");
    return access;
  }
  QFile file(tokenFile());
  if (!file.open(QIODevice::ReadOnly)) return access;
  access.token = file.read(4096).trimmed();
  if (!access.token.isEmpty()) access.tokenSource = file.fileName();
  return access;
}

bool HubAccess::isHub(const QUrl& url) const {
  const int usual = endpoint.scheme() == QLatin1String("https") ? 443 : 80;
  return url.scheme() == endpoint.scheme() && url.host() == endpoint.host() && url.port(usual) == endpoint.port(usual);
}

std::optional<Error> HubAccess::exposesToken() const {
  if (token.isEmpty() || endpoint.scheme() == QLatin1String("https") || isThisMachine(endpoint.host())) return std::nullopt;
  return Error{.kind = ErrorKind::invalidArgument,
               .what = "an access token is not sent over plain http, where anyone on the network path can read it",
               .where = endpoint.toString(QUrl::RemoveUserInfo).toStdString(),
               .expected = "https, or an address of this machine",
               .actual = endpoint.scheme().toStdString() + ", with the token from " + tokenSource.toStdString(),
               .hint = "set HF_ENDPOINT to an https address, or remove the token"};
}

bool isThisMachine(const QString& host) {
  return host.compare(QLatin1String("localhost"), Qt::CaseInsensitive) == 0 || QHostAddress(host).isLoopback();
}

QUrl HubAccess::api(const QString& path, const QString& query) const { return below(endpoint, QStringLiteral("api/") + path, query); }

QUrl HubAccess::revision(const QString& model, const QString& name) const {
  QUrl url = api(model + QStringLiteral("/revision"));
  const QString encoded = QString::fromLatin1(QUrl::toPercentEncoding(name));  // a slash in it does not part the path
  url.setPath(url.path(QUrl::FullyEncoded) + QLatin1Char('/') + encoded, QUrl::TolerantMode);
  return url;
}

QUrl HubAccess::file(const QString& repository, const QString& revision, const QString& path) const {
  return below(endpoint, repository + QStringLiteral("/resolve/") + revision + QLatin1Char('/') + path);
}

QUrl HubAccess::page(const QString& repository) const { return below(endpoint, repository); }

}  // namespace minerva::app
