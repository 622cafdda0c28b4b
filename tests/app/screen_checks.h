// What is wrong with a screen: text that is cut off, things outside the window or over each other.
#pragma once

#include "find_item.h"
#include "main_window.h"

#include <QByteArray>
#include <QQuickItem>
#include <QRectF>
#include <QStringList>

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace minerva::app {

// Rows for a test that looks at a screen: both languages, each at the usual size, twice as large, and narrow. Each in a theme of its own,
// as that moves nothing; in both if pictures are taken.
inline void addScreenRows() {
  QTest::addColumn<QString>("language");
  QTest::addColumn<double>("scale");
  QTest::addColumn<QSize>("size");
  QTest::addColumn<QString>("theme");
  const QSize usual(1280, 800), narrow(480, 560);
  for (const auto& language : {QStringLiteral("en"), QStringLiteral("de")})
    for (const auto& theme : {QStringLiteral("light"), QStringLiteral("dark")}) {
      const bool own = (language == QLatin1String("en")) == (theme == QLatin1String("light"));
      if (!own && !qEnvironmentVariableIsSet("MINERVA_PICTURES")) continue;
      const QString name = language + QLatin1Char(' ') + theme;
      QTest::newRow(qPrintable(name)) << language << 1.0 << usual << theme;
      QTest::newRow(qPrintable(name + QStringLiteral(", large"))) << language << 2.0 << usual << theme;
      QTest::newRow(qPrintable(name + QStringLiteral(", narrow"))) << language << 1.0 << narrow << theme;
    }
}

inline bool isInside(const QQuickItem* item, const char* kind) {
  for (; item != nullptr; item = item->parentItem())
    if (item->inherits(kind)) return true;
  return false;
}

// Elided text is allowed, except in buttons and menu items.
inline QString cut(QQuickItem* item) {
  if (!item->inherits("QQuickText") || item->width() <= 0 || item->opacity() <= 0) return {};
  const QString text = item->property("text").toString();
  if (text.isEmpty()) return {};
  constexpr double rounding = 1.5;
  const bool button = isInside(item, "QQuickButton") || isInside(item, "QQuickMenuItem");
  if (item->property("truncated").toBool()) return button ? QStringLiteral("cut: ") + text : QString();
  if (item->property("contentWidth").toDouble() > item->width() + rounding) return QStringLiteral("too wide: ") + text;
  if (item->property("contentHeight").toDouble() > item->height() + rounding) return QStringLiteral("too high: ") + text;
  return {};
}

// What the item says: its text, or the tip of a button that has only an icon.
inline QString saidBy(QQuickItem* item) {
  const QString text = item->property("text").toString();
  return text.isEmpty() && item->inherits("QQuickAbstractButton") ? item->property("tip").toString() : text;
}

inline QString outside(QQuickItem* item, const QQuickWindow* window) {
  if (!item->inherits("QQuickText") && !item->inherits("QQuickAbstractButton")) return {};
  if (saidBy(item).isEmpty() || item->width() <= 0) return {};
  const double right = item->mapToScene(QPointF(item->width(), 0)).x(), left = item->mapToScene(QPointF(0, 0)).x();
  if (right <= window->width() + 1 && left >= -1) return {};
  return QStringLiteral("outside the window: ") + saidBy(item);
}

// A button that sticks out of the frame of the composer.
inline QString outsideComposer(QQuickItem* item) {
  if (!item->inherits("QQuickAbstractButton")) return {};
  for (QQuickItem* frame = item->parentItem(); frame != nullptr; frame = frame->parentItem())
    if (QByteArray(frame->metaObject()->className()).startsWith("Composer_QMLTYPE")) {
      const QRectF place = item->mapRectToItem(frame, QRectF(0, 0, item->width(), item->height()));
      return frame->boundingRect().contains(place) ? QString() : QStringLiteral("outside the composer: ") + saidBy(item);
    }
  return {};
}

// A number whose digits are shown in reverse order.
inline QString reversed(QQuickItem* item) {
  if (!QByteArray(item->metaObject()->className()).startsWith("Digits_QMLTYPE")) return {};
  std::map<double, QString> glyphs;
  for (QQuickItem* glyph : item->childItems()) glyphs[glyph->x()] += glyph->property("text").toString();
  QString shown;
  for (const auto& [x, glyph] : glyphs) shown += glyph;
  const QString text = item->property("text").toString();
  return shown == text ? QString() : QStringLiteral("reversed: %1 as %2").arg(text, shown);
}

// The visible part of a text: its glyphs, clipped by every clipping ancestor.
inline QRectF glyphs(QQuickItem* item) {
  if (!item->inherits("QQuickText") || item->opacity() <= 0 || item->property("text").toString().isEmpty()) return {};
  double x = 0;
  const double width = item->property("contentWidth").toDouble();
  const int alignment = item->property("effectiveHorizontalAlignment").toInt();
  if ((alignment & Qt::AlignRight) != 0) x = item->width() - width;
  if ((alignment & Qt::AlignHCenter) != 0) x = (item->width() - width) / 2;
  QRectF shown = item->mapRectToScene(QRectF(x, 0, width, item->property("contentHeight").toDouble()));
  for (QQuickItem* parent = item->parentItem(); parent != nullptr; parent = parent->parentItem())
    if (parent->clip()) shown &= parent->mapRectToScene(QRectF(0, 0, parent->width(), parent->height()));
  return shown;
}

inline QStringList overlapsNow(QQuickItem* page) {
  std::vector<std::pair<QRectF, QString>> texts;
  visit(page, [&](QQuickItem* item) {
    if (const QRectF shown = glyphs(item); !shown.isEmpty()) texts.emplace_back(shown, item->property("text").toString());
  });
  QStringList wrong;
  constexpr double rounding = 2;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t k = i + 1; k < texts.size(); ++k)
      if (const QRectF both = texts[i].first & texts[k].first; both.width() > rounding && both.height() > rounding)
        wrong << QStringLiteral("over each other: %1 | %2").arg(texts[i].second.left(60), texts[k].second.left(60));
  return wrong;
}

// What a check finds and goes on finding: new items are laid out with one of the next frames, which a busy machine draws late.
inline QStringList lasting(const std::function<QStringList()>& check) {
  constexpr int mostMs = 10000, stepMs = 50;
  QStringList wrong = check();
  for (int ms = 0; !wrong.isEmpty() && ms < mostMs; ms += stepMs) {
    QTest::qWait(stepMs);
    wrong = check();
  }
  return wrong;
}

// Texts that overlap on a page or in a popup.
inline QStringList overlaps(QQuickItem* page) {
  return lasting([page] { return overlapsNow(page); });
}

// What `look` finds at the items of a page; it may find nothing, an empty text.
inline QStringList problems(QQuickItem* page, const std::function<QStringList(QQuickItem*)>& look) {
  return lasting([&] {
    QStringList wrong;
    visit(page, [&](QQuickItem* item) { wrong << look(item); });
    wrong.removeAll(QString());
    return wrong;
  });
}

// Texts that are cut, and items beyond the window.
inline QStringList misplaced(QQuickItem* page, const QQuickWindow* window) {
  return problems(page, [&](QQuickItem* item) { return QStringList{cut(item), outside(item, window)}; });
}

// Scrolls every vertically scrollable item, a screen at a time.
inline void scrollThrough(QQuickItem* page, const std::function<void()>& look) {
  std::vector<QQuickItem*> lists;
  visit(page, [&](QQuickItem* item) {
    if (item->inherits("QQuickFlickable") && item->property("contentHeight").toDouble() > item->height() + 1) lists.push_back(item);
  });
  for (QQuickItem* list : lists) {
    const double before = list->property("contentY").toDouble(), bottom = list->property("contentHeight").toDouble() - list->height();
    for (double y = 0; y < bottom; y += list->height() * 0.8) {
      list->setProperty("contentY", y);
      QTest::qWait(30);
      look();
    }
    list->setProperty("contentY", before);
  }
}

}  // namespace minerva::app
