// `minerva serve` as a process of its own, on a free port.
#pragma once

#include "patience.h"

#include <QProcess>
#include <QString>
#include <QStringList>

#include <csignal>

namespace minerva::app {

class OwnServer {
 public:
  // Serves the built-in model, or these. Waits until it listens; then isUp().
  explicit OwnServer(const QString& dataDir, const QStringList& models = {}) {
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(QStringLiteral(MINERVA_PROGRAM),
                    QStringList{QStringLiteral("serve")} + models +
                        QStringList{QStringLiteral("--port"), QStringLiteral("0"), QStringLiteral("--device"), QStringLiteral("cpu"),
                                    QStringLiteral("--data-dir"), dataDir});
    if (!QTest::qWaitFor([this] { return m_process.canReadLine(); }, patienceMs)) return;
    const QString line = QString::fromUtf8(m_process.readLine()).trimmed();  // "listening on http://..."
    m_address = line.mid(line.indexOf(QLatin1String("http")));
  }
  ~OwnServer() { m_process.kill(); }
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  [[nodiscard]] bool isUp() const { return m_address.startsWith(QLatin1String("http://")); }
  [[nodiscard]] const QString& address() const { return m_address; }
  // Asks it to end, as a person would; false if it does not.
  [[nodiscard]] bool end() {
    return ::kill(static_cast<pid_t>(m_process.processId()), SIGTERM) == 0 && m_process.waitForFinished(patienceMs);
  }

 private:
  QProcess m_process;
  QString m_address;
};

}  // namespace minerva::app
