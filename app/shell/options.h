// The command line, as values.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

class QCommandLineParser;

namespace minerva::app {

struct Options {
  QString model;    // file or folder; empty: the last one used, else the built-in one
  QString device;   // empty: as the settings say
  QString dataDir;  // empty: the user's own
  QString models;   // folder for models; empty: beside the conversations
  // For testing:
  QString prompt;    // sent as soon as a model is loaded
  QString frameLog;  // JSON file written at the end
  QString grab;      // PNG file of the window
  int grabAfterMs = 1000;
  bool exitAfterReply = false;
  QString theme;     // overrides the setting for this run
  QString language;  // overrides the setting for this run
  QString page;      // page to show first, a key of page_table.cpp
};

// Parses; prints help, version or a usage error and exits the program for those.
[[nodiscard]] Options parseOptions(const QStringList& arguments);

struct Places {
  QString data;      // conversations
  QString settings;  // INI files
  QString models;    // what was downloaded
  QString cache;     // what can be made again
};
[[nodiscard]] Places placesFor(const Options& options);

}  // namespace minerva::app
