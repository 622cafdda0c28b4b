// Starts the window: second instances hand over their file and leave. Returns the exit status.
#pragma once

namespace minerva::app {

[[nodiscard]] int runApp(int argc, char** argv);

}  // namespace minerva::app
