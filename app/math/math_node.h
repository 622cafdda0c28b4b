// KaTeX's markup as a tree: spans with classes and styles, text, and stretchable SVG drawings.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QHash>
#include <QString>
#include <QStringList>

#include <vector>

namespace minerva::app {

struct MathNode {
  QStringList classes;
  QHash<QString, QString> style;
  QString text;                 // of a leaf
  QHash<QString, QString> svg;  // attributes of an SVG drawing: width, height, viewBox, preserveAspectRatio; `d`: its path
  std::vector<MathNode> children;

  [[nodiscard]] bool is(const char* name) const { return classes.contains(QLatin1String(name)); }
  [[nodiscard]] double em(const char* property) const;          // 0: not set
  [[nodiscard]] const MathNode* child(const char* name) const;  // the first child of that class; null: none
  [[nodiscard]] bool hasDrawing() const;
};

// Errors: unsupported, corrupt.
[[nodiscard]] Result<MathNode> readMathMarkup(const QString& markup);

}  // namespace minerva::app
