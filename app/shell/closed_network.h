// Blocks network access from QML. Everything QML shows is part of the program; requests are sent by HubNetwork only, which
// respects the Offline setting and writes the request log.
#pragma once

class QQmlEngine;

namespace minerva::app {

// How the warning about a refused request begins; the URL follows.
inline constexpr const char* refusedRequest = "QML requested ";

// Every request of `engine` (an image in a text, a URL given to an item or a script) fails with a warning. Call before QML
// is loaded.
void closeNetwork(QQmlEngine& engine);

}  // namespace minerva::app
