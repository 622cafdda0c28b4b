// The program's own files: what only their owner may read, and what to do about one that cannot be read at the start.
#pragma once

#include "core/base/error.h"

#include <QString>

#include <optional>

namespace minerva::app {

// Makes the file, where there is none in a folder that is there, and takes the rights of everybody but the owner from it and from what
// belongs to it (NAME-wal, NAME.damaged-...). What cannot be done is not: opening the file says why. Returns the file.
QString ownersOnly(const QString& file);

// An INI file that is there and cannot be read, or not all of it, is kept under another name before it is written again:
// QSettings would replace it by what it could read. what: as errors name it ("the settings"). Errors: io, corrupt.
[[nodiscard]] std::optional<Error> keepUnreadable(const QString& iniFile, const char* what);

}  // namespace minerva::app
