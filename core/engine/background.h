// Work that goes on while a load does something else, and that a cancelled load need not wait for.
//
// run() starts a thread; an abandoned one is kept and joined at the next run() that finds it done, or at the program's end.
#pragma once

#include <functional>

namespace minerva::engine {

// The task must own all it uses. Thread-safe.
void runInBackground(std::function<void()> task);

}  // namespace minerva::engine
