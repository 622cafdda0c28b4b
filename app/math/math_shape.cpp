#include "app/math/math_shape.h"

#include <QPainter>
#include <QSvgRenderer>

namespace minerva::app {

void MathStroke::move(qreal x, qreal y) {
  path.translate(x, y);
  target.translate(x, y);
  clip.translate(x, y);
}

void MathShape::add(const MathShape& other, qreal x, qreal y) {
  for (MathStroke stroke : other.strokes) {
    stroke.move(x, y);
    strokes.push_back(std::move(stroke));
  }
}

void MathShape::draw(QPainter& painter, const QColor& color) const {
  for (const MathStroke& stroke : strokes) {
    const QColor ink = stroke.color.isValid() ? stroke.color : color;
    if (stroke.svg.isEmpty()) {
      painter.fillPath(stroke.path, ink);
      continue;
    }
    painter.save();
    painter.setClipRect(stroke.clip);
    painter.setOpacity(ink.alphaF());
    QSvgRenderer(QByteArray(stroke.svg).replace("currentColor", ink.name().toLatin1())).render(&painter, stroke.target);
    painter.restore();
  }
}

}  // namespace minerva::app
