// Sends all HTTP requests of Minerva; no other code accesses the network. Must be used on the thread it lives on.
#pragma once

#include "app/hub/hub_access.h"
#include "app/hub/request_log.h"
#include "app/hub/transfer_rate.h"
#include "core/base/error.h"

#include <QElapsedTimer>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QPointer>

#include <optional>

namespace minerva::app {

// Retry limits and timeouts.
struct Patience {
  int tries = 8;          // consecutive attempts without progress
  int firstWaitMs = 500;  // doubled after each attempt
  int longestWaitMs = 30000;
  int stallMs = 30000;   // without receiving a byte
  int silenceMs = 1000;  // without a response, until HubStream::waiting reports it
};

class HubNetwork : public QObject {
  Q_OBJECT
 public:
  HubNetwork(HubAccess access, RequestLog* log, QObject* parent = nullptr);

  HubAccess access;  // may be changed between requests
  Patience patience;
  void setProxy(const QString& choice);                           // in the format of proxyFrom()
  [[nodiscard]] std::optional<Error> refusal() const;             // why no request may be sent (offline, invalid proxy, ...)
  RateLimit limit;                                                // shared by all downloads
  [[nodiscard]] qint64 now() const { return m_clock.elapsed(); }  // ms, for limit and TransferRate

  // Requests bytes [from, to] of the URL; from 0 and to -1: the whole resource. Does not follow redirects or decode content.
  // The caller deletes the reply.
  [[nodiscard]] QNetworkReply* get(const QUrl& url, const QString& why, qint64 from, qint64 to);
  [[nodiscard]] QString tokenSourceFor(const QUrl& url) const;  // empty: no token is sent to this URL

  // A request to a server that the user has entered (app/remote), with that server's key instead of the hub's token.
  struct OtherRequest {
    QUrl url;
    QString why;
    QByteArray key{};                // empty: none
    std::optional<QByteArray> json;  // if set, it is sent with POST
  };
  // As get(). The caller sets the reply's property "complete" before it aborts one whose content has ended, for the log.
  [[nodiscard]] QNetworkReply* send(const OtherRequest& request);
  // Why it may not be sent. Requests to this computer are possible in offline mode, and without a valid proxy.
  [[nodiscard]] std::optional<Error> refusalTo(const QUrl& url) const;

 private:
  void logAnswer(QNetworkReply* reply, quint64 number);
  QNetworkAccessManager m_manager{this};  // a child, so that it moves to another thread with this object
  RequestLog* m_log;
  std::optional<Error> m_proxyError;
  QElapsedTimer m_clock;
};

// Ends a reply of which no more is wanted, and forgets it; `listener` gets no further signal of it. Does nothing if it is null.
void abandon(QPointer<QNetworkReply>& reply, const QObject* listener);

}  // namespace minerva::app
