// Program entry. The window is assembled in app/shell; terminal commands are in app/commands.
#include "app/commands/command.h"
#include "app/shell/log.h"
#include "app/shell/own_folders.h"
#include "app/shell/run_app.h"
#include "app/shell/program_locale.h"

#include <spdlog/spdlog.h>

int main(int argc, char** argv) {
  static char name[] = "minerva";
  if (argc > 0) argv[0] = name;  // the help shows it, as Qt makes it, where a path would say nothing
  minerva::app::useProgramLocale();
  minerva::app::useOwnFolders();
  spdlog::set_formatter(minerva::app::printableLogFormatter());
  const minerva::app::Command* command = minerva::app::commandOf(argc, argv);
  return command != nullptr ? minerva::app::runCommand(*command, argc, argv)
                            : minerva::app::runApp(argc, argv, minerva::app::commandNames());
}
