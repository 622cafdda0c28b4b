// The proxy a person chose, as text: empty for the system's (http_proxy, https_proxy, no_proxy), "none", or an address.
#pragma once

#include "core/base/error.h"

#include <QNetworkProxy>
#include <QString>

namespace minerva::app {

// "HOST:PORT", "http://[NAME:PASSWORD@]HOST:PORT", "socks5://...". The system's is QNetworkProxy::DefaultProxy.
// Errors: invalidArgument.
[[nodiscard]] Result<QNetworkProxy> proxyFrom(const QString& text);

// The password of a proxy is kept in the keyring, the rest of its address in the settings.
struct ProxyAddress {
  QString text;         // without the password
  QByteArray password;  // empty: none was given
};
[[nodiscard]] ProxyAddress withoutPassword(const QString& text);
[[nodiscard]] QString withPassword(const QString& text, const QByteArray& password);
// "proxy NAME@HOST:PORT", the keyring's name for it; empty: the address names nobody, or no proxy.
[[nodiscard]] QString proxySecret(const QString& text);

}  // namespace minerva::app
