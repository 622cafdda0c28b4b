// Why the hub, or something on the way to it, said no: from the answer to words a person can act on. Pure functions.
#pragma once

#include "core/base/error.h"

#include <QNetworkReply>
#include <QString>
#include <QUrl>

namespace minerva::app {

struct HubAnswer {
  int status = 0;  // 0: no answer came
  QNetworkReply::NetworkError network = QNetworkReply::NoError;
  QString networkText{};
  QString code{}, message{};  // X-Error-Code, X-Error-Message
  int waitSeconds = -1;       // Retry-After, or the t of RateLimit; -1: not said
  QUrl url{};                 // of this answer
  bool fromHub = true;        // else from the host a file's link points to
  QString tokenSource{};      // of the token that was sent; empty: none was
};

[[nodiscard]] HubAnswer answerOf(const QNetworkReply& reply, bool fromHub, const QString& tokenSource);

// True: the same request may do better later. Of a link that ran out: a fresh link will.
[[nodiscard]] bool worthRepeating(const HubAnswer& answer);
[[nodiscard]] Error explain(const HubAnswer& answer);

}  // namespace minerva::app
