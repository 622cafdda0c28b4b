// A server on this computer that answers each request as the test says.
#pragma once

#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <QUrl>

#include <functional>
#include <memory>
#include <vector>

namespace minerva::app {

class ScriptedServer {
 public:
  struct Seen {
    QByteArray head, body;
    [[nodiscard]] QByteArray path() const { return head.split(' ').value(1); }
    [[nodiscard]] QByteArray header(const QByteArray& name) const {
      for (const QByteArray& line : head.split('\n'))
        if (line.toLower().startsWith(name.toLower() + ':')) return line.mid(name.size() + 1).trimmed();
      return {};
    }
  };
  using Answer = std::function<void(QTcpSocket* to, const Seen& request)>;

  // server: one that the test has made (with TLS); null: a plain one.
  explicit ScriptedServer(Answer given = {}, std::unique_ptr<QTcpServer> server = nullptr)
      : answer(std::move(given)), m_server(server ? std::move(server) : std::make_unique<QTcpServer>()) {
    m_server->listen(QHostAddress::LocalHost);
    QObject::connect(m_server.get(), &QTcpServer::pendingConnectionAvailable, m_server.get(), [this] { take(); });
  }

  [[nodiscard]] quint16 port() const { return m_server->serverPort(); }
  [[nodiscard]] QUrl url() const { return QUrl(QStringLiteral("http://127.0.0.1:%1/v1").arg(port())); }

  static QByteArray head(const QByteArray& type = "text/event-stream", const QByteArray& status = "200 OK") {
    return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nConnection: close\r\n\r\n";
  }
  // A whole response that is not streamed.
  static Answer whole(const QByteArray& status, const QByteArray& body, const QByteArray& more = {}) {
    return [=](QTcpSocket* to, const Seen&) {
      to->write("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + more +
                "Content-Length: " + QByteArray::number(body.size()) + "\r\nConnection: close\r\n\r\n" + body);
      to->disconnectFromHost();
    };
  }
  static Answer stream(const QByteArray& events) {
    return [=](QTcpSocket* to, const Seen&) {
      to->write(head() + events);
      to->disconnectFromHost();
    };
  }
  static QByteArray piece(const QByteArray& delta, const QByteArray& finish = "null") {
    return "data: {\"choices\":[{\"index\":0,\"delta\":" + delta + ",\"finish_reason\":" + finish + "}]}\n\n";
  }

  Answer answer;  // may be changed between requests
  std::vector<Seen> seen;
  int closed = 0;  // connections that ended

 private:
  void take() {
    while (QTcpSocket* socket = m_server->nextPendingConnection()) {
      auto got = std::make_shared<QByteArray>();
      const auto read = [this, socket, got] {
        *got += socket->readAll();
        const qsizetype end = got->indexOf("\r\n\r\n");
        if (end < 0) return;
        Seen request{got->left(end), got->mid(end + 4)};
        if (request.body.size() < request.header("content-length").toInt()) return;
        got->clear();
        seen.push_back(request);
        if (answer) answer(socket, request);
      };
      QObject::connect(socket, &QTcpSocket::readyRead, socket, read);
      QObject::connect(socket, &QTcpSocket::disconnected, m_server.get(), [this] { ++closed; });
      QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
      if (socket->bytesAvailable() > 0) read();
    }
  }
  std::unique_ptr<QTcpServer> m_server;
};

}  // namespace minerva::app
