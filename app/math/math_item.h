// An item showing one formula in display style. Draws nothing until it is ready; `problem` is set if it cannot be drawn.
#pragma once

#include <QColor>
#include <QImage>
#include <QQuickPaintedItem>
#include <qqmlregistration.h>

namespace minerva::app {

class MathItem : public QQuickPaintedItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QString source MEMBER m_source WRITE setSource NOTIFY changed)  // with its delimiters: "$$x$$"
  Q_PROPERTY(double size MEMBER m_size WRITE setSize NOTIFY changed)         // font size of the surrounding text
  Q_PROPERTY(QColor color MEMBER m_color WRITE setColor NOTIFY changed)
  Q_PROPERTY(bool drawn READ isDrawn NOTIFY shown)
  Q_PROPERTY(QString problem READ problem NOTIFY shown)
 public:
  explicit MathItem(QQuickItem* parent = nullptr);
  void setSource(const QString& source);
  void setSize(double size);
  void setColor(const QColor& color);
  [[nodiscard]] bool isDrawn() const { return !m_image.isNull(); }
  [[nodiscard]] QString problem() const { return m_problem; }
  void paint(QPainter* painter) override;

 Q_SIGNALS:
  void changed();
  void shown();

 protected:
  void componentComplete() override;
  void itemChange(ItemChange change, const ItemChangeData& data) override;

 private:
  void look();
  QString m_source, m_problem;
  double m_size = 16;
  QColor m_color = Qt::black;
  QImage m_image;
  bool m_waiting = false;
};

}  // namespace minerva::app
