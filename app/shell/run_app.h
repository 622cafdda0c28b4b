// Runs the window and returns the exit status. A second instance passes its file to the first one and exits.
#pragma once

namespace minerva::app {

[[nodiscard]] int runApp(int argc, char** argv);

}  // namespace minerva::app
