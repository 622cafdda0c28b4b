// Helpers for download tests: a network with short timeouts, the files of a repository, running a download to its end.
#pragma once

#include "app/hub/download.h"
#include "app/hub/hub_client.h"
#include "fake_hub.h"
#include "patience.h"

#include <QCryptographicHash>

#include <optional>

namespace minerva::app {

// One file, served with these faults.
inline QJsonObject bigFile(const QStringList& faults, qint64 size = 3'000'000) {
  return {{QStringLiteral("size"), size}, {QStringLiteral("seed"), 5}, {QStringLiteral("faults"), QJsonArray::fromStringList(faults)}};
}

// A network with short timeouts.
struct Hurry {
  explicit Hurry(const HubAccess& access, RequestLog* log = nullptr) : network(access, log) {
    network.patience = {.tries = 4, .firstWaitMs = 5, .longestWaitMs = 40, .stallMs = 400};
  }
  HubNetwork network;
};

inline Result<Repository> filesOf(HubNetwork& network, const QString& name = QStringLiteral("org/model"),
                                  const QString& revision = QStringLiteral("main")) {
  HubClient client(&network);
  std::optional<Result<Repository>> answer;
  client.repository(name, revision, [&answer](Result<Repository> repository) { answer = std::move(repository); });
  if (!QTest::qWaitFor([&] { return answer.has_value(); }, patienceMs)) qFatal("no answer");
  return std::move(*answer);
}

// Runs the download to its end; the statuses on the way are appended to `seen`.
inline DownloadStatus run(Download& download, QList<DownloadStatus>* seen = nullptr) {
  const auto note = QObject::connect(&download, &Download::changed, &download, [&] {
    if (seen != nullptr) *seen << download.status();
  });
  download.start();
  const bool ended = QTest::qWaitFor(
      [&] { return download.status().state == DownloadStatus::Failed || download.status().state == DownloadStatus::Done; }, patienceMs);
  QObject::disconnect(note);
  if (!ended) qFatal("the download does not end");
  return download.status();
}

inline QByteArray sha256Of(const QString& path) {
  QFile file(path);
  QCryptographicHash hash(QCryptographicHash::Sha256);
  return file.open(QIODevice::ReadOnly) && hash.addData(&file) ? hash.result().toHex() : QByteArray();
}

}  // namespace minerva::app
