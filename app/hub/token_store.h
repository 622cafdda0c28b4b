// Stores a secret (the hub's token, a proxy's password, a server's key) in the system's keyring (GNOME Keyring, KWallet or another one
// supported by QtKeychain), and nowhere else: without a keyring service nothing is written. Callbacks are called when the
// keyring has answered, possibly after prompting the user.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QObject>
#include <QUrl>

#include <functional>
#include <string>

namespace minerva::app {

class TokenStore : public QObject {
  Q_OBJECT
 public:
  using Read = std::function<void(const Result<QByteArray>& token)>;  // empty: no secret is stored
  using Written = std::function<void(const Result<void>& done)>;

  // For the hub's token; each endpoint has its own entry.
  explicit TokenStore(const QUrl& endpoint, QObject* parent = nullptr);
  // For another secret. instead: what the user can do without a keyring, for errors.
  explicit TokenStore(const QString& key, const std::string& instead = {}, QObject* parent = nullptr)
      : QObject(parent), m_key(key), m_instead(instead) {}

  // Errors: unsupported (no keyring service; for write() also: built without QtKeychain), io (refused). Without QtKeychain,
  // read() returns an empty token. Virtual for tests.
  virtual void read(Read answer);
  virtual void write(const QByteArray& token, Written answer);  // empty: removes the entry

 private:
  QString m_key;
  std::string m_instead;
};

}  // namespace minerva::app
