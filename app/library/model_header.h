// What a look at a model's header tells the list: name, format, size. Pure function; safe on any thread.
#pragma once

#include <QMetaType>
#include <QString>

namespace minerva::app {

struct ModelHeader {
  QString path, name, family, format, type, problem;        // problem: why it cannot be used; then the rest may be empty
  double sizeBytes = 0, parameters = 0, bitsPerWeight = 0;  // 0: not known
  int contextLength = 0;                                    // the longest the model was made for; 0: not known
  bool missing = false;
};

[[nodiscard]] ModelHeader readModelHeader(const QString& path);
// One path for a place, however it is reached. A link to a model stays one: its target may be a nameless blob without the
// model's other files.
[[nodiscard]] QString placeOf(const QString& path);
// A name from the path alone: the file without its ending, or the folder.
[[nodiscard]] QString nameFromPath(const QString& path);

}  // namespace minerva::app
