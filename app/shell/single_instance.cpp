#include "app/shell/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QLocalSocket>

namespace minerva::app {
namespace {

constexpr int answerMs = 2000;
constexpr qint64 longestRequest = 32768;

QString socketNameFor(const QString& folder) {
  const QByteArray digest = QCryptographicHash::hash(QDir(folder).absolutePath().toUtf8(), QCryptographicHash::Sha256);
  return QStringLiteral("minerva-") + QString::fromLatin1(digest.left(8).toHex());
}

}  // namespace

SingleInstance::SingleInstance(const QString& dataFolder, QObject* parent)
    : QObject(parent), m_socketName(socketNameFor(dataFolder)), m_lock(dataFolder + QStringLiteral("/minerva.lock")) {
  QDir().mkpath(dataFolder);
  m_lock.setStaleLockTime(0);  // never stale while its process lives
  m_server.setSocketOptions(QLocalServer::UserAccessOption);
  connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::accept);
}

bool SingleInstance::claim() {
  // Qt takes a lock for held if it has the name of another computer, whose processes it cannot see: in a home folder from a backup, or
  // shared with a container. The file's removal is refused while a living process holds it, by the system's own lock on it.
  const bool held = !m_lock.tryLock(0) && m_lock.error() == QLockFile::LockFailedError;
  if (held && !(m_lock.removeStaleLockFile() && m_lock.tryLock(0))) return false;
  QLocalServer::removeServer(m_socketName);  // left by a killed process
  m_server.listen(m_socketName);
  return true;
}

qint64 SingleInstance::holder() const {
  qint64 process = 0;
  QString computer, program;
  return m_lock.getLockInfo(&process, &computer, &program) ? process : 0;
}

bool SingleInstance::handOver(const QString& path) const {
  QLocalSocket socket;
  socket.connectToServer(m_socketName);
  if (!socket.waitForConnected(answerMs)) return false;
  socket.write(path.toUtf8() + '\n');
  return socket.waitForBytesWritten(answerMs) && socket.waitForReadyRead(answerMs);
}

void SingleInstance::accept() {
  QLocalSocket* socket = m_server.nextPendingConnection();
  connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
  connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
    if (!socket->canReadLine()) {
      if (socket->bytesAvailable() > longestRequest) socket->abort();
      return;
    }
    const QString path = QString::fromUtf8(socket->readLine(longestRequest)).trimmed();
    socket->write("ok\n");
    socket->flush();
    Q_EMIT asked(path);
  });
}

}  // namespace minerva::app
