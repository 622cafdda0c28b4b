// What Esc does in the whole window: it cancels what the focused editor or the shown view has begun, and stops a reply only if there
// is nothing of the kind.
#include "app_test.h"
#include "find_item.h"
#include "main_window.h"
#include "utf8.h"

#include <functional>

using namespace minerva::app;

class EscapeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    qputenv("HF_ENDPOINT", "http://127.0.0.1:1");  // nothing answers there
    m_minerva = std::make_unique<MainWindow>();
    qunsetenv("HF_ENDPOINT");
  }
  void cleanup() { m_minerva.reset(); }

  void aRenameIsCancelled() {
    startReply();
    QQuickItem* row = nullptr;
    QTRY_VERIFY((row = find(root(), [](QQuickItem* item) { return item->property("renaming").isValid(); })) != nullptr);
    QVERIFY(row->setProperty("renaming", true));
    QTRY_VERIFY(m_minerva->focused() != nullptr && m_minerva->focused()->inherits("QQuickTextField"));
    key(Qt::Key_X);
    key(Qt::Key_Escape);
    QTRY_VERIFY(!row->property("renaming").toBool());
    stillWritten();
  }

  void aSearchIsCleared_data() {
    QTest::addColumn<QString>("page");
    QTest::newRow("conversations") << s("chat");
    QTest::newRow("settings") << s("settings");
  }

  void aSearchIsCleared() {
    QFETCH(QString, page);
    startReply();
    m_minerva->show(page);
    key(Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(m_minerva->focused() != nullptr && m_minerva->focused()->inherits("QQuickTextField"));
    QQuickItem* field = m_minerva->focused();
    key(Qt::Key_X);
    QCOMPARE(field->property("text").toString(), s("x"));
    key(Qt::Key_Escape);
    QCOMPARE(field->property("text").toString(), QString());
    stillWritten();
  }

  void aWrongNumberIsPutRight() {
    startReply();
    m_minerva->show(s("settings"));
    m_minerva->services->settingsModel()->setSearch(s("longest reply"));
    QQuickItem* field = nullptr;
    QTRY_VERIFY((field = find(root(), [](QQuickItem* item) {
                   return item->inherits("QQuickTextField") && item->property("text") == s("0");
                 })) != nullptr);
    field->forceActiveFocus();
    key(Qt::Key_X);
    QVERIFY(field->property("text").toString() != s("0"));
    key(Qt::Key_Escape);
    QCOMPARE(field->property("text").toString(), s("0"));
    stillWritten();
  }

  void anEditIsCancelled() {
    startReply();
    key(Qt::Key_Escape);
    QTRY_VERIFY(chat().canSend());
    chat().beginEdit(0);
    QVERIFY(chat().send(s("And then?")));
    QQuickItem* editor = nullptr;
    const auto isEditor = [](QQuickItem* item) {
      return item->inherits("QQuickTextEdit") && item->property("text") == s("Tell me of a fox.");
    };
    QTRY_VERIFY((editor = find(root(), isEditor)) != nullptr);
    editor->forceActiveFocus();
    key(Qt::Key_Escape);
    QTRY_VERIFY(!chat().messages()->index(0).data(MessageModel::EditingRole).toBool());
    stillWritten();
  }

  void aComparisonOnAnotherPageGoesOn() {
    QVERIFY(m_minerva->start() && m_minerva->loadLongWinded());
    CompareController& compare = *m_minerva->services->compare();
    const QString model = m_minerva->services->inference()->model().path;
    compare.addModel(model, s("one"), {}, {});
    compare.addModel(model, s("the other"), {}, {});
    compare.setPrompt(s("Tell me of a fox."));
    m_minerva->show(s("compare"));
    compare.start();
    const auto runs = [&] { return compare.state() == CompareController::Running || compare.state() == CompareController::Preparing; };
    QTRY_VERIFY(runs());
    m_minerva->show(s("chat"));
    key(Qt::Key_Escape);
    QTest::qWait(50);
    QVERIFY(runs());
    m_minerva->show(s("compare"));
    key(Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!runs(), patienceMs);
  }

  void theModelsPageGoesBack() {
    startReply();
    m_minerva->show(s("models"));
    QQuickItem* page = nullptr;
    QTRY_VERIFY((page = find(root(), isA("ModelsPage_QMLTYPE"))) != nullptr);
    page->setProperty("view", s("discover"));
    HubService* hub = m_minerva->services->hub();
    hub->open(s("org/model"));
    QTRY_VERIFY(find(root(), isA("RepositoryView_QMLTYPE")) != nullptr);
    key(Qt::Key_Escape);
    QCOMPARE(hub->property("repository").toString(), QString());
    hub->search(s("fox"));  // what is recommended stays in view, and so does a way out
    QTRY_VERIFY(find(root(), says("Cancel")) != nullptr && find(root(), says("Try now")) != nullptr);
    QVERIFY(find(root(), says("Recommended")) != nullptr && find(root(), isA("HitRow_QMLTYPE")) != nullptr);
    key(Qt::Key_Escape);
    QTRY_VERIFY(!hub->property("busy").toBool());
    QTRY_VERIFY(find(root(), says("Cancel")) == nullptr);
    page->setProperty("view", s("here"));
    QQuickItem* row = nullptr;
    QTRY_VERIFY((row = find(root(), isA("ModelRow_QMLTYPE"))) != nullptr);
    QVERIFY(QMetaObject::invokeMethod(row, "detailsRequested"));
    QTRY_VERIFY(find(root(), isA("ModelDetailsView_QMLTYPE")) != nullptr);
    key(Qt::Key_Escape);
    QTRY_VERIFY(find(root(), isA("ModelDetailsView_QMLTYPE")) == nullptr);
    stillWritten();
  }

 private:
  QQuickItem* root() { return m_minerva->window->contentItem(); }
  ChatController& chat() { return *m_minerva->services->chat(); }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(m_minerva->window, key, modifiers); }
  static std::function<bool(QQuickItem*)> isA(const char* type) {
    return [type](QQuickItem* item) { return QByteArray(item->metaObject()->className()).startsWith(type); };
  }
  static std::function<bool(QQuickItem*)> says(const char* words) {
    return [words](QQuickItem* item) { return item->property("text") == s(words); };
  }
  // A reply that goes on until it is stopped.
  void startReply() {
    if (!m_minerva->start() || !m_minerva->loadLongWinded()) qFatal("no model");
    if (!chat().send(s("Tell me of a fox.")) || !chat().isGenerating()) qFatal("not sent");
  }
  // The reply was not stopped, and the next Esc stops it.
  void stillWritten() {
    QVERIFY(chat().isGenerating());
    key(Qt::Key_Escape);
    QTRY_VERIFY(!chat().isGenerating());
  }
  std::unique_ptr<MainWindow> m_minerva;
};

APP_TEST(EscapeTest, "escape", QGuiApplication)
#include "tst_escape.moc"
