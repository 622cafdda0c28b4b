// Using the window without a mouse or a display: every page with Tab and arrows, the accessibility tree, replies announced
// sentence by sentence.
#include "app/actions/actions.h"
#include "app/actions/page_table.h"
#include "app/shell/reply_speaker.h"
#include "app_test.h"
#include "find_item.h"
#include "main_window.h"
#include "patience.h"

#include <QAccessible>
#include <QSet>

#include <functional>

using namespace minerva::app;

namespace {

QString describe(const QQuickItem* item) {
  if (item == nullptr) return QStringLiteral("nothing");
  QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(const_cast<QQuickItem*>(item));
  return QString::fromLatin1(item->metaObject()->className()) + QStringLiteral(" \"") +
         (reader != nullptr ? reader->text(QAccessible::Name) : QString()) + u'"';
}

bool isShown(const QQuickItem* item) { return item->isVisible() && item->opacity() > 0 && item->width() > 0 && item->height() > 0; }

// Whether the item is in the Tab focus chain and shown.
bool takesTab(const QQuickItem* item) { return item->activeFocusOnTab() && item->isEnabled() && isShown(item); }

// Rows of a focusable list are reached with the arrow keys.
bool isListRow(const QQuickItem* item) {
  for (const QQuickItem* above = item->parentItem(); above != nullptr; above = above->parentItem())
    if (above->inherits("QQuickListView") && above->activeFocusOnTab()) return true;
  return false;
}

// Items that respond to a press: buttons, sliders, boxes, and text fields.
bool isInteractive(const QQuickItem* item) {
  return item->inherits("QQuickAbstractButton") || item->inherits("QQuickSlider") || item->inherits("QQuickComboBox") ||
         item->inherits("QQuickTextField") || item->inherits("QQuickTextArea");
}

void fillChat(MainWindow& minerva) {
  ChatController* chat = minerva.services->chat();
  QVERIFY(chat->send(QStringLiteral("Who are you?")));
  QTRY_VERIFY(!chat->isGenerating());
}

}  // namespace

class AccessTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { QAccessible::setActive(true); }

  void tabReachesEverythingOnEveryPageAndComesRound() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    fillChat(minerva);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(300);
      for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
        const auto modifiers = key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier;
        QSet<QQuickItem*> reached;
        QQuickItem* stuckAt = nullptr;
        QQuickItem* first = nullptr;
        for (int presses = 0; presses < 300; ++presses) {
          QQuickItem* before = minerva.focused();
          QTest::keyClick(minerva.window, key, modifiers);
          QQuickItem* now = minerva.focused();
          if (now == before || now == nullptr) {
            stuckAt = before;
            break;
          }
          if (reached.contains(now) && now == first) break;
          if (first == nullptr) first = now;
          reached.insert(now);
        }
        QVERIFY2(stuckAt == nullptr, qPrintable(QStringLiteral("%1: Tab does not leave %2").arg(page, describe(stuckAt))));
        QVERIFY2(minerva.focused() == first, qPrintable(QStringLiteral("%1: Tab never comes round to %2").arg(page, describe(first))));
        QStringList missed;
        visit(minerva.window->contentItem(), [&](QQuickItem* item) {
          if (isInteractive(item) && takesTab(item) && !reached.contains(item)) missed << describe(item);
        });
        QVERIFY2(missed.isEmpty(), qPrintable(QStringLiteral("%1: Tab misses %2").arg(page, missed.join(QStringLiteral(", ")))));
        QVERIFY2(reached.size() > 5, qPrintable(page));
      }
    }
  }

  void whatCanBeClickedTakesTheFocus() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    fillChat(minerva);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(300);
      QStringList clickOnly;
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        if (isInteractive(item) && item->isEnabled() && isShown(item) && !item->activeFocusOnTab() && !isListRow(item))
          clickOnly << describe(item);
      });
      QVERIFY2(clickOnly.isEmpty(),
               qPrintable(QStringLiteral("%1: only the mouse reaches %2").arg(page, clickOnly.join(QStringLiteral(", ")))));
    }
  }

  // What a device has free is asked for again and again.
  void aDeviceKeepsTheFocusWhenItsFiguresChange() {
    MainWindow minerva(QStringLiteral("metrics"));
    QVERIFY(minerva.start());
    const auto button = [&minerva](const QString& text) {
      QQuickItem* found = nullptr;
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        if (found == nullptr && item->inherits("QQuickAbstractButton") && item->property("text").toString() == text) found = item;
      });
      return found;
    };
    QVERIFY(button(QStringLiteral("Devices")) != nullptr);
    QVERIFY(QMetaObject::invokeMethod(button(QStringLiteral("Devices")), "clicked"));
    const auto texts = [&minerva] {
      QStringList all;
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        if (item->inherits("QQuickText")) all << item->property("text").toString();
      });
      return all;
    };
    DeviceCheck* check = minerva.services->deviceCheck();
    QTRY_VERIFY(!check->devices().isEmpty() && button(QStringLiteral("Test")) != nullptr);
    minerva::AvailableDevices devices;
    const auto device = [](const char* id, const char* name, std::uint64_t free) {
      minerva::backend::DeviceInfo info;
      info.id = id;
      info.kind = "CPU";
      info.name = name;
      info.memoryTotal = std::uint64_t{8} << 30;
      info.memoryFree = free << 30;
      return info;
    };
    devices.devices = {device("first", "One device", 4), device("second", "Another device", 4)};
    check->setDevices(devices);
    QTRY_VERIFY(texts().contains(QStringLiteral("Another device")));
    QQuickItem* test = button(QStringLiteral("Test"));
    test->forceActiveFocus(Qt::TabFocusReason);
    devices.devices[0].memoryFree = std::uint64_t{3} << 30;
    check->setDevices(devices);
    QVERIFY2(texts().join(QString()).contains(QStringLiteral("5.37 GB of 8.59 GB")), qPrintable(texts().join(QString())));
    QVERIFY(minerva.focused() == test);
    devices.devices.pop_back();
    check->setDevices(devices);
    QTRY_VERIFY(!texts().contains(QStringLiteral("Another device")));
    QVERIFY(texts().contains(QStringLiteral("One device")));
  }

  void theFocusIsSeen() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    fillChat(minerva);
    auto* elsewhere = new QQuickItem(minerva.window->contentItem());
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(300);
      QSet<QQuickItem*> seen;
      for (int presses = 0; presses < 60; ++presses) {
        QTest::keyClick(minerva.window, Qt::Key_Tab);
        QQuickItem* item = minerva.focused();
        if (item == nullptr || seen.contains(item)) break;
        seen.insert(item);
        QTest::qWait(20);
        const QImage with = minerva.window->grabWindow();
        elsewhere->forceActiveFocus();
        QTest::qWait(20);
        QVERIFY2(with != minerva.window->grabWindow(),
                 qPrintable(QStringLiteral("%1: the focus on %2 shows nothing").arg(page, describe(item))));
        item->forceActiveFocus(Qt::TabFocusReason);
      }
      QVERIFY2(seen.size() > 5, qPrintable(page));
    }
  }

  void everythingInTheAccessibilityTreeHasARoleAndAName() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    fillChat(minerva);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(300);
      QStringList nameless;
      int interactive = 0;
      const std::function<void(QAccessibleInterface*)> walk = [&](QAccessibleInterface* reader) {
        if (reader == nullptr || !reader->isValid() || reader->state().invisible) return;
        if (reader->state().focusable || reader->actionInterface() != nullptr) {
          const auto* item = qobject_cast<QQuickItem*>(reader->object());
          const bool control = item != nullptr && (isInteractive(item) || item->activeFocusOnTab());
          if (control) {
            ++interactive;
            if (reader->text(QAccessible::Name).trimmed().isEmpty() || reader->role() == QAccessible::NoRole ||
                reader->role() == QAccessible::Client)
              nameless << describe(item) + QStringLiteral(" in ") + describe(item->parentItem());
          }
        }
        for (int i = 0; i < reader->childCount(); ++i) walk(reader->child(i));
      };
      walk(QAccessible::queryAccessibleInterface(minerva.window));
      QVERIFY2(interactive > 5, qPrintable(page));
      QVERIFY2(nameless.isEmpty(), qPrintable(QStringLiteral("%1: no name or role: %2").arg(page, nameless.join(QStringLiteral("; ")))));
    }
  }

  // Every interactive item is in the accessibility tree, with a name and a role.
  void everyInteractiveItemIsInTheTree() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    fillChat(minerva);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(300);
      QStringList hidden;
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        if (!isInteractive(item) || !isShown(item)) return;
        QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(item);
        if (reader == nullptr || reader->text(QAccessible::Name).trimmed().isEmpty() || reader->role() == QAccessible::NoRole)
          hidden << describe(item) + QStringLiteral(" in ") + describe(item->parentItem());
      });
      QVERIFY2(hidden.isEmpty(),
               qPrintable(QStringLiteral("%1: unnamed or not in the tree: %2").arg(page, hidden.join(QStringLiteral("; ")))));
    }
  }

  void aFinishedReplyIsAnnouncedSentenceBySentence() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    QStringList announced;
    minerva.services->settings()->set_temperature(0);  // gives a story of plain sentences
    connect(&*minerva.services, &AppServices::announcementChanged, this, [&] { announced << minerva.services->announcement(); });
    ChatController* chat = minerva.services->chat();
    QVERIFY(chat->send(QStringLiteral("Tell me a story about a fox.")));
    QTRY_VERIFY(!chat->isGenerating());
    QTRY_VERIFY(!announced.isEmpty());
    const QString reply = chat->messages()->index(1, 0).data(MessageModel::TextRole).toString();
    QVERIFY2(announced.size() > 1, qPrintable(reply));
    QCOMPARE(announced.join(u' '), reply.simplified());
    const QObject* region = minerva.window->findChild<QObject*>(QStringLiteral("liveRegion"));
    QVERIFY(region != nullptr);
    QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(const_cast<QObject*>(region));
    QVERIFY(reader != nullptr);
    QCOMPARE(reader->text(QAccessible::Name), announced.last());
  }

  void thoughtsAreLeftOutAndCodeIsNamed() {
    BlockModel blocks;
    blocks.setText(QStringLiteral("First one. Second one!\n\n```cpp\nint a;\nint b;\n```\n\n- an item"), true);
    QCOMPARE(spokenSentences(blocks), (QStringList{QStringLiteral("First one."), QStringLiteral("Second one!"),
                                                   QStringLiteral("A block of code."), QStringLiteral("an item")}));
  }
};

APP_TEST(AccessTest, "access", QGuiApplication)
#include "tst_access.moc"
