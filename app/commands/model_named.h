// The model that a command's argument means.
#pragma once

#include "core/base/error.h"

#include <QString>

namespace minerva::app {

// Path of a complete model that `minerva list` shows under this name, or of a file or folder. Errors: notFound, listing the names.
[[nodiscard]] Result<QString> modelNamed(const QString& named, const QString& folder);

}  // namespace minerva::app
