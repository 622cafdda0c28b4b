// The language of the user interface: Minerva's own texts (English in the sources; English plurals and German in
// resources/translations) and Qt's.
#pragma once

#include <QString>

namespace minerva::app {

// "en" or "de" for the setting "language". "system" chooses the first of the system's languages that is one of them, else
// "en".
[[nodiscard]] QString languageCode(const QString& setting);
// Call before any text is shown. With "system", the layout direction is the system's (right to left), whatever the language.
void useLanguage(const QString& setting);

}  // namespace minerva::app
