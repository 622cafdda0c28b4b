#include "app/math/math_item.h"

#include "app/math/math_cache.h"
#include "app/math/math_spans.h"

#include <QPainter>
#include <QQuickWindow>

namespace minerva::app {

MathItem::MathItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
  connect(this, &MathItem::changed, this, &MathItem::look);
  connect(&MathCache::instance(), &MathCache::ready, this, [this] {
    if (m_waiting) look();
  });
}

void MathItem::setSource(const QString& source) {
  if (std::exchange(m_source, source) != source) Q_EMIT changed();
}

void MathItem::setSize(double size) {
  if (std::exchange(m_size, size) != size) Q_EMIT changed();
}

void MathItem::setColor(const QColor& color) {
  if (std::exchange(m_color, color) != color) Q_EMIT changed();
}

void MathItem::componentComplete() {
  QQuickPaintedItem::componentComplete();
  look();
}

void MathItem::itemChange(ItemChange change, const ItemChangeData& data) {
  QQuickPaintedItem::itemChange(change, data);
  if (change == ItemDevicePixelRatioHasChanged || (change == ItemSceneChange && data.window)) look();
}

void MathItem::look() {
  if (!isComponentComplete() || m_source.isEmpty()) return;
  const double ratio = window() ? window()->effectiveDevicePixelRatio() : 1;
  const MathPicture* picture = MathCache::instance().find({texOf(m_source).tex, true, m_size, m_color, ratio});
  m_waiting = picture == nullptr;
  if (m_waiting) return;
  m_image = picture->image;
  m_problem = picture->problem;
  setImplicitSize(picture->width, picture->height);
  update();
  Q_EMIT shown();
}

void MathItem::paint(QPainter* painter) { painter->drawImage(QPointF(0, 0), m_image); }

}  // namespace minerva::app
