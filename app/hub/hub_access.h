// Where the hub is and who asks: as the ecosystem's environment says. Values; safe on any thread.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>
#include <QUrl>

namespace minerva::app {

// The Hugging Face tools' own folder: HF_HOME, else ~/.cache/huggingface.
[[nodiscard]] QString huggingFaceHome();

struct HubAccess {
  QUrl endpoint{QStringLiteral("https://huggingface.co")};
  QByteArray token{};     // empty: none
  QString tokenSource{};  // where it is from, for messages: "HF_TOKEN", a file's path
  bool offline = false;   // nothing is asked of anybody

  // HF_ENDPOINT; HF_TOKEN, else the file HF_TOKEN_PATH, $HF_HOME/token or ~/.cache/huggingface/token.
  [[nodiscard]] static HubAccess fromEnvironment();

  // The token goes to the hub and to no other host.
  [[nodiscard]] bool isHub(const QUrl& url) const;
  // A request to the hub would show the token to everybody on the way: it is not made. Errors: invalidArgument.
  [[nodiscard]] std::optional<Error> exposesToken() const;
  [[nodiscard]] QUrl api(const QString& path, const QString& query = {}) const;  // path: "models/ORG/REPO"
  [[nodiscard]] QUrl file(const QString& repository, const QString& revision, const QString& path) const;
  [[nodiscard]] QUrl page(const QString& repository) const;
};

// "localhost", 127.0.0.1, ::1: what is sent there never leaves this machine.
[[nodiscard]] bool isThisMachine(const QString& host);

// What a person has set.
struct HubPreferences {
  bool offline = false;
  double bytesPerSecond = 0;  // of downloads, at most; 0: no limit
  QString proxy{};            // as proxyFrom() reads it
};

}  // namespace minerva::app
