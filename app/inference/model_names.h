// Unique display names for a set of models, and of element types. Pure functions; the file system is not accessed.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace minerva::app {

struct NamedModel {
  QString name;  // its own: "TinyLlama 1.1B Chat"
  QString path;
};

// The shortest unique text for each model: its name; if that is ambiguous, also the name of the file or folder
// ("builtin-model · mine-q4"; only the file name if it contains the model's name), then parent folders. Duplicates of the
// same model are numbered.
[[nodiscard]] QStringList tellApart(const std::vector<NamedModel>& models);

// Display name of an element type: "4-bit g64" for "MLX4_G64_BF16", others unchanged.
[[nodiscard]] QString shownType(const QString& typeName);

}  // namespace minerva::app
