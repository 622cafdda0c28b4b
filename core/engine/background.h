// Background tasks that a cancelled load does not have to wait for.
//
// runInBackground() starts a thread; if the system has none to give, it runs the task itself. Finished threads are joined by a later call,
// all others at program exit.
#pragma once

#include <functional>

namespace minerva::engine {

// The task must own everything it uses. Thread-safe.
void runInBackground(std::function<void()> task);

}  // namespace minerva::engine
