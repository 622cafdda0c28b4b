// The parsed command line.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

class QCommandLineParser;

namespace minerva::app {

struct Options {
  QString model;    // file or folder; empty: the last one used, else the built-in model
  QString device;   // empty: from the settings
  QString dataDir;  // empty: the user's default
  QString models;   // root folder for models; empty: next to the conversations
  // For testing:
  QString prompt;    // sent as soon as a model is loaded
  QString frameLog;  // JSON file, written at the end
  QString grab;      // PNG file for a screenshot of the window
  int grabAfterMs = 1000;
  bool exitAfterReply = false;
  QString theme;     // overrides the setting for this run
  QString language;  // overrides the setting for this run
  QString page;      // the first page to show, a key of page_table.cpp
};

// Parses the window's arguments. commands: names of the terminal commands, for the texts. For --help, --version or wrong usage (exit
// status 2), prints the text and exits the program.
[[nodiscard]] Options parseOptions(const QStringList& arguments, const QStringList& commands);

struct Places {
  QString data;      // conversations
  QString settings;  // INI files
  QString models;    // downloaded models
  QString cache;     // data that can be recreated
};
// Without --data-dir and a home folder, prints so and exits the program (exit status 1).
[[nodiscard]] Places placesFor(const Options& options);

}  // namespace minerva::app
