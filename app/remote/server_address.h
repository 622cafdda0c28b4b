// Addresses of OpenAI-compatible servers as a user types them. Pure functions.
#pragma once

#include "core/base/error.h"

#include <QString>
#include <QUrl>

#include <optional>

namespace minerva::app {

// The address below which /models and /chat/completions are, without a slash at its end: "http://localhost:8080/v1" for
// "localhost:8080". Without a scheme, this computer, IP addresses and local names get http, others https. Errors: invalidArgument.
[[nodiscard]] Result<QUrl> serverAddressFrom(const QString& typed);
[[nodiscard]] QUrl below(const QUrl& server, const QString& path);  // "chat/completions"

// Whether what is sent there leaves this computer unencrypted.
[[nodiscard]] bool isReadable(const QUrl& server);
// The error if a key would be sent so; nullopt: it is safe.
[[nodiscard]] std::optional<Error> exposesKey(const QUrl& server);
// Same scheme, host and port: a key kept for one of them may be sent to the other.
[[nodiscard]] bool haveSameOrigin(const QUrl& one, const QUrl& other);

}  // namespace minerva::app
