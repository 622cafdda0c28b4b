#include "app/hub/proxy_password.h"

#include "app/hub/proxy_choice.h"

#include <utility>

namespace minerva::app {

ProxyPassword::ProxyPassword(QObject* parent)
    : QObject(parent), m_keyring([](const QString& key) { return std::make_unique<TokenStore>(key); }) {}

QString ProxyPassword::take(const QString& typed) {
  const ProxyAddress address = withoutPassword(typed);
  if (address.password.isEmpty()) return typed;
  m_secret = proxySecret(address.text);
  m_password = address.password;
  if (!m_asked.isEmpty()) {  // the keyring's answer is no longer needed
    m_asked.clear();
    m_store.reset();
    QMetaObject::invokeMethod(this, &ProxyPassword::goOn, Qt::QueuedConnection);  // once the caller uses the new address
  }
  if (m_secret.isEmpty()) return address.text;  // invalid address or no user name: no keyring entry
  m_store = m_keyring(m_secret);
  m_store->write(m_password, [this](const Result<void>& kept) {
    m_error = kept ? ErrorInfo() : ErrorInfo::from(kept.error(), tr("The proxy's password is kept only until Minerva is closed"));
    if (!kept) m_error.hint = tr("Without a keyring, set it in the environment variable https_proxy and leave the setting empty");
    Q_EMIT errorChanged();
  });
  return address.text;
}

QString ProxyPassword::whole(const QString& address) const {
  const bool ours = !m_secret.isEmpty() && proxySecret(address) == m_secret && withoutPassword(address).password.isEmpty();
  return ours ? withPassword(address, m_password) : address;
}

bool ProxyPassword::isUnread(const QString& address) const {
  const QString secret = proxySecret(address);
  return !secret.isEmpty() && secret != m_secret && withoutPassword(address).password.isEmpty();
}

void ProxyPassword::read(const QString& address, std::function<void()> then) {
  m_waiting.push_back(std::move(then));
  const QString secret = proxySecret(address);
  if (std::exchange(m_asked, secret) == secret) return;
  m_store = m_keyring(secret);  // drops an unanswered question for another proxy's password
  m_store->read([this, secret](const Result<QByteArray>& password) {
    m_asked.clear();
    m_secret = secret;
    m_password = password ? *password : QByteArray();
    goOn();
  });
}

void ProxyPassword::goOn() {
  for (const auto& then : std::exchange(m_waiting, {})) then();
}

}  // namespace minerva::app
