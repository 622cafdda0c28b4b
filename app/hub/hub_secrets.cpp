// The part of HubService about the access token and the proxy's password, which are in the system's keyring.
#include "app/hub/hub_service.h"
#include "app/hub/hub_worker.h"

#include <QTimer>

#include <utility>

namespace minerva::app {
namespace {

constexpr int keyringMs = 20000;  // long enough to type the keyring's password

}  // namespace

// Reading the keyring may prompt the user to unlock it, so it is read only before the first query, and only once.
void HubService::withToken(std::function<void()> ask) {
  withProxy([this, ask = std::move(ask)]() mutable { askWithToken(std::move(ask)); });
}

void HubService::withProxy(std::function<void()> then) {
  if (!m_proxy.isUnread(m_preferences.proxy)) return then();
  const auto left = std::make_shared<std::function<void()>>(std::move(then));
  // Continue without the password; if it arrives later, it is used from then on.
  QTimer::singleShot(keyringMs, this, [left] {
    if (*left) std::exchange(*left, {})();
  });
  m_proxy.read(m_preferences.proxy, [this, left] {
    tellPreferences();
    if (*left) withProxy(std::exchange(*left, {}));
  });
}

void HubService::askWithToken(std::function<void()> ask) {
  if (m_tokenRead == TokenRead::done || !m_access.token.isEmpty()) return ask();
  m_waiting.push_back(std::move(ask));
  readToken();
}

void HubService::readToken() {
  if (m_tokenRead != TokenRead::notYet || !m_access.token.isEmpty()) return;
  m_tokenRead = TokenRead::asked;
  const auto goOn = [this] {
    m_tokenRead = TokenRead::done;
    for (const auto& ask : std::exchange(m_waiting, {})) ask();
  };
  QTimer::singleShot(keyringMs, this, [this, goOn] {
    if (m_tokenRead == TokenRead::asked) goOn();  // continue without a token; if one arrives later, it is used from then on
  });
  m_store->read([this, goOn](const Result<QByteArray>& token) {
    m_tokenKept = token && !token->isEmpty();
    if (m_tokenKept) useToken(*token);  // no error without a keyring: it matters only when storing a token, and keepToken() reports it
    if (m_tokenRead == TokenRead::asked) goOn();
  });
}

void HubService::useToken(const QByteArray& token) {
  m_access.token = token;
  m_access.tokenSource = token.isEmpty() ? QString() : tr("the keyring");
  onWorker([token, source = m_access.tokenSource](HubWorker& w) { w.setToken(token, source); });
  Q_EMIT tokenChanged();
}

void HubService::keepToken(const QString& token) {
  const QByteArray kept = token.trimmed().toUtf8();
  m_store->write(kept, [this, kept](const Result<void>& done) {
    m_tokenError =
        done ? ErrorInfo()
             : ErrorInfo::from(done.error(), kept.isEmpty() ? tr("The token could not be removed") : tr("The token was not saved"));
    if (done) {
      m_tokenKept = !kept.isEmpty();
      m_tokenRead = TokenRead::done;
      useToken(kept);
    }
    Q_EMIT tokenChanged();
  });
}

}  // namespace minerva::app
