// Detects every request that a window makes: a listening local port, texts that would load an image from it if they were
// interpreted as HTML, and the requests refused by the window's closed network (closed_network.h).
#pragma once

#include "app/shell/closed_network.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <algorithm>

namespace minerva::app {

class RequestTrap {
 public:
  RequestTrap() {
    if (!m_server.listen(QHostAddress::LocalHost)) qFatal("no port to listen on: %s", qPrintable(m_server.errorString()));
    QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] {
      while (QTcpSocket* socket = m_server.nextPendingConnection()) {
        ++m_visits;
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket] {
          s_requests << QString::fromUtf8(socket->readLine().trimmed());
          socket->disconnectFromHost();
        });
        QObject::connect(socket, &QTcpSocket::disconnected, socket, &QTcpSocket::deleteLater);
      }
    });
    s_requests.clear();
    s_others = qInstallMessageHandler(&RequestTrap::hear);
  }
  ~RequestTrap() { qInstallMessageHandler(s_others); }
  RequestTrap(const RequestTrap&) = delete;
  RequestTrap& operator=(const RequestTrap&) = delete;

  // Hostile text; `place` appears in the request and tells where the text was interpreted as HTML.
  [[nodiscard]] QString bait(const QString& place) const {
    return QStringLiteral("<b>x</b><img src=\"http://127.0.0.1:%1/%2.png\">").arg(m_server.serverPort()).arg(place);
  }
  // The same without a slash, for file names.
  [[nodiscard]] static QString fileBait() { return QStringLiteral("<b>x<img src=x.png>"); }

  [[nodiscard]] int visits() const { return m_visits; }
  // All requests, refused or not. Waits briefly for pending ones.
  [[nodiscard]] static QStringList requests() {
    QTest::qWait(300);
    return s_requests;
  }

 private:
  static void hear(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (text.startsWith(QLatin1String(refusedRequest))) s_requests << text;
    if (s_others != nullptr) s_others(type, context, text);
  }
  QTcpServer m_server;
  int m_visits = 0;
  static inline QStringList s_requests;
  static inline QtMessageHandler s_others = nullptr;
};

}  // namespace minerva::app
