// Runs the window's requests on servers: several at once, each a RemoteReply. GUI thread only.
#pragma once

#include "app/inference/other_engine.h"
#include "app/remote/remote_reply.h"
#include "app/remote/server_keys.h"
#include "app/remote/server_list.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace minerva::app {

class RemoteEngine : public OtherEngine {
  Q_OBJECT
 public:
  // Not owned; they must outlive this object.
  RemoteEngine(HubNetwork* network, ServerList* servers, ServerKeys* keys, QObject* parent = nullptr);
  ~RemoteEngine() override;

  // Calls its argument when the network can be used (the proxy's password has been read). Default: at once.
  using Prepare = std::function<void(const QUrl& server, std::function<void()> then)>;
  void setPrepare(Prepare prepare) { m_prepare = std::move(prepare); }
  void setPatience(ReplyPatience patience) { m_patience = patience; }  // for tests

  void setSink(Sink sink) override { m_sink = std::move(sink); }
  [[nodiscard]] std::shared_ptr<const Subject> subject(const QString& path) const override;
  void submit(quint64 ticket, const QString& path, engine::Request request) override;
  void cancel(quint64 ticket) override;
  void cancelOf(const QString& server);  // all replies of this server
  void cancelOutside();                  // all replies of servers on other computers

 private:
  void cancelIf(const std::function<bool(const QString& server)>& matches);
  struct Run {
    QString server;
    RequestSpan span;
    std::unique_ptr<RemoteReply> reply;  // null while its key is being read
  };
  void begin(quint64 ticket, const RemotePath& path, engine::Request request, const QByteArray& key);
  void take(quint64 ticket, const engine::Event& event);
  void failRun(quint64 ticket, const Error& error);
  HubNetwork* m_network;
  ServerList* m_servers;
  ServerKeys* m_keys;
  Sink m_sink;
  Prepare m_prepare;
  ReplyPatience m_patience;
  std::unordered_map<quint64, Run> m_runs;
};

}  // namespace minerva::app
