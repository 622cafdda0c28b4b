// The program's data files: restricting access to their owner, and handling unreadable ones at startup.
#pragma once

#include "core/base/error.h"

#include <QString>

#include <optional>

namespace minerva::app {

// Creates the file if it does not exist (in an existing folder), and removes the permissions of group and others from it
// and from files with its name as prefix (NAME-wal, NAME.damaged-...). Ignores errors, because opening the file reports
// them. Returns the file.
QString ownersOnly(const QString& file);

// Keeps a copy of an INI file that cannot be read completely, because QSettings would overwrite it with the part it could
// read. Returns the error to report; nullopt if the file is fine or absent. what: its name in errors ("the settings").
// Errors: io, corrupt.
[[nodiscard]] std::optional<Error> keepUnreadable(const QString& iniFile, const char* what);

}  // namespace minerva::app
