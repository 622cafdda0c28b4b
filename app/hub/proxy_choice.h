// The user's proxy setting as text: empty for the system's proxy (http_proxy, https_proxy, no_proxy), "none", or an address.
#pragma once

#include "core/base/error.h"

#include <QNetworkProxy>
#include <QString>

namespace minerva::app {

// Parses the setting; addresses are "HOST:PORT", "http://[NAME:PASSWORD@]HOST:PORT" or "socks5://...". Returns
// QNetworkProxy::DefaultProxy for the system's proxy. Errors: invalidArgument.
[[nodiscard]] Result<QNetworkProxy> proxyFrom(const QString& text);

// The proxy's password is stored in the keyring, the rest of the address in the settings.
struct ProxyAddress {
  QString text;         // without the password
  QByteArray password;  // empty if there is none
};
[[nodiscard]] ProxyAddress withoutPassword(const QString& text);
[[nodiscard]] QString withPassword(const QString& text, const QByteArray& password);
// The key of its keyring entry, "proxy NAME@HOST:PORT"; empty if the address has no user name or is not a proxy address.
[[nodiscard]] QString proxySecret(const QString& text);

}  // namespace minerva::app
