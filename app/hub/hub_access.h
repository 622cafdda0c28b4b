// The hub's address and the access token, from the environment variables used by Hugging Face tools. Value types;
// thread-safe.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>
#include <QUrl>

namespace minerva::app {

// The folder of the Hugging Face tools: HF_HOME, else ~/.cache/huggingface.
[[nodiscard]] QString huggingFaceHome();

struct HubAccess {
  QUrl endpoint{QStringLiteral("https://huggingface.co")};
  QByteArray token{};        // empty: none
  QString tokenSource{};     // for messages: "HF_TOKEN" or a file's path
  bool offline = false;      // no requests are made
  bool keptOffline = false;  // nor whatever the settings say, because the environment asks for it

  // Endpoint: HF_ENDPOINT. Token: HF_TOKEN, else the file HF_TOKEN_PATH, $HF_HOME/token or ~/.cache/huggingface/token. Offline:
  // HF_HUB_OFFLINE, else TRANSFORMERS_OFFLINE.
  [[nodiscard]] static HubAccess fromEnvironment();

  [[nodiscard]] bool isOffline() const { return offline || keptOffline; }
  // True if the URL is on the hub itself. The token is sent to no other host.
  [[nodiscard]] bool isHub(const QUrl& url) const;
  // The error (invalidArgument) if requests would send the token over plain http to another machine; they must not be made
  // then. nullopt if there is no such risk.
  [[nodiscard]] std::optional<Error> exposesToken() const;
  [[nodiscard]] QUrl api(const QString& path, const QString& query = {}) const;  // path: "models/ORG/REPO"
  [[nodiscard]] QUrl revision(const QString& model, const QString& name) const;  // model: "models/ORG/REPO"; name: "main", "refs/pr/1"
  [[nodiscard]] QUrl file(const QString& repository, const QString& revision, const QString& path) const;
  [[nodiscard]] QUrl page(const QString& repository) const;
};

// "localhost" and loopback addresses (127.0.0.1, ::1): requests to them do not leave this machine.
[[nodiscard]] bool isThisMachine(const QString& host);

// The user's network settings.
struct HubPreferences {
  bool offline = false;
  double bytesPerSecond = 0;  // limit for downloads; 0: none
  QString proxy{};            // in the format of proxyFrom()
};

}  // namespace minerva::app
