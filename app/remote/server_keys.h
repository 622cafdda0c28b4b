// The keys of servers: in the system's keyring; without one, in memory until the program ends. GUI thread only.
#pragma once

#include "app/hub/token_store.h"
#include "app/inference/error_info.h"

#include <QHash>
#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace minerva::app {

class ServerKeys : public QObject {
  Q_OBJECT
 public:
  using Keyring = std::function<std::unique_ptr<TokenStore>(const QString& key)>;
  using Then = std::function<void(const Result<QByteArray>& key)>;
  static constexpr int keyringMs = 20000;  // long enough to type the keyring's password

  explicit ServerKeys(QObject* parent = nullptr);
  void setKeyring(Keyring keyring) { m_keyring = std::move(keyring); }  // for tests; the default is the system's keyring

  // Error (invalidArgument) if it cannot be a key: an HTTP header must be able to carry it.
  [[nodiscard]] static std::optional<Error> problemOf(const QByteArray& key);
  void keep(const QString& server, const QByteArray& key);
  void forget(const QString& server);
  // From memory, else from the keyring, which may ask the user. Errors: it is not there, or the keyring does not answer.
  void read(const QString& server, Then then);
  [[nodiscard]] ErrorInfo error() const { return m_error; }  // if a key could not be stored

 Q_SIGNALS:
  void errorChanged();

 private:
  void answer(const QString& server, const Result<QByteArray>& key);
  void setError(const ErrorInfo& error);
  Keyring m_keyring;
  std::map<QString, std::unique_ptr<TokenStore>> m_stores;
  QHash<QString, QByteArray> m_known;
  struct Waiting {
    quint64 serial = 0;  // of the question to the keyring
    std::vector<Then> then;
  };
  std::map<QString, Waiting> m_waiting;
  quint64 m_serial = 0;
  ErrorInfo m_error;
};

}  // namespace minerva::app
