// llama.cpp's server as a process of its own, on a free port and the CPU, with a small model of random weights; where it is installed
// (peers/llama-cpp.sh setup) and may run (it needs root and namespaces).
#pragma once

#include "patience.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTcpServer>

namespace minerva::app {

class LlamaServer {
 public:
  [[nodiscard]] static QString folder() { return QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/q-llama/gguf"); }
  [[nodiscard]] static QString model() { return QStringLiteral("q-llama-Q4_K_M.gguf"); }

  // Waits until it listens; then isUp().
  explicit LlamaServer(const QString& key) {
    const QString script = QStringLiteral(MINERVA_SHARED_DIR "/peers/llama-cpp.sh");
    const QString root = qEnvironmentVariable("PEER_ROOT", QDir::homePath() + QStringLiteral("/.cache/minerva-peer"));
    if (!QFile::exists(script) || !QFile::exists(root + QStringLiteral("/usr/bin/llama-server"))) {
      m_missing = QStringLiteral("skipped: llama-server is not installed (peers/llama-cpp.sh setup)");
      return;
    }
    QTcpServer probe;
    if (!probe.listen(QHostAddress::LocalHost)) return;
    m_port = QString::number(probe.serverPort());
    probe.close();
    m_process.setWorkingDirectory(folder());
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.start(script, QStringLiteral("tool llama-server -dev none -t 2 -c 256 --chat-template chatml").split(QLatin1Char(' ')) +
                                QStringList{QStringLiteral("-m"), QStringLiteral("/models/") + model(), QStringLiteral("--port"), m_port,
                                            QStringLiteral("--api-key"), key});
    const auto listens = [this] {
      m_log += m_process.readAll();
      return m_log.contains("listening") || m_process.state() == QProcess::NotRunning;
    };
    m_up = m_process.waitForStarted(patienceMs) && QTest::qWaitFor(listens, patienceMs) && m_process.state() == QProcess::Running;
    if (m_process.state() == QProcess::NotRunning) m_missing = QStringLiteral("skipped: llama-server cannot run here");
  }
  ~LlamaServer() {
    m_process.terminate();
    if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(10000)) m_process.kill();
    m_process.waitForFinished(10000);
  }
  LlamaServer(const LlamaServer&) = delete;
  LlamaServer& operator=(const LlamaServer&) = delete;

  [[nodiscard]] const QString& missing() const { return m_missing; }  // why a test is skipped; empty: it is not
  [[nodiscard]] bool isUp() const { return m_up; }
  [[nodiscard]] QString address() const { return QStringLiteral("localhost:") + m_port; }
  [[nodiscard]] const QByteArray& log() const { return m_log; }

 private:
  QProcess m_process;
  QString m_port, m_missing;
  QByteArray m_log;
  bool m_up = false;
};

}  // namespace minerva::app
