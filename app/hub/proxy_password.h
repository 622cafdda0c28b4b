// The password of the configured proxy: removed from the typed address, stored in the keyring, and inserted again when the
// proxy is used. Without a keyring it is kept until the program ends. GUI thread only.
#pragma once

#include "app/hub/token_store.h"
#include "app/inference/error_info.h"

#include <functional>
#include <memory>
#include <vector>

namespace minerva::app {

class ProxyPassword : public QObject {
  Q_OBJECT
 public:
  using Keyring = std::function<std::unique_ptr<TokenStore>(const QString& key)>;

  explicit ProxyPassword(QObject* parent = nullptr);
  void setKeyring(Keyring keyring) { m_keyring = std::move(keyring); }  // for tests; the default is the system's keyring

  // Stores the password of the address, if it has one. Returns the address without it, which may be saved in the settings.
  [[nodiscard]] QString take(const QString& typed);
  [[nodiscard]] QString whole(const QString& address) const;  // with the password, if it is known
  // True if the address needs a password that has not been read from the keyring yet.
  [[nodiscard]] bool isUnread(const QString& address) const;
  // Asynchronous; the keyring may prompt the user. Calls while it is being read wait for the same answer.
  void read(const QString& address, std::function<void()> then);
  [[nodiscard]] ErrorInfo error() const { return m_error; }  // if the password could not be stored

 Q_SIGNALS:
  void errorChanged();

 private:
  void goOn();

  Keyring m_keyring;
  std::unique_ptr<TokenStore> m_store;
  QString m_secret, m_asked;  // keys of the password that is known, and of the one being read; empty: none
  QByteArray m_password;
  std::vector<std::function<void()>> m_waiting;  // for the password being read
  ErrorInfo m_error;
};

}  // namespace minerva::app
