// KaTeX's fonts, as glyph outlines. Use on one thread only.
#pragma once

#include "app/math/math_shape.h"

#include <QHash>
#include <QRawFont>

#include <optional>

namespace minerva::app {

struct MathFace {
  QString family = QStringLiteral("Main");
  bool bold = false, italic = false;
};

class MathFonts {
 public:
  // Outlines of the text in this face; letters that KaTeX's fonts lack come from the system's font. nullopt if neither has
  // a letter.
  [[nodiscard]] std::optional<MathShape> text(const QString& text, const MathFace& face, qreal pixels);

 private:
  [[nodiscard]] QRawFont font(const MathFace& face, qreal pixels);
  QHash<QString, QRawFont> m_fonts;
};

}  // namespace minerva::app
