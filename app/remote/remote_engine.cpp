#include "app/remote/remote_engine.h"

#include "app/remote/chat_body.h"
#include "app/remote/server_address.h"

#include <utility>
#include <vector>

namespace minerva::app {

RemoteEngine::RemoteEngine(HubNetwork* network, ServerList* servers, ServerKeys* keys, QObject* parent)
    : OtherEngine(parent), m_network(network), m_servers(servers), m_keys(keys) {
  connect(servers, &ServerList::serversChanged, this, &OtherEngine::changed);
}

RemoteEngine::~RemoteEngine() { m_runs.clear(); }

// A model stays usable when the server no longer lists it: only the server knows whether it still answers.
std::shared_ptr<const Subject> RemoteEngine::subject(const QString& path) const {
  const RemotePath remote = RemotePath::from(path);
  const Server* server = remote.model.isEmpty() ? nullptr : m_servers->find(remote.server);
  if (server == nullptr) return nullptr;
  const ServerModel* model = server->model(remote.model);
  auto subject = std::make_shared<Subject>();
  subject->model.name = remote.model;
  subject->model.path = path;
  subject->model.server = server->name;
  subject->model.leftOut = server->leftOut.value(remote.model);
  subject->model.reasoning.efforts = reasoningEfforts();
  subject->model.reasoning.effortVariable = "reasoning_effort";
  subject->model.contextLength = model != nullptr ? model->context : 0;
  subject->device.text = server->name;
  subject->device.name = server->kind.isEmpty() ? server->name : tr("%1 on %2").arg(server->kind, server->name);
  subject->device.detail = server->url.toString();
  return subject;
}

void RemoteEngine::submit(quint64 ticket, const QString& path, engine::Request request) {
  const RemotePath remote = RemotePath::from(path);
  const Server* server = m_servers->find(remote.server);
  m_runs[ticket] = {
      .server = remote.server, .span = {.sent = Clock::now(), .loadMs = 0, .subject = subject(path), .pieces = false}, .reply = nullptr};
  if (server == nullptr) {
    return failRun(ticket, {.kind = ErrorKind::notFound,
                            .what = "This server was removed",
                            .where = {},
                            .expected = {},
                            .actual = {},
                            .hint = "Choose another model"});
  }
  auto go = [this, ticket, remote, request = std::move(request)](const Result<QByteArray>& key) mutable {
    if (!m_runs.contains(ticket)) return;  // cancelled meanwhile
    if (!key) return failRun(ticket, key.error());
    begin(ticket, remote, std::move(request), *key);
  };
  const bool hasKey = server->hasKey;
  auto withKey = [this, hasKey, id = server->id, go = std::move(go)]() mutable {
    if (hasKey) m_keys->read(id, std::move(go));
    else go(QByteArray());
  };
  if (m_prepare) m_prepare(server->url, std::move(withKey));
  else withKey();
}

void RemoteEngine::begin(quint64 ticket, const RemotePath& path, engine::Request request, const QByteArray& key) {
  const Server* server = m_servers->find(path.server);
  if (server == nullptr) return cancel(ticket);
  RemoteReply::Order order{.server = server->url,
                           .name = server->name,
                           .key = key,
                           .model = path.model,
                           .request = std::move(request),
                           .leftOut = server->leftOut.value(path.model),
                           .patience = m_patience};
  std::unique_ptr<RemoteReply>& reply = m_runs[ticket].reply;
  reply = std::make_unique<RemoteReply>(m_network, std::move(order), [this, ticket](const engine::Event& event) { take(ticket, event); });
  connect(reply.get(), &RemoteReply::fieldsRefused, this,
          [this, path](const QStringList& fields) { m_servers->leaveOut(path.server, path.model, fields); });
  reply->start();
}

void RemoteEngine::take(quint64 ticket, const engine::Event& event) {
  const auto run = m_runs.find(ticket);
  if (run == m_runs.end()) return;
  run->second.span.pieces = !run->second.reply->isCounted();
  const bool isLast = std::holds_alternative<engine::Finished>(event.body) || std::holds_alternative<engine::Failed>(event.body);
  if (!isLast) return m_sink(ticket, event, run->second.span);
  Run ended = std::move(run->second);
  m_runs.erase(run);
  ended.reply.release()->deleteLater();  // it is calling
  m_sink(ticket, event, ended.span);
}

void RemoteEngine::failRun(quint64 ticket, const Error& error) {
  const Run ended = std::move(m_runs[ticket]);
  m_runs.erase(ticket);
  m_sink(ticket, {.request = 0, .time = Clock::now(), .body = engine::Failed{.error = error, .timings = {}}}, ended.span);
}

void RemoteEngine::cancel(quint64 ticket) {
  const auto run = m_runs.find(ticket);
  if (run == m_runs.end()) return;
  if (run->second.reply) return run->second.reply->cancel();
  const RequestSpan span = run->second.span;
  m_runs.erase(run);
  m_sink(
      ticket,
      {.request = 0, .time = Clock::now(), .body = engine::Finished{.reason = engine::FinishReason::cancelled, .tail = {}, .timings = {}}},
      span);
}

void RemoteEngine::cancelOf(const QString& server) {
  cancelIf([&server](const QString& of) { return of == server; });
}

void RemoteEngine::cancelOutside() {
  cancelIf([this](const QString& of) {
    const Server* server = m_servers->find(of);
    return server != nullptr && !isThisMachine(server->url.host());
  });
}

void RemoteEngine::cancelIf(const std::function<bool(const QString& server)>& matches) {
  std::vector<quint64> tickets;
  for (const auto& [ticket, run] : m_runs)
    if (matches(run.server)) tickets.push_back(ticket);
  for (const quint64 ticket : tickets) cancel(ticket);
}

}  // namespace minerva::app
