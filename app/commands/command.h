// The commands of `minerva` for a terminal.
#pragma once

#include "app/shell/options.h"
#include "core/base/error.h"

#include <QCommandLineParser>

namespace minerva::app {

struct Command {
  const char* name;
  const char* arguments;  // "ORG/REPO[:CHOICE]"
  const char* help;
  void (*describe)(QCommandLineParser& parser);  // its own options
  int (*run)(const QCommandLineParser& parser, const Places& places);
};

[[nodiscard]] const Command* findCommand(const char* name);  // null: none
[[nodiscard]] const Command* commandOf(int argc,
                                       char** argv);  // that the command line names; null: it opens the window
[[nodiscard]] int runCommand(const Command& command, int argc, char** argv);

void describeAsk(QCommandLineParser& parser);
[[nodiscard]] int runAsk(const QCommandLineParser& parser, const Places& places);
void describeGet(QCommandLineParser& parser);
[[nodiscard]] int runGet(const QCommandLineParser& parser, const Places& places);
void describeList(QCommandLineParser& parser);
[[nodiscard]] int runList(const QCommandLineParser& parser, const Places& places);
void describeRemove(QCommandLineParser& parser);
[[nodiscard]] int runRemove(const QCommandLineParser& parser, const Places& places);

// One line on stderr: "minerva: what (where): ...".
void complain(const Error& error);

}  // namespace minerva::app
