// Runs the window and returns the exit status. A second instance passes its file to the first one and exits.
#pragma once

#include <QStringList>

namespace minerva::app {

// commands: names of the terminal commands, for the texts about usage.
[[nodiscard]] int runApp(int argc, char** argv, const QStringList& commands);

}  // namespace minerva::app
