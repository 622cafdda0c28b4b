// Looks for an item of a window.
#pragma once

#include <QQuickItem>

#include <functional>

namespace minerva::app {

// The first visible item, in depth-first order, that matches; null if there is none.
inline QQuickItem* find(QQuickItem* item, const std::function<bool(QQuickItem*)>& matches) {
  if (item == nullptr || !item->isVisible()) return nullptr;
  if (matches(item)) return item;
  for (QQuickItem* child : item->childItems())
    if (QQuickItem* found = find(child, matches)) return found;
  return nullptr;
}

// Calls `each` with the item and all below it that are visible.
inline void visit(QQuickItem* item, const std::function<void(QQuickItem*)>& each) {
  if (!item->isVisible()) return;
  each(item);
  for (QQuickItem* child : item->childItems()) visit(child, each);
}

}  // namespace minerva::app
