// The language of the window: Minerva's own texts (English in the sources, its plurals and German in resources/translations) and Qt's.
#pragma once

#include <QString>

namespace minerva::app {

// "en" or "de" from the setting "language": "system" is German where the system's first known language is German.
[[nodiscard]] QString languageCode(const QString& setting);
// Before any text is shown. A system that is written from right to left mirrors the window, whatever its language.
void useLanguage(const QString& setting);

}  // namespace minerva::app
