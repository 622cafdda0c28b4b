#include "app/hub/hub_refusal.h"

#include <QNetworkRequest>
#include <QRegularExpression>

namespace minerva::app {
namespace {

std::string bare(const QUrl& url) { return url.toString(QUrl::RemoveQuery | QUrl::RemoveUserInfo).toStdString(); }

// The web page of the repository in a hub URL, where the user can fix access problems; the hub's root if there is none.
QString repositoryPage(const QUrl& url) {
  static const QRegularExpression pattern(QStringLiteral("^(?:/api/models)?/([^/]+/[^/]+)"));
  const auto match = pattern.match(url.path());
  QUrl page = url.adjusted(QUrl::RemovePath | QUrl::RemoveQuery | QUrl::RemoveUserInfo);
  if (match.hasMatch()) page.setPath(QLatin1Char('/') + match.captured(1));
  return page.toString();
}

QString status(const HubAnswer& answer) {
  QString text = QStringLiteral("HTTP %1").arg(answer.status);
  if (!answer.code.isEmpty()) text += QLatin1Char(' ') + answer.code;
  if (!answer.message.isEmpty()) text += QStringLiteral(", \"%1\"").arg(answer.message.left(300));
  return text;
}

Error refused(const HubAnswer& answer, ErrorKind kind, const char* what, const QString& hint) {
  return {.kind = kind,
          .what = what,
          .where = bare(answer.url),
          .expected = {},
          .actual = status(answer).toStdString(),
          .hint = hint.toStdString()};
}

Error explainAccess(const HubAnswer& answer) {
  const QString page = repositoryPage(answer.url);
  const bool sent = !answer.tokenSource.isEmpty();
  if (answer.code == QLatin1String("GatedRepo")) {
    if (answer.status == 403 || sent)
      return refused(
          answer, ErrorKind::io, "access to this gated model has not been granted to the account of your token",
          QStringLiteral("open %1 , accept its terms with the same account (some are approved by hand), and try again").arg(page));
    return refused(
        answer, ErrorKind::io, "this model is gated: its publisher wants to know who downloads it",
        QStringLiteral("accept its terms at %1 , create a token in the hub's settings, and enter it in Minerva's settings (or in HF_TOKEN)")
            .arg(page));
  }
  if (answer.message.contains(QLatin1String("Invalid credentials"), Qt::CaseInsensitive) ||
      answer.message.contains(QLatin1String("Invalid username or password"), Qt::CaseInsensitive))
    return refused(answer, ErrorKind::io, "the hub does not accept the token",
                   sent ? QStringLiteral("the token is from %1: renew it in the hub's settings, or remove it").arg(answer.tokenSource)
                        : QStringLiteral("the model may be private or its name misspelt; a token (HF_TOKEN) may be needed"));
  if (answer.status == 401)
    return refused(
        answer, ErrorKind::notFound, "there is no such model, or it is private",
        sent ? QStringLiteral("check the name at %1 ; the token from %2 may not give access to it").arg(page, answer.tokenSource)
             : QStringLiteral("check the name at %1 ; a private or gated model needs a token (Minerva's settings, or HF_TOKEN)").arg(page));
  return refused(answer, ErrorKind::io, "the hub refused the request",
                 QStringLiteral("open %1 in a browser; a proxy or firewall may be answering instead of the hub").arg(page));
}

Error explainMissing(const HubAnswer& answer) {
  const QString hint = QStringLiteral("see %1").arg(repositoryPage(answer.url));
  if (answer.code == QLatin1String("EntryNotFound")) return refused(answer, ErrorKind::notFound, "the repository has no such file", hint);
  if (answer.code == QLatin1String("RevisionNotFound"))
    return refused(answer, ErrorKind::notFound, "the repository has no such revision", hint);
  return refused(answer, ErrorKind::notFound, "there is no such model on the hub",
                 QStringLiteral("check the spelling: ORG/REPO, as in the address of its page"));
}

Error explainNetwork(const HubAnswer& answer) {
  Error error{.kind = ErrorKind::io,
              .what = "no connection",
              .where = bare(answer.url),
              .expected = {},
              .actual = answer.networkText.toStdString(),
              .hint = {}};
  switch (answer.network) {
    case QNetworkReply::HostNotFoundError:
      error.what = "the host name was not found";
      error.actual = answer.url.host().toStdString();
      error.hint = "check the internet connection, and HF_ENDPOINT if it is set";
      break;
    case QNetworkReply::SslHandshakeFailedError:
      error.what = "the server's certificate is not trusted";
      error.hint = "if a proxy inspects the traffic, the system must trust its certificate; also check the system clock";
      break;
    case QNetworkReply::ProxyAuthenticationRequiredError:
      error.what = "the proxy requires a user name and password";
      error.hint = "enter them in the proxy's address, in the settings or in https_proxy: http://NAME:PASSWORD@HOST:PORT";
      break;
    case QNetworkReply::ProxyConnectionRefusedError:
    case QNetworkReply::ProxyNotFoundError:
    case QNetworkReply::ProxyTimeoutError:
    case QNetworkReply::ProxyConnectionClosedError:
      error.what = "the proxy does not answer";
      error.hint = "check Proxy in the settings and the system's proxy (http_proxy, https_proxy, no_proxy)";
      break;
    case QNetworkReply::OperationCanceledError:
      error.what = "the server stopped sending data";
      error.actual.clear();  // it was this program that gave up
      error.hint = "try again; a download keeps the data received so far";
      break;
    default: error.hint = "check the internet connection; a download keeps the data received so far"; break;
  }
  return error;
}

int waitOf(const QNetworkReply& reply) {
  bool isNumber = false;
  const int after = reply.rawHeader("Retry-After").toInt(&isNumber);
  if (isNumber && after >= 0) return after;
  static const QRegularExpression left(QStringLiteral(";\\s*t=(\\d+)"));
  const auto match = left.match(QString::fromLatin1(reply.rawHeader("RateLimit")));
  return match.hasMatch() ? match.captured(1).toInt() : -1;
}

}  // namespace

HubAnswer answerOf(const QNetworkReply& reply, bool fromHub, const QString& tokenSource) {
  HubAnswer answer;
  answer.status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  answer.network = reply.error();
  answer.networkText = reply.errorString();
  answer.code = QString::fromLatin1(reply.rawHeader("X-Error-Code"));
  answer.message = QString::fromUtf8(reply.rawHeader("X-Error-Message"));
  answer.waitSeconds = waitOf(reply);
  answer.url = reply.url();
  answer.fromHub = fromHub;
  answer.tokenSource = tokenSource;
  return answer;
}

bool worthRepeating(const HubAnswer& answer) {
  if (answer.status < 400)
    return answer.network != QNetworkReply::SslHandshakeFailedError && answer.network != QNetworkReply::ProxyAuthenticationRequiredError &&
           answer.network != QNetworkReply::ProtocolUnknownError;
  if (!answer.fromHub && answer.status != 407) return true;  // expired link or failing host: get a fresh link
  return answer.status == 408 || answer.status == 429 || answer.status >= 500;
}

Error explain(const HubAnswer& answer) {
  if (answer.status < 400) return explainNetwork(answer);
  if (answer.status == 407)
    return explainNetwork({.network = QNetworkReply::ProxyAuthenticationRequiredError, .networkText = status(answer), .url = answer.url});
  if (!answer.fromHub)
    return refused(answer, ErrorKind::io, "the hub's file server refuses the request, even with new links",
                   QStringLiteral("a firewall may block %1; try again later").arg(answer.url.host()));
  if (answer.status == 401 || answer.status == 403) return explainAccess(answer);
  if (answer.status == 404) return explainMissing(answer);
  if (answer.status == 429)
    return refused(answer, ErrorKind::limit, "the hub accepts no more requests from this address for now",
                   (answer.waitSeconds > 0 ? QStringLiteral("it asks to wait %1 s; ").arg(answer.waitSeconds) : QString()) +
                       QStringLiteral("a token (HF_TOKEN) raises the limit"));
  if (answer.status >= 500)
    return refused(answer, ErrorKind::io, "the hub has a server error",
                   QStringLiteral("try again later: the data received so far is kept"));
  return refused(answer, ErrorKind::io, "the hub refused the request",
                 answer.status == 451 ? QStringLiteral("the model was taken down") : QString());
}

}  // namespace minerva::app
