// The network as the window's QML has it: none. What it draws lies in the program, and requests are HubNetwork's alone, which
// the Offline switch stops and the request log names.
#pragma once

class QQmlEngine;

namespace minerva::app {

// Every request of `engine` (an image in a text, an address given to an item or a script) fails and is warned about. Before QML
// is loaded.
void closeNetwork(QQmlEngine& engine);

}  // namespace minerva::app
