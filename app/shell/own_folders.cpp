#include "app/shell/own_folders.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace minerva::app {

void useOwnFolders() {
  for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}) {
    const char* folder = std::getenv(name);
    if (folder != nullptr && *folder != '/') unsetenv(name);
  }
  if (hasHome()) return;
  const passwd* account = getpwuid(geteuid());
  if (account != nullptr && account->pw_dir != nullptr && *account->pw_dir == '/') setenv("HOME", account->pw_dir, 1);
}

bool hasHome() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0';
}

}  // namespace minerva::app
