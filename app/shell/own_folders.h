// The environment variables that say where a user's folders are, as the desktop's specification has them.
#pragma once

namespace minerva::app {

// Forgets relative XDG folders, which the specification says to ignore, and sets HOME to the account's folder where it is missing, as for a
// service: Qt would take the folder of the moment and "/". Call before creating any Qt object.
void useOwnFolders();
[[nodiscard]] bool hasHome();

}  // namespace minerva::app
