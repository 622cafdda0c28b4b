// Maps failed responses of a server and network errors to messages that tell the user what to do. Pure functions.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QNetworkReply>
#include <QString>
#include <QUrl>

namespace minerva::app {

struct ServerAnswer {
  int status = 0;  // 0: no response
  QNetworkReply::NetworkError network = QNetworkReply::NoError;
  QString networkText{};
  QString certificate{};  // what is wrong with it; empty: nothing
  QByteArray body{};      // its beginning
  int waitSeconds = -1;   // Retry-After; -1: not given
  QUrl url{}, redirect{};
  bool keySent = false;
  QString model{};   // that was asked for; empty: the list of models
  QString effort{};  // of reasoning, that was asked for; empty: none
};

[[nodiscard]] ServerAnswer serverAnswerOf(const QNetworkReply& reply);
[[nodiscard]] Error explainServer(const ServerAnswer& answer);

}  // namespace minerva::app
