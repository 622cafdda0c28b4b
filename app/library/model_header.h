// Reads from a model file's header what the list shows: name, format, size. Safe on any thread.
#pragma once

#include <QMetaType>
#include <QString>

namespace minerva::app {

struct ModelHeader {
  QString path, name, family, format, type, problem;        // problem: why it cannot be used; if set, the others may be empty
  double sizeBytes = 0, parameters = 0, bitsPerWeight = 0;  // 0: unknown
  int contextLength = 0;                                    // the model's maximum; 0: unknown
  bool missing = false;
  bool embeds = false;  // makes vectors of texts instead of writing text
  bool writes = false;  // Minerva can write text with it, as far as the configuration tells

  friend bool operator==(const ModelHeader&, const ModelHeader&) = default;
};

[[nodiscard]] ModelHeader readModelHeader(const QString& path);
// A canonical path for comparisons: links in the parent folders are resolved, but not the last component, because a link's
// target may be a blob without a meaningful name or the model's other files.
[[nodiscard]] QString placeOf(const QString& path);
// The file name without its extension, or the folder's name.
[[nodiscard]] QString nameFromPath(const QString& path);

}  // namespace minerva::app
