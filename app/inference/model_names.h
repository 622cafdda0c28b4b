// What the models of a set are called so that no two read alike. Pure functions; the paths are not looked at on the disk.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace minerva::app {

struct NamedModel {
  QString name;  // its own: "TinyLlama 1.1B Chat"
  QString path;
};

// The shortest text for each that tells it from the others: its name; where two have the same name, also the name of the
// file or folder ("builtin-model · mine-q4"; the file's alone where that says the model's name anyway), then folders above
// it; the same model twice is numbered.
[[nodiscard]] QStringList tellApart(const std::vector<NamedModel>& models);

}  // namespace minerva::app
