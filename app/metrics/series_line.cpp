#include "app/metrics/series_line.h"

#include <QPainter>

#include <algorithm>

namespace minerva::app {

SeriesLine::SeriesLine(QQuickItem* parent) : QQuickPaintedItem(parent) { setAntialiasing(true); }

void SeriesLine::setPoints(const QList<QPointF>& points) {
  m_points = points;
  update();
  Q_EMIT pointsChanged();
}

void SeriesLine::setUpper(double upper) {
  if (upper == m_upper) return;
  m_upper = upper;
  update();
  Q_EMIT changed();
}

void SeriesLine::setColor(const QColor& color) {
  if (color == m_color) return;
  m_color = color;
  update();
  Q_EMIT changed();
}

void SeriesLine::setThickness(double thickness) {
  if (thickness == m_thickness) return;
  m_thickness = thickness;
  update();
  Q_EMIT changed();
}

double SeriesLine::highest() const {
  double most = 0;
  for (const QPointF& point : m_points) most = std::max(most, point.y());
  return most;
}

void SeriesLine::paint(QPainter* painter) {
  if (m_points.size() < 2 || m_upper <= 0) return;
  // More than two points per pixel would not be visible.
  const double first = m_points.first().x(), span = m_points.last().x() - first;
  const qsizetype every = std::max<qsizetype>(1, m_points.size() / static_cast<qsizetype>(std::max(1.0, 2 * width())));
  const double inset = m_thickness / 2;
  QPolygonF line;
  for (qsizetype i = 0; i < m_points.size(); i += every) {
    const QPointF& point = m_points[i];
    line << QPointF(inset + (span > 0 ? (point.x() - first) / span : 0) * (width() - m_thickness),
                    height() - inset - std::clamp(point.y() / m_upper, 0.0, 1.0) * (height() - m_thickness));
  }
  painter->setPen(QPen(m_color, m_thickness, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin));  // round joins take three times as long
  painter->drawPolyline(line);
}

}  // namespace minerva::app
