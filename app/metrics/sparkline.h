// A small graph over time: `Sparkline { values: panel.history; ceiling: panel.ceiling; lineColor: ... }`.
//
// Newest value at the right edge; the scale begins at 0 and ends at the larger of ceiling and values. Painted (not scene
// graph geometry), so that it looks the same with the software renderer. Decoration: figures beside it carry the meaning.
#pragma once

#include <QColor>
#include <QList>
#include <QQuickPaintedItem>
#include <qqmlregistration.h>

namespace minerva::app {

class Sparkline : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QList<double> values MEMBER m_values NOTIFY changed)
  Q_PROPERTY(int capacity MEMBER m_capacity NOTIFY changed)             // values the whole width shows; default 120
  Q_PROPERTY(double ceiling MEMBER m_ceiling NOTIFY changed)            // dashed line; NaN: none
  Q_PROPERTY(QColor lineColor MEMBER m_lineColor NOTIFY changed)
  Q_PROPERTY(QColor ceilingColor MEMBER m_ceilingColor NOTIFY changed)
  Q_PROPERTY(QColor baseColor MEMBER m_baseColor NOTIFY changed)        // the line at 0
  Q_PROPERTY(double ceilingY READ ceilingY NOTIFY changed)              // where the dashed line is, for a label
 public:
  explicit Sparkline(QQuickItem* parent = nullptr);
  void paint(QPainter* painter) override;
  [[nodiscard]] double ceilingY() const;

 Q_SIGNALS:
  void changed();

 private:
  [[nodiscard]] double top() const;  // the value at the upper edge
  QList<double> m_values;
  int m_capacity = 120;
  double m_ceiling;
  QColor m_lineColor, m_ceilingColor, m_baseColor;
};

}  // namespace minerva::app
