// Writes a file atomically: an existing file is replaced at the end or stays unchanged.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>

namespace minerva::app {

// Errors: io.
[[nodiscard]] Result<void> writeFile(const QString& file, const QByteArray& bytes);

}  // namespace minerva::app
