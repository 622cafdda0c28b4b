#include "app/remote/remote_refusal.h"

#include "app/remote/chat_delta.h"

#include <QNetworkRequest>
#include <QRegularExpression>

namespace minerva::app {
namespace {

Error serverError(const ServerAnswer& answer, ErrorKind kind, const char* what, const QString& hint) {
  QString actual = answer.status > 0 ? QStringLiteral("HTTP %1").arg(answer.status) : answer.networkText;
  if (const QString said = answer.status >= 400 ? refusalIn(answer.body) : QString(); !said.isEmpty())
    actual += QStringLiteral(", \"%1\"").arg(said);
  return {.kind = kind,
          .what = what,
          .where = answer.url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery).toStdString(),
          .expected = {},
          .actual = actual.toStdString(),
          .hint = hint.toStdString()};
}

Error explainNoConnection(const ServerAnswer& answer) {
  const QString host = answer.url.host();
  switch (answer.network) {
    case QNetworkReply::ConnectionRefusedError:
      return serverError(answer, ErrorKind::io, "No server answers at this address",
                         QStringLiteral("Start the server on %1, and compare the port with the one it prints").arg(host));
    case QNetworkReply::HostNotFoundError: {
      Error error = serverError(answer, ErrorKind::io, "The host name was not found",
                                QStringLiteral("Check the spelling, and the connection to its network"));
      error.actual = host.toStdString();
      return error;
    }
    case QNetworkReply::SslHandshakeFailedError: {
      Error error = serverError(answer, ErrorKind::io, "The server's certificate is not trusted",
                                QStringLiteral("Nothing was sent; if the server is yours, let the system trust its certificate's issuer, "
                                               "or use http on this computer"));
      if (!answer.certificate.isEmpty()) error.actual = answer.certificate.toStdString();
      error.expected = "a certificate for " + host.toStdString() + " from a trusted issuer";
      return error;
    }
    case QNetworkReply::ProxyConnectionRefusedError:
    case QNetworkReply::ProxyNotFoundError:
    case QNetworkReply::ProxyTimeoutError:
    case QNetworkReply::ProxyConnectionClosedError:
    case QNetworkReply::ProxyAuthenticationRequiredError:
      return serverError(answer, ErrorKind::io, "The proxy does not let the request through",
                         QStringLiteral("Check Proxy in the settings and the system's proxy (http_proxy, https_proxy, no_proxy)"));
    case QNetworkReply::RemoteHostClosedError:
      return serverError(answer, ErrorKind::io, "The server closed the connection without an answer",
                         QStringLiteral("It may expect https instead of http, or have ended: see its log"));
    default:
      return serverError(answer, ErrorKind::io, "No connection to the server",
                         QStringLiteral("Check the address, and whether a firewall is between the computers"));
  }
}

// A server that does not know the field, a model that does not know the value, or (Ollama's words) one that does not think at all.
bool isAboutEffort(const ServerAnswer& answer) {
  static const QRegularExpression words(QStringLiteral("effort|thinking"), QRegularExpression::CaseInsensitiveOption);
  return !answer.effort.isEmpty() && (answer.status == 400 || answer.status == 422) && QString::fromUtf8(answer.body).contains(words);
}

Error explainEffort(const ServerAnswer& answer) {
  Error error = serverError(answer, ErrorKind::unsupported, "The server does not take this effort of thinking",
                            QStringLiteral("Choose another effort below the message, or Model default, which sends none; then try again"));
  error.expected = "an answer with reasoning_effort " + answer.effort.toStdString();
  return error;
}

}  // namespace

ServerAnswer serverAnswerOf(const QNetworkReply& reply) {
  ServerAnswer answer;
  answer.status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
  answer.network = reply.error();
  answer.networkText = reply.errorString();
  bool isNumber = false;
  if (const int wait = reply.rawHeader("Retry-After").toInt(&isNumber); isNumber && wait >= 0) answer.waitSeconds = wait;
  answer.url = reply.url();
  answer.redirect = reply.url().resolved(reply.attribute(QNetworkRequest::RedirectionTargetAttribute).toUrl());
  return answer;
}

Error explainServer(const ServerAnswer& answer) {
  if (answer.status < 300) return explainNoConnection(answer);
  if (answer.status < 400)
    return serverError(answer, ErrorKind::unsupported, "The server sends to another address, which is not followed",
                       QStringLiteral("If it is right, enter it instead: %1").arg(answer.redirect.toString(QUrl::RemoveUserInfo)));
  if (isAboutEffort(answer)) return explainEffort(answer);
  switch (answer.status) {
    case 403:  // for many reasons, of which a wrong key is one
      if (answer.keySent)
        return serverError(answer, ErrorKind::io, "The server does not allow this",
                           QStringLiteral("Its words above say why; or enter another key for this server (Models, Servers)"));
      [[fallthrough]];
    case 401:
      return serverError(answer, ErrorKind::io, answer.keySent ? "The server does not accept the key" : "The server asks for a key",
                         answer.keySent ? QStringLiteral("Enter another key for this server (Models, Servers)")
                                        : QStringLiteral("Enter the key for this server (Models, Servers)"));
    case 404:
      return answer.model.isEmpty()
                 ? serverError(answer, ErrorKind::notFound, "There is no OpenAI-compatible interface at this address",
                               QStringLiteral("Check the path; it usually ends with /v1"))
                 : serverError(answer, ErrorKind::notFound, "The server does not have this model any more, or not at this address",
                               QStringLiteral("Look for its models again (Models, Servers); %1 was asked for").arg(answer.model));
    case 407:
      return explainNoConnection(
          {.network = QNetworkReply::ProxyAuthenticationRequiredError, .networkText = QStringLiteral("HTTP 407"), .url = answer.url});
    case 413:
      return serverError(answer, ErrorKind::limit, "The conversation is too long for the server", QStringLiteral("Begin a new chat"));
    case 429:
      return serverError(answer, ErrorKind::limit, "The server accepts no more requests for now",
                         answer.waitSeconds > 0 ? QStringLiteral("It asks to wait %1 s; then try again").arg(answer.waitSeconds)
                                                : QStringLiteral("Try again in a moment, or see the limits of your account there"));
    default: break;
  }
  if (answer.status >= 500)
    return serverError(answer, ErrorKind::io, "The server failed",
                       answer.status == 503 ? QStringLiteral("It may still be loading the model: try again in a moment")
                                            : QStringLiteral("See the server's own log, and try again"));
  return serverError(answer, ErrorKind::invalidArgument, "The server refused the request",
                     QStringLiteral("Its words above say why; the parameters of replies are in Settings, Sampling"));
}

}  // namespace minerva::app
