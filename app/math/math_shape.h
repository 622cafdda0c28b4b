// A formula's layout: filled paths and stretched SVG drawings, in pixels; the origin is the left end of the baseline. A
// value.
#pragma once

#include <QByteArray>
#include <QColor>
#include <QPainterPath>
#include <QRectF>

#include <vector>

class QPainter;

namespace minerva::app {

struct MathStroke {
  QPainterPath path;  // or:
  QByteArray svg;     // a path in its own view box, drawn into `target`, clipped to `clip`
  QRectF target, clip;
  QColor color;  // invalid: the text's colour
  void move(qreal x, qreal y);
  [[nodiscard]] QRectF bounds() const { return svg.isEmpty() ? path.boundingRect() : clip; }
};

struct MathShape {
  qreal width = 0, height = 0, depth = 0;  // above and below the baseline
  std::vector<MathStroke> strokes;
  void add(const MathShape& other, qreal x, qreal y);
  void draw(QPainter& painter, const QColor& color) const;
};

}  // namespace minerva::app
