// KaTeX's fonts as paths. Belongs to the thread that uses it.
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
  // The text in that face, or in the system's font where KaTeX's has no such letter. Nothing: no font has it.
  [[nodiscard]] std::optional<MathShape> text(const QString& text, const MathFace& face, qreal pixels);

 private:
  [[nodiscard]] QRawFont font(const MathFace& face, qreal pixels);
  QHash<QString, QRawFont> m_fonts;
};

}  // namespace minerva::app
