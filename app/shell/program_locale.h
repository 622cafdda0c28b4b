// The C library's locale as Minerva needs it. Qt sets all of it to the user's when an application object is made.
#pragma once

namespace minerva::app {

// Switches a non-UTF-8 locale to C.UTF-8, so that Qt does not print a warning to the terminal, and keeps the decimal point: prompts,
// reports and SVG are made with printf and strtod, which would take the user's comma. Call before creating any Qt object.
void useProgramLocale();

}  // namespace minerva::app
