#include "app/remote/server_keys.h"

#include <QTimer>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr qsizetype longestKey = 4096;

Error missingKey(const std::string& actual) {
  return {.kind = ErrorKind::notFound,
          .what = "The key of this server could not be read from the keyring",
          .where = {},
          .expected = {},
          .actual = actual,
          .hint = "Unlock the keyring, or enter the key again (Models, Servers)"};
}

}  // namespace

ServerKeys::ServerKeys(QObject* parent)
    : QObject(parent),
      m_keyring([](const QString& key) { return std::make_unique<TokenStore>(key, "the key must be entered again after a restart"); }) {}

std::optional<Error> ServerKeys::problemOf(const QByteArray& key) {
  const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 127; });
  if (printable && key.size() <= longestKey) return std::nullopt;
  return Error{.kind = ErrorKind::invalidArgument,
               .what = "This cannot be a key",
               .where = {},
               .expected = "letters, digits and signs without spaces",
               .actual = key.size() > longestKey ? "a text of " + std::to_string(key.size()) + " bytes" : "other characters",
               .hint = "Copy the key again from where it was made"};
}

void ServerKeys::keep(const QString& server, const QByteArray& key) {
  m_known.insert(server, key);
  std::unique_ptr<TokenStore>& store = m_stores[server];
  store = m_keyring(QStringLiteral("server ") + server);
  store->write(key, [this](const Result<void>& kept) {
    setError(kept ? ErrorInfo() : ErrorInfo::from(kept.error(), tr("The key is kept only until Minerva is closed")));
  });
  answer(server, key);  // those who wait for the earlier one
}

void ServerKeys::forget(const QString& server) {
  m_known.remove(server);
  std::unique_ptr<TokenStore>& store = m_stores[server];
  store = m_keyring(QStringLiteral("server ") + server);
  store->write({}, [](const Result<void>&) {});  // without a keyring, nothing was kept
  answer(server, fail(missingKey({})));
}

void ServerKeys::read(const QString& server, Then then) {
  if (const auto known = m_known.constFind(server); known != m_known.constEnd()) return then(*known);
  Waiting& waiting = m_waiting[server];
  waiting.then.push_back(std::move(then));
  if (waiting.then.size() > 1) return;
  waiting.serial = ++m_serial;
  QTimer::singleShot(keyringMs, this, [this, server, serial = m_serial] {
    const auto found = m_waiting.find(server);
    if (found != m_waiting.end() && found->second.serial == serial) answer(server, fail(missingKey("the keyring does not answer")));
  });
  std::unique_ptr<TokenStore>& store = m_stores[server];
  store = m_keyring(QStringLiteral("server ") + server);
  store->read([this, server](const Result<QByteArray>& key) {
    if (key && !key->isEmpty()) m_known.insert(server, *key);
    answer(server, key && !key->isEmpty() ? key : fail(missingKey(key ? std::string("no entry") : key.error().actual)));
  });
}

void ServerKeys::answer(const QString& server, const Result<QByteArray>& key) {
  const auto found = m_waiting.find(server);
  if (found == m_waiting.end()) return;
  const std::vector<Then> waiting = std::move(found->second.then);
  m_waiting.erase(found);
  for (const Then& then : waiting) then(key);
}

void ServerKeys::setError(const ErrorInfo& error) {
  m_error = error;
  Q_EMIT errorChanged();
}

}  // namespace minerva::app
