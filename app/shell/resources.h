// Where the program's own files are: beside the program, installed, or in the source tree it was built from.
#pragma once

#include <QString>

namespace minerva::app {

// name: "builtin-model". Empty: not there.
[[nodiscard]] QString resourcePath(const QString& name);

}  // namespace minerva::app
