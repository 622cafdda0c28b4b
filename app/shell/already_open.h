// The window of a start that finds another Minerva with the same conversations, which does not answer.
#pragma once

namespace minerva::app {

class SingleInstance;

// Waits, with a small window that says so, until the other one has ended and `instance` is the first. Returns false if the
// user closes the window instead, or if it cannot be shown.
[[nodiscard]] bool waitToBeFirst(SingleInstance& instance, bool dark);

}  // namespace minerva::app
