// Asks a server for its models: GET /models, once. For the thread of its HubNetwork.
#pragma once

#include "app/hub/hub_network.h"
#include "app/remote/server.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <utility>

namespace minerva::app {

struct FoundModels {
  QList<ServerModel> models;  // in the server's order
  QString kind;               // what answered, as far as its answer shows: "vLLM", "llama-server", ...; empty: not known
};

// Errors: corrupt (not a list of models), notFound (an empty one). serverHeader: of the response.
[[nodiscard]] Result<FoundModels> readModels(const QByteArray& json, const QByteArray& serverHeader);

class ServerProbe : public QObject {
  Q_OBJECT
 public:
  using Then = std::function<void(const Result<FoundModels>& found)>;
  static constexpr int patienceMs = 20000;

  ServerProbe(HubNetwork* network, const QUrl& server, const QByteArray& key, Then then, QObject* parent = nullptr);
  ~ServerProbe() override;  // without an answer yet, there will be none
  void start(int waitMs = patienceMs);

 private:
  void readSome();
  void finished();
  void end(const Result<FoundModels>& found);
  HubNetwork* m_network;
  QUrl m_server;
  QByteArray m_key, m_body;
  Then m_then;
  QPointer<QNetworkReply> m_reply;
  QString m_certificate;
  QTimer m_limit;
};

}  // namespace minerva::app
