// Qt requires a UTF-8 locale and prints a warning to stderr if the locale has another encoding.
#pragma once

namespace minerva::app {

// Switches a non-UTF-8 locale to C.UTF-8. Call before creating any Qt object, so that Qt does not print the warning to the
// terminal.
void useUtf8Locale();

}  // namespace minerva::app
