// The proxy a person chose, as text: empty for the system's (http_proxy, https_proxy, no_proxy), "none", or an address.
#pragma once

#include "core/base/error.h"

#include <QNetworkProxy>
#include <QString>

namespace minerva::app {

// "HOST:PORT", "http://[NAME:PASSWORD@]HOST:PORT", "socks5://...". The system's is QNetworkProxy::DefaultProxy.
// Errors: invalidArgument.
[[nodiscard]] Result<QNetworkProxy> proxyFrom(const QString& text);

}  // namespace minerva::app
