// A file written whole: what was there is replaced at the end or stays as it was.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>

namespace minerva::app {

// Errors: io.
[[nodiscard]] Result<void> writeFile(const QString& file, const QByteArray& bytes);

}  // namespace minerva::app
