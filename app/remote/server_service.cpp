#include "app/remote/server_service.h"

#include "app/remote/server_address.h"
#include "app/text/text.h"

#include <QUuid>

#include <utility>

namespace minerva::app {
namespace {

constexpr qsizetype mostTyped = 100, longestTyped = 512;

QStringList namesIn(const QString& typed) {
  QStringList names;
  for (const QString& part : typed.split(u','))
    if (const QString name = part.simplified(); !name.isEmpty() && name.size() <= longestTyped && names.size() < mostTyped) names << name;
  names.removeDuplicates();
  return names;
}

}  // namespace

ServerService::ServerService(const QString& file, RequestLog* log, QObject* parent)
    : QObject(parent),
      m_network({}, log),
      m_list(file),
      m_engine(&m_network, &m_list, &m_keys),
      m_comparisonEngine(&m_network, &m_list, &m_keys) {
  connect(&m_keys, &ServerKeys::errorChanged, this, &ServerService::keyErrorChanged);
}

ServerService::~ServerService() = default;

QStringList ServerService::found() const {
  QStringList names;
  for (const ServerModel& model : m_found.models) names << model.id;
  return names;
}

void ServerService::setNetwork(bool offline, const QString& proxy) {
  m_network.access.offline = offline;
  if (offline)
    for (RemoteEngine* engine : {&m_engine, &m_comparisonEngine}) engine->cancelOutside();
  m_network.setProxy(proxy);
}

void ServerService::setPrepare(const RemoteEngine::Prepare& prepare) {
  m_prepare = prepare;
  for (RemoteEngine* engine : {&m_engine, &m_comparisonEngine}) engine->setPrepare(prepare);
}

bool ServerService::keepsKey(const QString& serverId, const QUrl& url) const {
  const Server* server = m_list.find(serverId);
  return server != nullptr && server->hasKey && haveSameOrigin(server->url, url);
}

std::optional<Error> ServerService::refusalOf(const QString& address, bool hasKey) const {
  const Result<QUrl> url = serverAddressFrom(address);
  if (!url) return url.error();
  return hasKey ? exposesKey(*url) : std::nullopt;
}

QVariantMap ServerService::check(const QString& serverId, const QString& address, const QString& key) const {
  const QByteArray typed = key.trimmed().toUtf8();
  std::optional<Error> refusal = refusalOf(address, !typed.isEmpty());
  if (!refusal) refusal = ServerKeys::problemOf(typed);
  QVariantMap said{{QStringLiteral("refusal"), QString()}, {QStringLiteral("warning"), QString()}, {QStringLiteral("keyGoes"), false}};
  if (refusal) {
    const ErrorInfo info = ErrorInfo::from(*refusal, tr("This address cannot be used"));
    said[QStringLiteral("refusal")] = info.hint.isEmpty() ? info.detail : QStringLiteral("%1. %2").arg(info.detail, info.hint);
    return said;
  }
  const QUrl url = *serverAddressFrom(address);
  if (isReadable(url)) said[QStringLiteral("warning")] = tr("Without https, others on the network can read what you send there.");
  const Server* server = m_list.find(serverId);
  said[QStringLiteral("keyGoes")] = typed.isEmpty() && server != nullptr && server->hasKey && !keepsKey(serverId, url);
  return said;
}

QVariantMap ServerService::facts(const QString& serverId) const {
  const Server* server = m_list.find(serverId);
  return {{QStringLiteral("name"), server != nullptr ? server->name : QString()},
          {QStringLiteral("address"), server != nullptr ? server->url.toString() : QString()},
          {QStringLiteral("models"), server != nullptr ? server->typed.join(QStringLiteral(", ")) : QString()},
          {QStringLiteral("hasKey"), server != nullptr && server->hasKey}};
}

void ServerService::probe(const QUrl& url, const QString& keyOf, const QByteArray& key, std::unique_ptr<ServerProbe>& slot,
                          const ServerProbe::Then& then) {
  slot = std::make_unique<ServerProbe>(&m_network, url, key, then);  // ends the one before
  QPointer<ServerProbe> made = slot.get();
  auto go = [this, made, url, keyOf, then, &slot]() {
    if (!made) return;
    if (keyOf.isEmpty()) return made->start();
    m_keys.read(keyOf, [this, made, url, then, &slot](const Result<QByteArray>& kept) {
      if (!made) return;
      if (!kept) return then(fail(kept.error()));
      slot = std::make_unique<ServerProbe>(&m_network, url, *kept, then);
      slot->start();
    });
  };
  if (m_prepare) m_prepare(url, std::move(go));
  else go();
}

void ServerService::tryOut(const QString& serverId, const QString& address, const QString& key) {
  forgetTry();
  const QByteArray typed = key.trimmed().toUtf8();
  std::optional<Error> refusal = refusalOf(address, !typed.isEmpty());
  if (!refusal) refusal = ServerKeys::problemOf(typed);
  if (refusal) {
    m_tried = ErrorInfo::from(*refusal, tr("This address cannot be used"));
    Q_EMIT triedChanged();
    return;
  }
  const QUrl url = *serverAddressFrom(address);
  m_trying = true;
  Q_EMIT triedChanged();
  probe(url, typed.isEmpty() && keepsKey(serverId, url) ? serverId : QString(), typed, m_try,
        [this, number = ++m_tries](const Result<FoundModels>& found) {
          if (number != m_tries) return;
          m_trying = false;
          if (found) m_found = *found;
          else m_tried = ErrorInfo::from(found.error(), tr("The models could not be listed"));
          Q_EMIT triedChanged();
        });
}

void ServerService::forgetTry() {
  ++m_tries;
  m_try.reset();
  m_trying = false;
  m_found = {};
  m_tried = {};
  Q_EMIT triedChanged();
}

bool ServerService::keep(const QString& serverId, const QString& address, const QString& name, const QString& key, const QString& models) {
  if (!check(serverId, address, key)[QStringLiteral("refusal")].toString().isEmpty()) return false;
  const QUrl url = *serverAddressFrom(address);
  const QByteArray typed = key.trimmed().toUtf8();
  const Server* present = m_list.find(serverId);
  Server server = present != nullptr ? *present
                                     : Server{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                                              .name = {},
                                              .url = {},
                                              .kind = {},
                                              .hasKey = false,
                                              .models = {},
                                              .typed = {},
                                              .leftOut = {}};
  const bool keyStays = keepsKey(serverId, url);
  if (server.url != url) {  // it may be another program
    server.kind.clear();
    server.models.clear();
    server.leftOut.clear();
  }
  server.url = url;
  server.typed = namesIn(models);
  server.name = name.simplified().isEmpty() ? url.authority() : name.simplified();
  if (!typed.isEmpty()) m_keys.keep(server.id, typed);
  else if (server.hasKey && !keyStays) m_keys.forget(server.id);
  server.hasKey = !typed.isEmpty() || keyStays;
  m_list.put(server);
  refresh(server.id);
  return true;
}

void ServerService::removeKey(const QString& serverId) {
  const Server* present = m_list.find(serverId);
  if (present == nullptr || !present->hasKey) return;
  Server server = *present;
  server.hasKey = false;
  m_keys.forget(serverId);
  m_list.put(server);
}

void ServerService::remove(const QString& serverId) {
  const Server* server = m_list.find(serverId);
  if (server == nullptr) return;
  if (server->hasKey) m_keys.forget(serverId);
  m_probes.erase(serverId);
  for (RemoteEngine* engine : {&m_engine, &m_comparisonEngine}) engine->cancelOf(serverId);
  m_list.remove(serverId);
}

void ServerService::refresh(const QString& serverId) {
  const Server* server = m_list.find(serverId);
  if (server == nullptr) return;
  m_list.setBusy(serverId);
  probe(server->url, server->hasKey ? serverId : QString(), {}, m_probes[serverId],
        [this, serverId](const Result<FoundModels>& found) { m_list.setFound(serverId, found); });
}

}  // namespace minerva::app
