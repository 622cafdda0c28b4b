// The terminal commands of `minerva`.
#pragma once

#include "app/shell/options.h"
#include "core/base/error.h"

#include <QCommandLineParser>

namespace minerva::app {

struct Command {
  const char* name;
  const char* arguments;  // "ORG/REPO[:CHOICE]"; in brackets: may be left out
  const char* argumentsHelp;
  const char* help;
  void (*describe)(QCommandLineParser& parser);  // adds the command's options
  int (*run)(const QCommandLineParser& parser, const Places& places);
};

[[nodiscard]] QStringList commandNames();
[[nodiscard]] const Command* commandOf(int argc, char** argv);  // the command on the command line; null: open the window
[[nodiscard]] int runCommand(const Command& command, int argc, char** argv);

void describeAsk(QCommandLineParser& parser);
[[nodiscard]] int runAsk(const QCommandLineParser& parser, const Places& places);
void describeGet(QCommandLineParser& parser);
[[nodiscard]] int runGet(const QCommandLineParser& parser, const Places& places);
void describeList(QCommandLineParser& parser);
[[nodiscard]] int runList(const QCommandLineParser& parser, const Places& places);
void describeRemove(QCommandLineParser& parser);
[[nodiscard]] int runRemove(const QCommandLineParser& parser, const Places& places);

void describeServe(QCommandLineParser& parser);
[[nodiscard]] int runServe(const QCommandLineParser& parser, const Places& places);

// Text from the hub or a file, for the terminal: without control characters.
[[nodiscard]] QString shown(const QString& text);
// Prints one line to stderr: "minerva: what (where): ...".
void complain(const Error& error);

}  // namespace minerva::app
