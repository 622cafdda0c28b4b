// A secret (the hub's token, a proxy's password) in the system's keyring (GNOME Keyring, KWallet: whatever QtKeychain finds), and nowhere
// else: where no keyring service runs, nothing is written. Answers come once the keyring has asked its user what it wants to ask.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QObject>
#include <QUrl>

#include <functional>

namespace minerva::app {

class TokenStore : public QObject {
  Q_OBJECT
 public:
  using Read = std::function<void(const Result<QByteArray>& token)>;  // empty: none is kept
  using Written = std::function<void(const Result<void>& done)>;

  // One token for each hub.
  explicit TokenStore(const QUrl& endpoint, QObject* parent = nullptr);
  explicit TokenStore(const QString& key, QObject* parent = nullptr) : QObject(parent), m_key(key) {}

  // Errors: unsupported (built without QtKeychain, or no service runs), io (refused). Virtual: tests keep it elsewhere.
  virtual void read(Read answer);
  virtual void write(const QByteArray& token, Written answer);  // empty: removes it

 private:
  QString m_key;
};

}  // namespace minerva::app
