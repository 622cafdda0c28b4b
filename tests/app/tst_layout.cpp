// Every page looks the same no matter how it was reached: shown first, after another page, or after the window was resized.
#include "app/actions/page_table.h"
#include "app_test.h"
#include "fake_hub.h"
#include "main_window.h"
#include "patience.h"

#include <QRegularExpression>

#include <functional>
#include <map>

using namespace minerva::app;

namespace {

// "Label" for the class Label_QMLTYPE_12 or, for an inline component, Label_QML_12; the numbers differ between windows.
QString kindOf(const QQuickItem* item) {
  static const QRegularExpression number(QStringLiteral("_QML.*"));
  return QString::fromLatin1(item->metaObject()->className()).remove(number);
}

// The geometry of every visible item of the window, by its path in the tree. Plain Items are skipped: they draw nothing, and
// some follow others.
using Geometry = std::map<QString, QRectF>;

Geometry placesOf(const MainWindow& minerva) {
  Geometry places;
  const std::function<void(QQuickItem*, const QString&)> visit = [&](QQuickItem* item, const QString& above) {
    if (!item->isVisible() || item->inherits("QQuickScrollBar")) return;
    const QString text = item->property("text").toString();
    const QString name = above + u'/' + kindOf(item) + (text.isEmpty() ? QString() : u'"' + text.left(30) + u'"');
    QString key = name;
    for (int i = 2; places.contains(key); ++i) key = name + u'#' + QString::number(i);
    if (kindOf(item) != QLatin1String("QQuickItem"))
      places[key] = QRectF(item->mapToScene(QPointF(0, 0)), QSizeF(item->width(), item->height()));
    for (QQuickItem* child : item->childItems()) visit(child, key.section(u'/', -3));
  };
  visit(minerva.window->contentItem(), QString());
  return places;
}

// The geometry once nothing moves any more, from one frame to another: on a busy machine some time alone may pass without any.
Geometry settledPlaces(const MainWindow& minerva) {
  Geometry before;
  for (int i = 0; i < 40; ++i) {
    minerva.waitForFrame();
    QTest::qWait(60);
    minerva.waitForFrame();
    Geometry now = placesOf(minerva);
    if (now == before) return now;
    before = std::move(now);
  }
  return before;
}

QString placeText(const QRectF& rect) {
  return QStringLiteral("%1,%2 %3x%4").arg(rect.x()).arg(rect.y()).arg(rect.width()).arg(rect.height());
}

// Items that moved, or that exist in only one of the two.
QStringList differences(const Geometry& expected, const Geometry& actual) {
  constexpr double rounding = 1.01;
  QStringList all;
  for (const auto& [key, place] : expected) {
    const auto found = actual.find(key);
    if (found == actual.end()) {
      all << QStringLiteral("%1 is not there").arg(key);
      continue;
    }
    const QRectF& other = found->second;
    const bool same = std::abs(place.x() - other.x()) < rounding && std::abs(place.y() - other.y()) < rounding &&
                      std::abs(place.width() - other.width()) < rounding && std::abs(place.height() - other.height()) < rounding;
    if (!same) all << QStringLiteral("%1 lies at %2, expected %3").arg(key, placeText(other), placeText(place));
  }
  for (const auto& [key, place] : actual)
    if (!expected.contains(key)) all << QStringLiteral("%1 is there at %2, expected nothing").arg(key, placeText(place));
  return all.mid(0, 12);
}

QString elsewhere(const QString& page) { return page == QLatin1String("settings") ? QStringLiteral("chat") : QStringLiteral("settings"); }

}  // namespace

class LayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aPageLooksTheSameHoweverTheWindowGotItsSize_data() { everyPage(); }

  // Compares a window opened at this size with one that was resized to it.
  void aPageLooksTheSameHoweverTheWindowGotItsSize() {
    QFETCH(QString, page);
    std::map<int, Geometry> opened;
    for (const QSize size : {wide, narrow}) {
      MainWindow minerva(page, size);
      QVERIFY(begin(minerva, page));
      opened[size.width()] = settledPlaces(minerva);
      QVERIFY(opened[size.width()].size() > 20);
    }
    MainWindow minerva(page, wide);
    QVERIFY(begin(minerva, page));
    for (const QSize size : {narrow, wide, QSize(900, 700), narrow}) {
      minerva.window->resize(size);
      const Geometry resized = settledPlaces(minerva);
      if (opened.contains(size.width())) same(opened[size.width()], resized, QStringLiteral("resized to %1").arg(size.width()));
      if (QTest::currentTestFailed()) return;
    }
  }

  void aPageLooksTheSameWhenItIsShownAgain_data() { everyPage(); }

  // Shows the page again, first empty, then with content at each size.
  void aPageLooksTheSameWhenItIsShownAgain() {
    QFETCH(QString, page);
    MainWindow minerva(page, wide);
    QVERIFY(begin(minerva, page));
    shownAgain(minerva, page, QStringLiteral("empty, shown first"));
    if (QTest::currentTestFailed()) return;
    fill(minerva, page);
    for (const QSize size : {wide, narrow, QSize(900, 700), wide, narrow}) {
      minerva.window->resize(size);
      shownAgain(minerva, page, QStringLiteral("at %1").arg(size.width()));
      if (QTest::currentTestFailed()) return;
    }
  }

 private:
  static inline const QSize wide{1280, 800}, narrow{560, 700};

  static void everyPage() {
    QTest::addColumn<QString>("page");
    for (const QString& page : pageKeys()) QTest::newRow(qPrintable(page)) << page;
  }
  // Hides the panel, whose figures keep changing, and waits for what appears by itself: the context meter, when the tokens are counted, and
  // in the settings the memory that the model would take, which a thread works out.
  static bool begin(MainWindow& minerva, const QString& page) {
    minerva.services->settings()->set_panelVisible(false);
    if (!minerva.start() || !QTest::qWaitFor([&] { return minerva.services->inference()->isReady(); }, patienceMs)) return false;
    if (page == QLatin1String("settings"))
      return QTest::qWaitFor([&] { return !minerva.services->forecast()->model().isEmpty(); }, patienceMs);
    return page != QLatin1String("chat") || QTest::qWaitFor([&] { return minerva.services->context()->isKnown(); }, patienceMs);
  }
  static void fill(MainWindow& minerva, const QString& page) {
    if (page == QLatin1String("compare")) {
      CompareController* compare = minerva.services->compare();
      compare->tryBuiltIn();
      QTRY_VERIFY(compare->state() == CompareController::Done);
    }
    ChatController* chat = minerva.services->chat();
    QVERIFY(chat->send(QStringLiteral("Who are you?")));
    QTRY_VERIFY(!chat->isGenerating());
    minerva.show(page);
  }
  static void same(const Geometry& expected, const Geometry& actual, const QString& when) {
    const QStringList wrong = differences(expected, actual);
    QVERIFY2(wrong.isEmpty(), qPrintable(when + QStringLiteral(": ") + wrong.join(u'\n')));
  }
  static void shownAgain(MainWindow& minerva, const QString& page, const QString& when) {
    const Geometry first = settledPlaces(minerva);
    minerva.show(elsewhere(page));
    settledPlaces(minerva);
    minerva.show(page);
    same(settledPlaces(minerva), first, when);
    if (QTest::currentTestFailed()) return;
    const double right = minerva.window->width() + 1.0;
    for (const auto& [key, place] : first)
      if (key.contains(u'"'))
        QVERIFY2(place.right() <= right, qPrintable(QStringLiteral("%1: %2 ends at %3").arg(when, key).arg(place.right())));
  }
};

APP_TEST(LayoutTest, "layout", QGuiApplication)
#include "tst_layout.moc"
