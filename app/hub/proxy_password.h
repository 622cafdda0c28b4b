// The password of the proxy that a person has chosen: taken out of what was typed, kept in the keyring, and put back where the
// proxy is used. Where there is no keyring it lasts until the end of the program. GUI thread only.
#pragma once

#include "app/hub/token_store.h"
#include "app/inference/error_info.h"

#include <functional>
#include <memory>

namespace minerva::app {

class ProxyPassword : public QObject {
  Q_OBJECT
 public:
  using Keyring = std::function<std::unique_ptr<TokenStore>(const QString& key)>;

  explicit ProxyPassword(QObject* parent = nullptr);
  void setKeyring(Keyring keyring) { m_keyring = std::move(keyring); }  // tests; else the system's

  // The address without its password, which is kept: what the settings may hold.
  [[nodiscard]] QString take(const QString& typed);
  [[nodiscard]] QString whole(const QString& address) const;  // with the password, if it is known
  // True: the keyring has not been asked for this one yet.
  [[nodiscard]] bool isUnread(const QString& address) const;
  void read(const QString& address, std::function<void()> then);  // the keyring may ask its user to unlock it
  [[nodiscard]] ErrorInfo error() const { return m_error; }       // it could not be kept

 Q_SIGNALS:
  void errorChanged();

 private:
  Keyring m_keyring;
  std::unique_ptr<TokenStore> m_store;
  QString m_secret;  // whose password is known, or was asked for
  QByteArray m_password;
  ErrorInfo m_error;
};

}  // namespace minerva::app
