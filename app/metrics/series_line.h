// An antialiased polyline on any graphics backend, used for the graphs of the panel. GUI thread only.
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
  // Any unit; x must not decrease. x is scaled so that the points span the item's width; y from 0 to `upper` spans its height.
  Q_PROPERTY(QList<QPointF> points READ points WRITE setPoints NOTIFY pointsChanged)
  Q_PROPERTY(double upper MEMBER m_upper WRITE setUpper NOTIFY changed)
  Q_PROPERTY(QColor color MEMBER m_color WRITE setColor NOTIFY changed)
  Q_PROPERTY(double thickness MEMBER m_thickness WRITE setThickness NOTIFY changed)
  Q_PROPERTY(double highest READ highest NOTIFY pointsChanged)  // largest y; 0 without points
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
