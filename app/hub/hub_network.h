// The only place that sends a request: nothing else in Minerva asks anybody for anything. Lives on the thread that made
// it.
#pragma once

#include "app/hub/hub_access.h"
#include "app/hub/request_log.h"
#include "app/hub/transfer_rate.h"
#include "core/base/error.h"

#include <QElapsedTimer>
#include <QNetworkAccessManager>
#include <QNetworkReply>

#include <optional>

namespace minerva::app {

// How long to try when the other side does not do its part.
struct Patience {
  int tries = 8;          // in a row that brought nothing
  int firstWaitMs = 500;  // doubled each time
  int longestWaitMs = 30000;
  int stallMs = 30000;   // without a byte
  int silenceMs = 1000;  // without an answer, until that is said
};

class HubNetwork : public QObject {
  Q_OBJECT
 public:
  HubNetwork(HubAccess access, RequestLog* log, QObject* parent = nullptr);

  HubAccess access;  // may be changed between requests
  Patience patience;
  void setProxy(const QString& choice);                           // as proxyFrom() reads it
  [[nodiscard]] std::optional<Error> refusal() const;             // nothing is asked, and why: offline, an impossible proxy
  RateLimit limit;                                                // of downloads, all together
  [[nodiscard]] qint64 now() const { return m_clock.elapsed(); }  // ms, for limit and TransferRate

  // Bytes [from, to] of the address; from 0 and to -1: all. Redirects are not followed, nothing is decoded.
  [[nodiscard]] QNetworkReply* get(const QUrl& url, const QString& why, qint64 from, qint64 to);
  [[nodiscard]] QString tokenSourceFor(const QUrl& url) const;  // empty: no token is sent there

 private:
  QNetworkAccessManager m_manager{this};  // moves to another thread with this
  RequestLog* m_log;
  std::optional<Error> m_proxyError;
  QElapsedTimer m_clock;
};

}  // namespace minerva::app
