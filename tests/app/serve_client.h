#pragma once

#include "patience.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTcpSocket>

namespace minerva::app {

// A client that sends one request and collects the reply until the connection closes.
class Client {
 public:
  Client(int port, const QByteArray& method, const QByteArray& path, const QByteArray& body = {}, const QByteArray& key = {}) {
    m_socket.connectToHost(QStringLiteral("127.0.0.1"), static_cast<quint16>(port));
    QByteArray head = method + ' ' + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n";
    if (!key.isEmpty()) head += "Authorization: Bearer " + key + "\r\n";
    if (method == "POST") head += "Content-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n";
    m_socket.write(head + "\r\n" + body);
    QObject::connect(&m_socket, &QTcpSocket::readyRead, &m_socket, [this] { m_reply += m_socket.readAll(); });
  }
  [[nodiscard]] bool ended() const { return m_socket.state() == QAbstractSocket::UnconnectedState; }
  [[nodiscard]] bool waitForEnd() {
    return QTest::qWaitFor([this] { return ended(); }, patienceMs);
  }
  void leave() { m_socket.abort(); }
  [[nodiscard]] int status() const { return m_reply.mid(9, 3).toInt(); }
  [[nodiscard]] const QByteArray& reply() const { return m_reply; }
  [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(m_reply.mid(m_reply.indexOf("\r\n\r\n") + 4)).object(); }
  [[nodiscard]] QJsonObject error() const { return json()[QLatin1String("error")].toObject(); }
  [[nodiscard]] qsizetype pieces() const { return m_reply.count("\"content\":"); }

 private:
  QTcpSocket m_socket;
  QByteArray m_reply;
};

}  // namespace minerva::app
