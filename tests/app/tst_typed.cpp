// Keyboard and mouse input in the chat, in the whole window: no typed text is lost, and no key is ignored silently.
//
// With MINERVA_PICTURES=FOLDER the screens are also saved as PNGs for inspection; MINERVA_THEME=dark selects the dark theme.
#include "app/chat/chat_store.h"
#include "app_test.h"
#include "find_item.h"
#include "main_window.h"
#include "patience.h"
#include "store_samples.h"
#include "utf8.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QKeyEvent>
#include <QSignalSpy>

using namespace minerva::app;

namespace {

QString nameOf(QQuickItem* item) {
  QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(item);
  return reader != nullptr ? reader->text(QAccessible::Name) : QString();
}

}  // namespace

class TypedTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { QAccessible::setActive(true); }
  void init() { m_minerva = std::make_unique<MainWindow>(s("chat"), QSize(1280, 800), qEnvironmentVariable("MINERVA_THEME", s("light"))); }
  void cleanup() { m_minerva.reset(); }

  void whatIsTypedAfterEnterStays() {
    QVERIFY(m_minerva->start());
    InferenceController* inference = m_minerva->services->inference();
    inference->setRestAfter(std::chrono::milliseconds(20));
    QTRY_COMPARE(inference->state(), InferenceController::Resting);
    inference->setRestAfter({});
    type("one");
    key(Qt::Key_Return);
    type("and more");  // while the model is being loaded
    QTRY_COMPARE(chat().messages()->count(), 2);
    QCOMPARE(text(0), s("one"));
    QCOMPARE(chat().draft(), s("and more"));
  }

  // A page that is not shown has no keys; when it is shown again, they go where they went before.
  void nothingIsTypedIntoAPageThatIsNotShown() {
    QVERIFY(m_minerva->start());
    type("one");
    QCOMPARE(chat().draft(), s("one"));
    for (const char* page : {"settings", "models", "metrics", "compare"}) {
      m_minerva->show(QString::fromLatin1(page));
      type("two");
      key(Qt::Key_Return);
      QCOMPARE(chat().draft(), s("one"));
      QCOMPARE(chat().messages()->count(), 0);
    }
    m_minerva->show(s("chat"));
    type(" three");
    QCOMPARE(chat().draft(), s("one three"));
  }

  void aClickedMessageKeepsNoKeys() {
    QVERIFY(m_minerva->start());
    ask("Who are you?");
    for (const int row : {0, 1}) {
      QQuickItem* message = nullptr;
      QTRY_VERIFY((message = messageText(row)) != nullptr);
      m_minerva->waitForFrame();
      QTest::mouseClick(m_minerva->window, Qt::LeftButton, {}, message->mapToScene(QPointF(5, 8)).toPoint());
      QCOMPARE(m_minerva->focused(), message);
      key(Qt::Key_A, Qt::ControlModifier);
      QVERIFY(!message->property("selectedText").toString().isEmpty());
      QGuiApplication::clipboard()->clear();
      key(Qt::Key_C, Qt::ControlModifier);
      QVERIFY(text(row).startsWith(QGuiApplication::clipboard()->text().left(5)) && !QGuiApplication::clipboard()->text().isEmpty());
      const bool list = m_minerva->services->settings()->listVisible();
      key(Qt::Key_F9);
      QCOMPARE(m_minerva->services->settings()->listVisible(), !list);
      type("so");
      QCOMPARE(chat().draft(), row == 0 ? s("so") : s("soso"));
    }
  }

  // Also one that was to bring a larger context.
  void aCancelledLoadGivesTheMessageBack() {
    QVERIFY(m_minerva->start());
    answerShortly();
    QTRY_VERIFY(chat().canSend());
    InferenceController* inference = m_minerva->services->inference();
    inference->setRestAfter(std::chrono::milliseconds(20));
    QTRY_COMPARE(inference->state(), InferenceController::Resting);
    inference->setRestAfter({});
    QVERIFY(m_minerva->services->context()->send(s("one")));
    QCOMPARE(inference->state(), InferenceController::Loading);
    inference->cancelLoad();
    QCOMPARE(inference->state(), InferenceController::Resting);
    QCOMPARE(chat().draft(), s("one"));
    QCOMPARE(chat().outbox()->count(), 0);
    QVERIFY(m_minerva->services->context()->send(chat().draft()));
    QTRY_COMPARE(chat().messages()->count(), 2);
    QCOMPARE(text(0), s("one"));
    QTRY_VERIFY(chat().canSend());

    Settings* settings = m_minerva->services->settings();
    settings->set_contextLength(256);
    inference->reload();
    QTRY_VERIFY(inference->state() == InferenceController::Ready && inference->model().contextLength == 256);
    const QString large = s("one fox after another ").repeated(70);
    QVERIFY(m_minerva->services->context()->send(large));
    QTRY_VERIFY(m_minerva->services->context()->isBlocked());
    m_minerva->services->context()->enlargeContext();
    QVERIFY(settings->contextLength() > 256);
    inference->cancelLoad();
    QCOMPARE(settings->contextLength(), 256);
    QCOMPARE(chat().draft(), large);
    QVERIFY(!m_minerva->services->context()->isBlocked());
  }

  void enterWhileAReplyIsWrittenIsSentAfterIt() {
    QVERIFY(m_minerva->start() && m_minerva->loadLongWinded());
    queueBehindAReply("and then?");
    QCOMPARE(chat().draft(), QString());  // it is accepted ...
    QTRY_VERIFY(shows("and then?"));      // ... and shown as waiting
    look("queue");
    answerShortly();
    key(Qt::Key_Escape);
    QTRY_COMPARE(chat().messages()->count(), 4);
    QCOMPARE(text(2), s("and then?"));
    QTRY_VERIFY(!chat().isGenerating());
  }

  void aMessageTakenBackFromTheQueueIsEditedAtItsEnd() {
    QVERIFY(m_minerva->start() && m_minerva->loadLongWinded());
    queueBehindAReply("and then?");
    QTRY_VERIFY(shows("and then?"));
    type("mine");
    QQuickItem* button = nullptr;
    QTRY_VERIFY((button = find(root(), [](QQuickItem* item) { return item->property("tip") == s("Move back to the composer"); })) !=
                nullptr);
    button->forceActiveFocus();
    key(Qt::Key_Space);
    QTRY_COMPARE(chat().draft(), s("and then?\n\nmine"));
    type(" Soon");
    QTRY_COMPARE(chat().draft(), s("and then? Soon\n\nmine"));
  }

  void anEditThatIsRefusedStaysOpen() {
    QVERIFY(m_minerva->start());
    ask("Who are you?");
    edit("Edit and send again; this version stays");
    type(" Really");
    m_minerva->services->inference()->unload();
    QVERIFY(!chat().canSend());
    key(Qt::Key_Return);  // no model is loaded
    QTest::qWait(100);
    QVERIFY(editor("Edit message") != nullptr);
    QCOMPARE(editor("Edit message")->property("text").toString(), s("Who are you? Really"));
    QVERIFY(shows("Can be sent when no reply is being written and a model is ready"));
    look("edit");
    m_minerva->services->library()->openBuiltIn();
    QTRY_VERIFY(chat().canSend());
    editor("Edit message")->forceActiveFocus();
    key(Qt::Key_Return);
    QTRY_COMPARE(text(0), s("Who are you? Really"));
    QTRY_VERIFY(editor("Edit message") == nullptr);
  }

  // The editor and the button are gone, and what is typed next is meant for the next message.
  void afterAnEditOrAnotherTryTheComposerHasTheKeys() {
    QVERIFY(m_minerva->start());
    ask("Who are you?");
    const auto hasKeys = [this] {
      return QTest::qWaitFor([this] { return chat().canSend() && editor("Edit message") == nullptr && editor("Edit reply") == nullptr; },
                             patienceMs)
                 ? nameOf(m_minerva->focused())
                 : s("an editor that stays");
    };
    edit("Edit and send again; this version stays");
    key(Qt::Key_Escape);
    QCOMPARE(hasKeys(), s("Message"));
    edit("Edit and send again; this version stays");
    type(" Really");
    key(Qt::Key_Return);
    QTRY_COMPARE(text(0), s("Who are you? Really"));
    QCOMPARE(hasKeys(), s("Message"));
    edit("Edit, then let the model continue if you like; this version stays");
    type(" So");
    key(Qt::Key_S, Qt::ControlModifier);
    QTRY_VERIFY(text(1).endsWith(s(" So")));
    QCOMPARE(hasKeys(), s("Message"));
    m_minerva->waitForFrame();
    m_minerva->waitForFrame();  // the row of the version before is gone
    QQuickItem* again = nullptr;
    QTRY_VERIFY((again = find(root(), [](QQuickItem* item) { return item->isEnabled() && nameOf(item) == s("Try again"); })) != nullptr);
    again->forceActiveFocus(Qt::TabFocusReason);
    key(Qt::Key_Space);
    QTRY_VERIFY(!text(1).endsWith(s(" So")));
    QCOMPARE(hasKeys(), s("Message"));
  }

  void anEditSurvivesScrollingAndARestart() {
    keepLongConversation();
    QVERIFY(m_minerva->start());
    chat().select(chat().conversations()->idAt(0));
    QTRY_COMPARE(chat().messages()->count(), 60);
    QTRY_VERIFY(find(root(), [](QQuickItem* item) { return item->property("tip") == s("Edit and send again; this version stays"); }));
    QQuickItem* list = find(root(), [](QQuickItem* item) { return nameOf(item) == s("Messages"); });
    QVERIFY(list != nullptr);
    // Wait for the list to rest: one that still scrolls to its end moves the row away under the editor.
    for (double before = -1; before != list->property("contentY").toDouble();) {
      before = list->property("contentY").toDouble();
      m_minerva->waitForFrame();
      QTest::qWait(150);
    }
    edit("Edit and send again; this version stays");
    type(" and my own words");
    QTRY_VERIFY(editedText().endsWith(s(" and my own words")));
    const QString typed = editedText();
    const double here = list->property("contentY").toDouble();
    for (const int row : {59, 0, 30, 59, 0}) {
      QMetaObject::invokeMethod(list, "positionViewAtIndex", Q_ARG(int, row), Q_ARG(int, 0));
      QTest::qWait(60);
    }
    list->setProperty("contentY", here);
    QTRY_COMPARE(editedText(), typed);
    m_minerva->open(s("chat"));
    QVERIFY(m_minerva->start());
    chat().select(chat().conversations()->idAt(0));
    QTRY_COMPARE(chat().messages()->count(), 60);
    QVERIFY(chat().conversations()->count() > 0);
    QTRY_COMPARE(editedText(), typed);
    QVERIFY(m_minerva->focused() != editor("Edit message"));  // an editor that is only restored does not take the focus
  }

  void aClickedConversationIsDeletedAndBroughtBackByKeys() {
    QVERIFY(m_minerva->start());
    const qint64 first = ask("Who are you?");
    chat().newConversation();
    const qint64 second = ask("What is 7 + 8?");
    for (const qint64 id : {first, second}) {
      clickConversation(id);
      QTRY_COMPARE(chat().currentId(), id);
      key(Qt::Key_Delete);
      QTRY_COMPARE(chat().conversations()->rowOf(id), -1);
      key(Qt::Key_Z, Qt::ControlModifier);
      QTRY_VERIFY(chat().conversations()->rowOf(id) >= 0);
    }
    // Typing then goes to the draft.
    clickConversation(first);
    type("so");
    QTRY_COMPARE(chat().draft(), s("so"));
    // The undo of a text field takes precedence.
    clickConversation(second);
    key(Qt::Key_Delete);
    QTRY_COMPARE(chat().conversations()->rowOf(second), -1);
    key(Qt::Key_L, Qt::ControlModifier);
    type("x");
    const QString typed = chat().draft();
    key(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(chat().draft() != typed);
    QCOMPARE(chat().conversations()->rowOf(second), -1);
  }

  void aRenamedRowHasTheFocus() {
    QVERIFY(m_minerva->start());
    const qint64 id = ask("Who are you?");
    const qint64 folder = chat().addFolder(s("Work"));
    QVERIFY(folder != 0);
    clickConversation(id);
    const auto focusedId = [this](const char* name) {
      const QQuickItem* item = m_minerva->focused();
      return item != nullptr && item->inherits("QQuickItemDelegate") ? item->property(name).toLongLong() : 0;
    };
    for (const Qt::Key end : {Qt::Key_Return, Qt::Key_Escape}) {
      QCOMPARE(focusedId("conversationId"), id);
      key(Qt::Key_F2);
      QTRY_VERIFY(m_minerva->focused() != nullptr && nameOf(m_minerva->focused()) == s("New title"));
      type("Owl");
      key(end);
      QTRY_COMPARE(focusedId("conversationId"), id);
      QTRY_COMPARE(chat().title(), s("Owl"));
    }
    QQuickItem* row = nullptr;
    QTRY_VERIFY((row = find(root(), [&](QQuickItem* item) { return item->property("folderId").toLongLong() == folder; })) != nullptr);
    row->forceActiveFocus();
    key(Qt::Key_F2);
    QTRY_VERIFY(m_minerva->focused() != nullptr && nameOf(m_minerva->focused()) == s("New title"));
    type("Play");
    key(Qt::Key_Return);
    QTRY_COMPARE(focusedId("folderId"), folder);
    QCOMPARE(chat().conversations()->folders().first().toMap().value(s("name")).toString(), s("Play"));
  }

  void aSearchIsTypedAnewAndEndsWithANewChat() {
    QVERIFY(m_minerva->start());
    ask("Who are you?");
    key(Qt::Key_F, Qt::ControlModifier);
    type("zebra");
    QCOMPARE(chat().conversations()->search(), s("zebra"));
    key(Qt::Key_L, Qt::ControlModifier);
    key(Qt::Key_F, Qt::ControlModifier);
    type("who");
    QCOMPARE(chat().conversations()->search(), s("who"));
    type("m");
    QCOMPARE(chat().conversations()->count(), 0);
    key(Qt::Key_N, Qt::ControlModifier);
    QCOMPARE(chat().conversations()->search(), QString());
    QCOMPARE(chat().conversations()->count(), 1);
  }

  void nothingIsDeletedFromAListThatIsNotShown() {
    QVERIFY(m_minerva->start());
    const qint64 id = ask("Who are you?");
    clickConversation(id);
    m_minerva->services->settings()->set_listVisible(false);
    key(Qt::Key_Delete);
    QTest::qWait(50);
    QVERIFY(chat().conversations()->rowOf(id) >= 0);
  }

  void aHeldDeleteKeyDeletesOneRow() {
    QVERIFY(m_minerva->start());
    const qint64 first = ask("Who are you?");
    chat().newConversation();
    const qint64 second = ask("What is 7 + 8?");
    const auto repeatDelete = [this] {
      QKeyEvent repeated(QEvent::KeyPress, Qt::Key_Delete, Qt::NoModifier, s("\x7f"), true);
      QCoreApplication::sendEvent(m_minerva->window, &repeated);
    };
    clickConversation(second);
    repeatDelete();
    QVERIFY(chat().conversations()->rowOf(second) >= 0);
    key(Qt::Key_Delete);
    QTRY_COMPARE(chat().conversations()->rowOf(second), -1);
    repeatDelete();
    QVERIFY(chat().conversations()->rowOf(first) >= 0);
    QVERIFY(chat().addFolder(s("Work")) != 0);
    QQuickItem* folder = nullptr;
    QTRY_VERIFY((folder = find(root(), [](QQuickItem* item) { return item->property("folderId").toLongLong() != 0; })) != nullptr);
    folder->forceActiveFocus();
    repeatDelete();
    QCOMPARE(chat().conversations()->folders().size(), 1);
    key(Qt::Key_Delete);
    QTRY_COMPARE(chat().conversations()->folders().size(), 0);
  }

  void recentlyDeletedIsOpenedByKeys() {
    QVERIFY(m_minerva->start());
    for (const char* text : {"Who are you?", "Tell me a story about a fox", "What is 7 + 8?"}) {
      chat().newConversation();
      const qint64 id = ask(text);
      if (*text == 'W') chat().remove(id);
    }
    key(Qt::Key_Delete, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(m_minerva->focused() != nullptr && nameOf(m_minerva->focused()).startsWith(s("What is 7 + 8?, Deleted")));
    QTest::qWait(300);
    look("deleted");
    key(Qt::Key_Delete);
    QTest::qWait(50);
    look("deleted-sure");
    key(Qt::Key_Down);
    key(Qt::Key_Return);
    QTRY_COMPARE(chat().deleted()->count(), 1);
    QTRY_COMPARE(chat().title(), s("Who are you?"));
  }

  void aPastedPictureIsRefusedInWords() {
    QVERIFY(m_minerva->start());
    QImage picture(4, 4, QImage::Format_RGB32);
    picture.fill(Qt::red);
    QGuiApplication::clipboard()->setImage(picture);
    key(Qt::Key_V, Qt::ControlModifier);
    QTRY_VERIFY(shows("The picture was not pasted"));
    look("picture");
    key(Qt::Key_N, Qt::ControlModifier);
    QTRY_VERIFY(!shows("The picture was not pasted"));
  }

  void aContextOutOfRangeIsRefusedInWords() {
    QVERIFY(m_minerva->start());
    m_minerva->show(s("settings"));
    QQuickItem* field = nullptr;
    QTRY_VERIFY((field = find(root(), [](QQuickItem* item) {
                   return item->inherits("QQuickTextField") && nameOf(item) == s("Context length");
                 })) != nullptr);
    field->forceActiveFocus();
    QMetaObject::invokeMethod(field, "selectAll");
    type("99999999");
    key(Qt::Key_Return);
    QTRY_VERIFY(shows("Not accepted: enter a number from 0 to 1,048,576"));
    QCOMPARE(m_minerva->services->settings()->contextLength(), 0);
    look("number");
    QMetaObject::invokeMethod(field, "selectAll");
    type("20000");
    key(Qt::Key_Return);
    QTRY_COMPARE(m_minerva->services->settings()->contextLength(), 20000);
    QTRY_VERIFY(!shows("Not accepted: enter a number from 0 to 1,048,576"));
    QTRY_VERIFY(shows("The model was made for 1,024 tokens: 20,000 would be reduced to that."));
    look("number-cut");
  }

  void aMenuOfTheRightButtonIsReachedByKeys() {
    QVERIFY(m_minerva->start());
    const qint64 id = ask("Who are you?");
    QQuickItem* row = conversationRow(id);
    QVERIFY(row != nullptr);
    QTest::mouseClick(m_minerva->window, Qt::RightButton, {}, row->mapToScene(QPointF(row->width() / 2, row->height() / 2)).toPoint());
    QObject* menu = nullptr;
    QTRY_VERIFY((menu = openMenu()) != nullptr);
    QTest::qWait(300);
    look("menu");
    // From wherever the pointer is, the arrow keys reach every choice in order, and none is skipped.
    const QStringList choices{s("Rename"), s("Pin to the top"), s("Move to folder..."), s("Export..."), s("Delete")};
    for (const int pointed : {2, 4, 0}) {
      QQuickItem* item = nullptr;
      QMetaObject::invokeMethod(menu, "itemAt", Q_RETURN_ARG(QQuickItem*, item), Q_ARG(int, pointed));
      QVERIFY(item != nullptr);
      QTest::mouseMove(m_minerva->window, item->mapToScene(QPointF(20, item->height() / 2)).toPoint());
      QTRY_COMPARE(highlighted(menu), choices[pointed]);
      for (int i = 1; i <= 5; ++i) {
        key(Qt::Key_Down);
        m_minerva->waitForFrame();  // the item under the pointer is evaluated again with it
        QCOMPARE(highlighted(menu), choices[(pointed + i) % 5]);
      }
      for (int i = 1; i <= 5; ++i) {
        key(Qt::Key_Up);
        m_minerva->waitForFrame();
        QCOMPARE(highlighted(menu), choices[(pointed + 5 - i) % 5]);
      }
      key(Qt::Key_End);
      QCOMPARE(highlighted(menu), s("Delete"));
      key(Qt::Key_Home);
      QCOMPARE(highlighted(menu), s("Rename"));
    }
    key(Qt::Key_Return);
    QTRY_VERIFY(openMenu() == nullptr);
    QTRY_VERIFY(find(root(), [](QQuickItem* item) { return nameOf(item) == s("New title"); }) != nullptr);
  }

  void aNewChatShowsNoOtherChatsFigures() {
    QVERIFY(m_minerva->start() && m_minerva->loadLongWinded());
    const qint64 id = ask("Who are you?");
    const PanelModel* panel = m_minerva->services->panel();
    const int tokens = panel->property("tokens").toInt();
    QVERIFY(tokens > 0);
    QVERIFY(panel->property("contextUsed").toInt() > 0);
    key(Qt::Key_N, Qt::ControlModifier);
    QTRY_COMPARE(chat().currentId(), 0);
    QCOMPARE(panel->property("tokens").toInt(), 0);
    QCOMPARE(panel->property("contextUsed").toInt(), 0);
    QVERIFY(!(panel->property("decodeAverage").toDouble() > 0));
    QVERIFY(panel->history().isEmpty());
    chat().select(id);
    QCOMPARE(panel->property("tokens").toInt(), tokens);
    chat().newConversation();
    startLongReply();
    const qint64 other = chat().currentId();
    chat().select(id);
    QVERIFY(panel->phase() != PanelModel::Idle);  // the engine's activity is shown in every conversation
    chat().stopIn(other);
    QTRY_VERIFY(panel->phase() == PanelModel::Idle);
    QCOMPARE(panel->property("tokens").toInt(), tokens);
  }

 private:
  ChatController& chat() { return *m_minerva->services->chat(); }
  QQuickItem* root() { return m_minerva->window->contentItem(); }
  QString text(int row) { return chat().messages()->index(row, 0).data(MessageModel::TextRole).toString(); }
  void look(const char* name) {
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (!folder.isEmpty()) m_minerva->window->grabWindow().save(QStringLiteral("%1/%2.png").arg(folder, s(name)));
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { QTest::keyClick(m_minerva->window, key, modifiers); }
  void type(const char* text) {
    for (const char* c = text; *c != '\0'; ++c) QTest::keyClick(m_minerva->window, *c);
  }
  bool shows(const char* words) {
    return find(root(), [&](QQuickItem* item) { return item->inherits("QQuickText") && item->property("text") == s(words); }) != nullptr;
  }
  void answerShortly() {
    m_minerva->services->settings()->resetSection(s("Sampling"));
    m_minerva->services->settings()->set_maxTokens(20);
  }
  // Gets a short reply in the shown conversation and returns the conversation's id.
  qint64 ask(const char* question) {
    answerShortly();
    if (!chat().send(s(question)) || !QTest::qWaitFor([this] { return chat().canSend(); }, patienceMs)) qFatal("no reply");
    return chat().currentId();
  }
  // Starts a reply that goes on until it is stopped; by the long-winded model.
  void startLongReply() {
    m_minerva->services->settings()->set_maxTokens(0);
    if (!chat().send(s("one fox after another")) || !chat().isGenerating()) qFatal("not sent");
  }
  // Sends words while a reply is written, so that they wait.
  void queueBehindAReply(const char* words) {
    startLongReply();
    type(words);
    key(Qt::Key_Return);
    if (chat().outbox()->count() != 1 || !chat().isGenerating()) qFatal("no message waits behind a reply");
  }
  QQuickItem* editor(const char* name) {
    return find(root(), [&](QQuickItem* item) { return item->inherits("QQuickTextEdit") && nameOf(item) == s(name); });
  }
  // The text of the message being edited; empty while its row does not exist.
  QString editedText() {
    const QQuickItem* found = editor("Edit message");
    return found == nullptr ? QString() : found->property("text").toString();
  }
  // The selectable text of a message, or of its first paragraph.
  QQuickItem* messageText(int row) {
    QQuickItem* message = find(root(), [row](QQuickItem* item) {
      return item->property("versionCount").isValid() && item->property("blocks").isValid() && item->property("index").toInt() == row;
    });
    return message == nullptr ? nullptr : find(message, [](QQuickItem* item) { return item->inherits("QQuickTextEdit"); });
  }
  // Clicks the first button with this tool tip and waits for its editor.
  void edit(const char* tip) {
    QQuickItem* button = nullptr;
    QTRY_VERIFY((button = find(root(), [&](QQuickItem* item) { return item->property("tip") == s(tip); })) != nullptr);
    QVERIFY(QMetaObject::invokeMethod(button, "clicked"));
    QTRY_VERIFY(m_minerva->focused() != nullptr && nameOf(m_minerva->focused()).startsWith(s("Edit ")));
  }
  QQuickItem* conversationRow(qint64 id) {
    return find(root(), [&](QQuickItem* item) {
      return item->inherits("QQuickItemDelegate") && item->property("conversationId").toLongLong() == id;
    });
  }
  void clickConversation(qint64 id) {
    QQuickItem* row = nullptr;
    QTRY_VERIFY((row = conversationRow(id)) != nullptr);
    m_minerva->waitForFrame();
    m_minerva->waitForFrame();  // rows that moved with the first are where they stay
    row = conversationRow(id);
    QVERIFY(row != nullptr);
    QTest::mouseClick(m_minerva->window, Qt::LeftButton, {}, row->mapToScene(QPointF(row->width() / 3, row->height() / 2)).toPoint());
    QTRY_COMPARE(chat().currentId(), id);
  }
  QObject* openMenu() {
    for (QObject* item : QGuiApplication::focusWindow() ? QGuiApplication::focusWindow()->findChildren<QObject*>() : QObjectList())
      if (item->inherits("QQuickMenu") && item->property("opened").toBool()) return item;
    return menuAt(root());
  }
  QObject* menuAt(QQuickItem* item) {
    for (QObject* own : item->children())
      if (own->inherits("QQuickMenu") && own->property("opened").toBool()) return own;
    for (QQuickItem* child : item->childItems())
      if (QObject* found = menuAt(child)) return found;
    return nullptr;
  }
  static QString highlighted(QObject* menu) {
    QQuickItem* item = nullptr;
    QMetaObject::invokeMethod(menu, "itemAt", Q_RETURN_ARG(QQuickItem*, item), Q_ARG(int, menu->property("currentIndex").toInt()));
    return item != nullptr && item->property("highlighted").toBool() ? item->property("text").toString() : s("none");
  }
  // Stores thirty turns before the window is opened.
  void keepLongConversation() {
    const QString folder = m_minerva->folder();
    m_minerva->services->chat()->flush();
    auto store = ChatStore::open(folder + s("/conversations.sqlite"));
    QVERIFY(store.has_value());
    Conversation kept = conversation(1);
    kept.activeLeaf = 101 + 59;
    QVERIFY((*store)->save(kept).has_value());
    for (int i = 0; i < 60; ++i) {
      Message said =
          message(101 + i, 1, i == 0 ? 0 : 100 + i, s("Line one of %1\nand a second line\nand a third\n\nand more words").arg(i));
      if (i % 2 == 1) said.author = Author::assistant;
      QVERIFY((*store)->save(said).has_value());
    }
    store->reset();
    m_minerva->open(s("chat"));
  }
  std::unique_ptr<MainWindow> m_minerva;
};

APP_TEST(TypedTest, "typed", QGuiApplication)
#include "tst_typed.moc"
