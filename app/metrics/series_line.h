// A line through points, painted smooth on any graphics: what a graph of the panel is made of. GUI thread only.
#pragma once

#include <QColor>
#include <QList>
#include <QPointF>
#include <QQuickPaintedItem>
#include <qqmlregistration.h>

namespace minerva::app {

class SeriesLine : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  // In any unit; x never falls. The line spans the item's width from the first to the last, and its height from 0 to `upper`.
  Q_PROPERTY(QList<QPointF> points READ points WRITE setPoints NOTIFY pointsChanged)
  Q_PROPERTY(double upper MEMBER m_upper WRITE setUpper NOTIFY changed)
  Q_PROPERTY(QColor color MEMBER m_color WRITE setColor NOTIFY changed)
  Q_PROPERTY(double thickness MEMBER m_thickness WRITE setThickness NOTIFY changed)
  Q_PROPERTY(double highest READ highest NOTIFY pointsChanged)  // of the points' y; 0 without points
 public:
  explicit SeriesLine(QQuickItem* parent = nullptr);
  [[nodiscard]] QList<QPointF> points() const { return m_points; }
  void setPoints(const QList<QPointF>& points);
  void setUpper(double upper);
  void setColor(const QColor& color);
  void setThickness(double thickness);
  [[nodiscard]] double highest() const;
  void paint(QPainter* painter) override;

 Q_SIGNALS:
  void pointsChanged();
  void changed();

 private:
  QList<QPointF> m_points;
  double m_upper = 1, m_thickness = 2;
  QColor m_color;
};

}  // namespace minerva::app
