// Maps failed HTTP responses and network errors to messages that tell the user what to do. Pure functions.
#pragma once

#include "core/base/error.h"

#include <QNetworkReply>
#include <QString>
#include <QUrl>

namespace minerva::app {

struct HubAnswer {
  int status = 0;  // 0: no response
  QNetworkReply::NetworkError network = QNetworkReply::NoError;
  QString networkText{};
  QString code{}, message{};  // X-Error-Code, X-Error-Message
  int waitSeconds = -1;       // Retry-After, or t of the RateLimit header; -1: not given
  QUrl url{};                 // of this response
  bool fromHub = true;        // false: from the host that a redirect points to
  QString tokenSource{};      // of the token that was sent; empty: none
};

[[nodiscard]] HubAnswer answerOf(const QNetworkReply& reply, bool fromHub, const QString& tokenSource);

// True if a retry may succeed. A failed download link is always retried, since the hub issues a fresh link.
[[nodiscard]] bool worthRepeating(const HubAnswer& answer);
[[nodiscard]] Error explain(const HubAnswer& answer);

}  // namespace minerva::app
