#include "app/shell/utf8_locale.h"

#include <clocale>
#include <cstdlib>
#include <cstring>

#include <langinfo.h>

namespace minerva::app {

void useUtf8Locale() {
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  const char* all = std::getenv("LC_ALL");
  setenv(all != nullptr && *all != '\0' ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
}

}  // namespace minerva::app
