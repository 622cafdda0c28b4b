// Servers for QML: the list, trying an address out, adding, editing and removing, and their models for the model picker. GUI thread only.
// Nothing is sent to a server before the user asks for its models or chooses one of them.
#pragma once

#include "app/inference/error_info.h"
#include "app/remote/remote_engine.h"
#include "app/remote/remote_models.h"
#include "app/remote/server_keys.h"
#include "app/remote/server_list.h"
#include "app/remote/server_probe.h"

#include <QObject>
#include <QVariantMap>
#include <qqmlregistration.h>

#include <map>
#include <memory>

namespace minerva::app {

class ServerService : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(minerva::app::ServerList* list READ list CONSTANT)
  Q_PROPERTY(minerva::app::RemoteModels* models READ models CONSTANT)
  // The address that is being tried out: state, what was found, or why not.
  Q_PROPERTY(bool trying READ isTrying NOTIFY triedChanged)
  Q_PROPERTY(QStringList found READ found NOTIFY triedChanged)  // names of models; empty: not tried, or refused
  Q_PROPERTY(QString foundKind READ foundKind NOTIFY triedChanged)
  Q_PROPERTY(minerva::app::ErrorInfo tried READ tried NOTIFY triedChanged)
  Q_PROPERTY(minerva::app::ErrorInfo keyError READ keyError NOTIFY keyErrorChanged)  // a key could not be stored
 public:
  // file: of the list. log: not owned; may be null.
  ServerService(const QString& file, RequestLog* log, QObject* parent = nullptr);
  ~ServerService() override;

  [[nodiscard]] ServerList* list() { return &m_list; }
  [[nodiscard]] ServerKeys* keys() { return &m_keys; }
  [[nodiscard]] RemoteEngine* engine() { return &m_engine; }                      // of the chat
  [[nodiscard]] RemoteEngine* comparisonEngine() { return &m_comparisonEngine; }  // each tells one listener of its replies
  [[nodiscard]] RemoteModels* models() { return &m_models; }
  [[nodiscard]] bool isTrying() const { return m_trying; }
  [[nodiscard]] QStringList found() const;
  [[nodiscard]] QString foundKind() const { return m_found.kind; }
  [[nodiscard]] ErrorInfo tried() const { return m_tried; }
  [[nodiscard]] ErrorInfo keyError() const { return m_keys.error(); }

  void setNetwork(bool offline, const QString& proxy);
  void setPrepare(const RemoteEngine::Prepare& prepare);

  // What to say about an address while it is typed: {refusal, warning, keyGoes}; empty texts: nothing. keyGoes: the kept key of the
  // server `serverId` ("": a new one) will be forgotten, because the address is another host's.
  Q_INVOKABLE [[nodiscard]] QVariantMap check(const QString& serverId, const QString& address, const QString& key) const;
  Q_INVOKABLE [[nodiscard]] QVariantMap facts(const QString& serverId) const;  // {name, address, models, hasKey}; empty for a new server
  // Asks this address for its models. key "": the one kept for serverId, if that has the same host.
  Q_INVOKABLE void tryOut(const QString& serverId, const QString& address, const QString& key);
  Q_INVOKABLE void forgetTry();
  // Adds the server (serverId "") or changes it, and asks for its models. name "": the host. key "": keeps the present one. models: further
  // ones, beside those that it lists, with commas between them. Returns false, without side effects, if check() has a refusal.
  Q_INVOKABLE bool keep(const QString& serverId, const QString& address, const QString& name, const QString& key,
                        const QString& models = {});
  Q_INVOKABLE void removeKey(const QString& serverId);
  Q_INVOKABLE void remove(const QString& serverId);   // with its key; its conversations stay
  Q_INVOKABLE void refresh(const QString& serverId);  // asks for its models again

 Q_SIGNALS:
  void triedChanged();
  void keyErrorChanged();

 private:
  void probe(const QUrl& url, const QString& keyOf, const QByteArray& key, std::unique_ptr<ServerProbe>& slot,
             const ServerProbe::Then& then);
  [[nodiscard]] std::optional<Error> refusalOf(const QString& address, bool hasKey) const;
  [[nodiscard]] bool keepsKey(const QString& serverId, const QUrl& url) const;
  HubNetwork m_network;
  ServerList m_list;
  RemoteModels m_models{&m_list};
  ServerKeys m_keys;
  RemoteEngine m_engine, m_comparisonEngine;
  RemoteEngine::Prepare m_prepare;
  std::map<QString, std::unique_ptr<ServerProbe>> m_probes;  // by server
  std::unique_ptr<ServerProbe> m_try;
  quint64 m_tries = 0;
  bool m_trying = false;
  FoundModels m_found;
  ErrorInfo m_tried;
};

}  // namespace minerva::app
