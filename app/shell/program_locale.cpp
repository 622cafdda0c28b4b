#include "app/shell/program_locale.h"

#include <QCoreApplication>

#include <clocale>
#include <cstdlib>
#include <cstring>

#include <langinfo.h>

namespace minerva::app {

void useProgramLocale() {
  qAddPreRoutine([] { std::setlocale(LC_NUMERIC, "C"); });  // Qt runs it in each application's constructor, after its own setlocale
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  const char* all = std::getenv("LC_ALL");
  setenv(all != nullptr && *all != '\0' ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
}

}  // namespace minerva::app
