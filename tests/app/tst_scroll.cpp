// Scrolling the messages by keys while the composer has the focus, and by asking for a reply.
#include "app_test.h"
#include "main_window.h"

#include <cmath>

using namespace minerva::app;

namespace {

// The first visible item, in depth-first order, that has a property.
QQuickItem* having(QQuickItem* item, const char* property) {
  if (!item->isVisible()) return nullptr;
  if (item->property(property).isValid()) return item;
  for (QQuickItem* child : item->childItems())
    if (QQuickItem* found = having(child, property)) return found;
  return nullptr;
}

}  // namespace

class ScrollTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theMessagesAreScrolledFromTheComposer() {
    MainWindow minerva;
    QVERIFY(minerva.start() && minerva.loadLongWinded());
    ChatController* chat = minerva.services->chat();
    QVERIFY(chat->send(QStringLiteral("Tell me a long story about a fox.")));
    QQuickItem* transcript = having(minerva.window->contentItem(), "following");
    QVERIFY(transcript != nullptr);
    QQuickItem* list = having(transcript, "atVeryEnd");
    QVERIFY(list != nullptr);
    const auto of = [list](const char* name) { return list->property(name).toDouble(); };
    const auto following = [transcript] { return transcript->property("following").toBool(); };
    QTRY_VERIFY(of("contentHeight") > 3 * of("height"));
    // A message that waits for the reply is not among those shown.
    QTest::keyClick(minerva.window, Qt::Key_PageUp);
    QTest::keyClick(minerva.window, Qt::Key_A);
    QTest::keyClick(minerva.window, Qt::Key_Return);
    QCOMPARE(chat->outbox()->count(), 1);
    QVERIFY(!following());
    chat->outbox()->remove(0);
    QTest::keyClick(minerva.window, Qt::Key_End, Qt::ControlModifier);
    QVERIFY(following());
    chat->stop();
    QTRY_VERIFY(!chat->isGenerating());
    QTRY_VERIFY(list->property("atVeryEnd").toBool());
    QVERIFY(minerva.focused()->inherits("QQuickTextArea"));
    const QQuickItem* composer = minerva.focused();

    const double before = of("contentY"), page = of("height") * 0.9;
    const auto isNear = [&](double y) { return std::abs(of("contentY") - y) <= 1; };  // the view may settle on a whole pixel
    QTest::keyClick(minerva.window, Qt::Key_PageUp);
    QVERIFY2(isNear(before - page), qPrintable(QString::number(of("contentY"))));
    QVERIFY(!following());
    QTest::keyClick(minerva.window, Qt::Key_PageDown);
    QVERIFY2(isNear(before), qPrintable(QString::number(of("contentY"))));
    QVERIFY(following());

    // Ctrl+End is the text's first.
    QTest::keyClick(minerva.window, Qt::Key_A);
    QTest::keyClick(minerva.window, Qt::Key_Home);
    QTest::keyClick(minerva.window, Qt::Key_PageUp);
    QTest::keyClick(minerva.window, Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(composer->property("cursorPosition").toInt(), 1);
    QVERIFY(!following());
    QTest::keyClick(minerva.window, Qt::Key_End, Qt::ControlModifier);
    QVERIFY(following());
    QTRY_VERIFY(list->property("atVeryEnd").toBool());

    // Whoever asks for a reply sees it.
    minerva.services->settings()->set_maxTokens(20);
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_R}) {
      QTRY_VERIFY(chat->canSend());
      QTest::keyClick(minerva.window, Qt::Key_PageUp);
      QVERIFY(!following());
      QTest::keyClick(minerva.window, key, key == Qt::Key_R ? Qt::ControlModifier : Qt::NoModifier);
      QVERIFY(following());
      QTRY_VERIFY(chat->messages()->count() == 4 && chat->canSend());
      QTRY_VERIFY(list->property("atVeryEnd").toBool());
    }
  }
};

APP_TEST(ScrollTest, "scroll", QGuiApplication)
#include "tst_scroll.moc"
