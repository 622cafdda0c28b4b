// A server that the user has entered, and its models. Value types.
#pragma once

#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <algorithm>

namespace minerva::app {

struct ServerModel {
  QString id;
  int context = 0;  // tokens; 0: the server does not tell
  friend bool operator==(const ServerModel&, const ServerModel&) = default;
};

struct Server {
  QString id;                          // a UUID
  QString name;                        // never empty
  QUrl url;                            // as serverAddressFrom()
  QString kind;                        // "vLLM", "llama-server", ...; empty: not known
  bool hasKey = false;                 // it is in ServerKeys
  QList<ServerModel> models;           // that it lists
  QStringList typed;                   // further ones that the user has named: not every server lists all that it answers for
  QMap<QString, QStringList> leftOut;  // by model: fields of requests that the server does not take for it

  [[nodiscard]] const ServerModel* model(const QString& modelId) const {
    const auto found = std::ranges::find(models, modelId, &ServerModel::id);
    return found == models.end() ? nullptr : &*found;
  }
  [[nodiscard]] QList<ServerModel> allModels() const {
    QList<ServerModel> all;
    for (const QString& id : typed)
      if (model(id) == nullptr) all.push_back({.id = id});
    return all + models;
  }
};

// The path of a server's model: "server:ID/MODEL". Model ids may contain slashes.
struct RemotePath {
  QString server, model;
  [[nodiscard]] QString text() const { return QStringLiteral("server:%1/%2").arg(server, model); }
  [[nodiscard]] static RemotePath from(const QString& path) {  // empty if it is none
    const QLatin1String scheme("server:");
    const qsizetype slash = path.indexOf(QLatin1Char('/'));
    if (!path.startsWith(scheme) || slash < 0) return {};
    return {path.mid(scheme.size(), slash - scheme.size()), path.mid(slash + 1)};
  }
};

}  // namespace minerva::app
