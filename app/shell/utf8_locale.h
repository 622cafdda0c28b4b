// Qt works in UTF-8, and says so on the error stream where the locale is another.
#pragma once

namespace minerva::app {

// Before any Qt object: what a terminal is told must not begin with that.
void useUtf8Locale();

}  // namespace minerva::app
