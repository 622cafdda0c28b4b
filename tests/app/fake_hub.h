// A hub on the loopback interface (fake_hub.py) with one repository, "org/model".
#pragma once

#include "app/hub/hub_access.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace minerva::app {

class FakeHub {
 public:
  // The reason why the hub cannot run on this machine; empty if it can. Also unsets proxy variables, so that requests reach
  // the hub directly.
  [[nodiscard]] static QString missing() {
    for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}) qunsetenv(name);
    const bool python = !QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty();
    return python ? QString() : QStringLiteral("skipped: no python3 on this machine");
  }

  explicit FakeHub(const QJsonObject& files, const QJsonObject& more = {}, const QJsonObject& about = {}) {
    QJsonObject repository = about, scenario = more;
    repository[QStringLiteral("files")] = files;
    scenario[QStringLiteral("repositories")] = QJsonObject{{QStringLiteral("org/model"), repository}};
    QFile file(m_folder.filePath(QStringLiteral("scenario.json")));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no temporary file");
    file.write(QJsonDocument(scenario).toJson());
    file.close();
    m_process.start(QStringLiteral("python3"), {QStringLiteral(MINERVA_SOURCE_DIR "/tests/app/fake_hub.py"), file.fileName()});
    if (!m_process.waitForReadyRead(20000)) qFatal("the fake hub does not start: %s", m_process.readAllStandardError().constData());
    m_access.endpoint = QUrl(QString::fromUtf8(m_process.readLine().trimmed()));
  }
  ~FakeHub() {
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(5000)) m_process.kill();
    m_process.waitForFinished();
  }
  [[nodiscard]] const HubAccess& access() const { return m_access; }
  [[nodiscard]] QJsonObject stats() const {
    QNetworkAccessManager manager;
    QNetworkRequest request(QUrl(m_access.endpoint.toString() + QStringLiteral("/control/stats")));
    QNetworkReply* reply = manager.get(request);
    QSignalSpy finished(reply, &QNetworkReply::finished);
    finished.wait(5000);
    return QJsonDocument::fromJson(reply->readAll()).object();
  }
  [[nodiscard]] QJsonObject file(const QString& path) const { return stats()[QStringLiteral("files")].toObject()[path].toObject(); }

 private:
  QTemporaryDir m_folder;
  QProcess m_process;
  HubAccess m_access;
};

}  // namespace minerva::app
