// Messages that were sent while a reply was being written: sent one after the other, each once, to the model they were meant for, shown or
// not.
#include "app_test.h"
#include "counted_chat.h"
#include "patience.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace minerva::app;
namespace engine = minerva::engine;

class QueueTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void cleanup() { m_bench.reset(); }

  void queuedMessagesAreSentOneAfterTheOther() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    for (const char* text : {"two", "three", "four"}) QVERIFY(m_bench->guard.send(s(text)));
    QVERIFY(!m_bench->guard.send(s("  ")));
    QCOMPARE(chat.outbox()->count(), 3);
    chat.setDraft(s("mine"));
    chat.outbox()->remove(1);
    const auto nextIsAsked = [&](const char* text, int rows) {
      m_bench->source.say(s("ok"));
      m_bench->source.end(engine::FinishReason::endOfTurn);
      return QTest::qWaitFor([&] { return chat.isGenerating(); }, patienceMs) && chat.messages()->count() == rows &&
             chat.messages()->at(rows - 2).message.text == s(text);
    };
    QVERIFY(nextIsAsked("two", 4));
    QCOMPARE(chat.outbox()->count(), 1);
    chat.editQueued(0);
    QCOMPARE(chat.draft(), s("four\n\nmine"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QTest::qWait(50);
    QVERIFY(!chat.isGenerating());  // the queue is empty
    // A message does not wait for a reply in another conversation, and the queue of a conversation stays there.
    QVERIFY(m_bench->guard.send(s("five")));
    QTRY_VERIFY(chat.isGenerating());
    QVERIFY(m_bench->guard.send(s("six")));
    const qint64 first = chat.currentId();
    const quint64 firstRequest = chat.request();
    chat.newConversation();
    QVERIFY(m_bench->guard.send(s("elsewhere")));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(chat.title(), s("elsewhere"));
    QVERIFY(chat.isGeneratingElsewhere());
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QVERIFY(chat.isGeneratingElsewhere());
    chat.select(first);
    QCOMPARE(chat.outbox()->count(), 1);
    m_bench->source.told = firstRequest;
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->source.told = 0;
    QTRY_COMPARE(chat.messages()->at(chat.messages()->count() - 2).message.text, s("six"));
  }

  void aRemovedMessageComesBackToItsPlace() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    Outbox& outbox = *chat.outbox();
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    for (const char* text : {"two", "three", "four"}) QVERIFY(m_bench->guard.send(s(text)));
    const quint64 second = outbox.first()->id;
    outbox.remove(1);
    QVERIFY(outbox.canUndo());
    QCOMPARE(outbox.count(), 2);
    outbox.undoRemove();
    QVERIFY(!outbox.canUndo());
    QCOMPARE(outbox.count(), 3);
    QCOMPARE(outbox.first()->id, second);
    QCOMPARE(outbox.index(1).data(Outbox::TextRole).toString(), s("three"));
    QCOMPARE(outbox.drafts(chat.currentId()).size(), 3U);
    // Also where another conversation is shown by then.
    const qint64 here = chat.currentId();
    outbox.remove(2);
    chat.newConversation();
    outbox.undoRemove();
    QCOMPARE(outbox.count(), 0);
    chat.select(here);
    QCOMPARE(outbox.index(2).data(Outbox::TextRole).toString(), s("four"));
    outbox.remove(2);
    outbox.dismissUndo();
    outbox.undoRemove();
    QCOMPARE(outbox.count(), 2);
  }

  // At each moment the text is in one of the two tables, whenever the process is killed.
  void whatLeavesTheQueueIsInTheFile() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    StoreThread& store = m_bench->store;
    const auto isInTheFile = [&] {
      store.flush();
      bool there = false;
      QEventLoop loop;
      store.ask(
          &loop, [](ChatStore& file) { return file.drafts(); },
          [&](const minerva::Result<std::vector<Draft>>& drafts) {
            there = drafts && std::ranges::any_of(*drafts, [](const Draft& draft) { return draft.text.contains(s("the queued one")); });
            loop.quit();
          });
      loop.exec();
      return there;
    };
    m_bench->source.ready = false;
    QVERIFY(chat.enqueue(s("the queued one")));
    QVERIFY(isInTheFile());
    QList<bool> seen;
    connect(&chat, &ChatController::currentChanged, &chat, [&] { seen << isInTheFile(); });
    connect(chat.outbox(), &Outbox::changed, &chat, [&] { seen << isInTheFile(); });
    chat.editQueued(0);
    QVERIFY(isInTheFile());
    QVERIFY(chat.enqueue(chat.draft()));
    m_bench->source.ready = true;
    QVERIFY(chat.sendQueued(chat.outbox()->first()->id));
    QVERIFY(seen.size() >= 3);
    QVERIFY(!seen.contains(false));
    QVERIFY(!isInTheFile());  // it is a message now
  }

  // What is queued is sent when the reply of its conversation has ended, shown or not, with that conversation's terms.
  void aQueueThatIsNotShownIsSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    ScriptedSource& source = m_bench->source;
    QFile file(m_folder->filePath(s("a.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("of a file") > 0);
    file.close();
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    chat.useEffort(s("high"));
    QVERIFY(m_bench->guard.send(s("two")));
    chat.attachments()->add({QUrl::fromLocalFile(file.fileName())});
    QTRY_VERIFY(!chat.attachments()->isReading());
    QVERIFY(m_bench->guard.send(s("three")));
    const qint64 first = chat.currentId();
    chat.newConversation();
    chat.setDraft(s("typed here"));
    QSignalSpy begun(&chat, &ChatController::replyBegun);
    m_bench->reply("A");
    QTRY_COMPARE(begun.size(), 1);
    QCOMPARE(source.asked(), (QStringList{s("one"), s("A"), s("two")}));
    QCOMPARE(source.lastRequest.conversation, static_cast<std::uint64_t>(first));
    QCOMPARE(source.lastRequest.chat.reasoning.effort, std::string("high"));
    QCOMPARE(chat.conversationOf(source.last), first);
    QVERIFY(!chat.isGenerating() && chat.isGeneratingElsewhere() && chat.canSend());  // the shown one is as it was
    QCOMPARE(chat.currentId(), 0);
    QCOMPARE(chat.messages()->count(), 0);
    QCOMPARE(chat.draft(), s("typed here"));
    QCOMPARE(chat.reasoning().effort, QString());
    QTest::qWait(50);
    QCOMPARE(begun.size(), 1);  // the next one waits for this one's reply
    m_bench->reply("B");
    QTRY_COMPARE(begun.size(), 2);
    QVERIFY(source.asked().last().contains(s("Attached file: a.txt")));
    m_bench->reply("C");
    QTest::qWait(50);
    QCOMPARE(begun.size(), 2);
    QVERIFY(!chat.isGeneratingElsewhere());
    chat.select(first);
    QCOMPARE(m_bench->texts(), (QStringList{s("one"), s("A"), s("two"), s("B"), s("three"), s("C")}));
    QCOMPARE(m_bench->chat.messages()->at(4).message.attachments.size(), 1);
    QCOMPARE(chat.outbox()->count(), 0);
    // Nothing of it is lost or sent again after a restart.
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(first);
    QTRY_COMPARE(m_bench->texts(), (QStringList{s("one"), s("A"), s("two"), s("B"), s("three"), s("C")}));
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 0U);
  }

  // Shown again while its prompt is being counted, it is sent once. Once the source is ready, and not of a deleted conversation.
  void aQueueIsSentOnce() {
    const qint64 first = leaveAQueue();
    ChatController& chat = m_bench->chat;
    // It is selected after the question and before the answer.
    bool isAsked = false;
    m_bench->source.counter = [&, count = m_bench->source.counter](const PromptQuestion& question) {
      if (question.request.conversation == static_cast<std::uint64_t>(first) && !std::exchange(isAsked, true))
        QMetaObject::invokeMethod(
            &chat, [&] { chat.select(first); }, Qt::QueuedConnection);
      return count(question);
    };
    m_bench->reply("A");
    QTRY_VERIFY(isAsked && chat.currentId() == first && chat.isGenerating());
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 2U);
    QVERIFY(m_bench->guard.send(s("three")));
    chat.newConversation();
    m_bench->source.ready = false;
    Q_EMIT m_bench->source.readyChanged();
    m_bench->reply("B");
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 2U);
    m_bench->source.ready = true;
    Q_EMIT m_bench->source.readyChanged();
    QTRY_COMPARE(m_bench->source.last, 3U);
    chat.select(first);
    QVERIFY(m_bench->guard.send(s("four")));
    chat.newConversation();
    chat.remove(first);
    m_bench->source.end(engine::FinishReason::cancelled);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 3U);
  }

  // After a failure it is held; too long a prompt needs the person.
  void aQueueThatIsNotShownWaitsForThePerson() {
    const qint64 first = leaveAQueue();
    ChatController& chat = m_bench->chat;
    m_bench->source.failWith({.kind = minerva::ErrorKind::io, .what = "no", .where = {}, .expected = {}, .actual = {}, .hint = {}});
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, 1U);
    chat.select(first);
    QVERIFY(chat.outbox()->isHeld());
    chat.outbox()->release();
    QTRY_COMPARE(m_bench->source.last, 2U);
    QVERIFY(m_bench->guard.send(QStringList(90, s("long")).join(u' ')));
    chat.newConversation();
    const quint64 asked = m_bench->source.lastQuestion;
    m_bench->reply("B");
    QTRY_VERIFY(m_bench->source.lastQuestion > asked);
    QTest::qWait(100);
    QCOMPARE(m_bench->source.last, 2U);
    QVERIFY(!m_bench->guard.isBlocked());                // nobody is asked about what is not shown
    QVERIFY(m_bench->source.lastQuestion < asked + 10);  // nor is it counted again and again
    chat.select(first);
    QCOMPARE(chat.outbox()->count(), 1);
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->guard.shortenReply();
  }

  // To a server only if the person has seen it there.
  void aQueueThatIsNotShownGoesToNoOtherServer() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    ScriptedSource& source = m_bench->source;
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(chat.isGenerating());
    QVERIFY(m_bench->guard.send(s("two")));
    QVERIFY(m_bench->guard.send(s("three")));
    QVERIFY(m_bench->guard.send(s("four")));
    const qint64 first = chat.currentId();
    chat.newConversation();
    source.server = s("Box");
    Q_EMIT source.readyChanged();
    m_bench->reply("A");
    QTest::qWait(100);
    QCOMPARE(source.last, 1U);
    chat.select(first);
    QTRY_COMPARE(source.last, 2U);  // shown, with the server's name beside
    chat.newConversation();
    m_bench->reply("B");
    QTRY_COMPARE(source.last, 3U);
    source.server = s("Other");
    Q_EMIT source.readyChanged();
    m_bench->reply("C");
    QTest::qWait(100);
    QCOMPARE(source.last, 3U);
    source.server.clear();  // this computer's are always fine
    Q_EMIT source.readyChanged();
    QTRY_COMPARE(source.last, 4U);
    QCOMPARE(source.asked().last(), s("four"));
  }

  // Whether the attempt is taken back by further typing or comes to nothing because another version is shown.
  void aQueuedMessageIsSentAfterAnAttemptThatIsNot() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(2, 2);
    const QString large = QStringList(90, s("e")).join(QLatin1Char(' '));
    chat.setEdit(0, large);
    QVERIFY(m_bench->guard.editAndResend(0, large));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.send(s("queued")));
    QCoreApplication::processEvents();
    QVERIFY(!chat.isGenerating());
    chat.setEdit(0, large + s(" more"));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), std::string("queued"));
    m_bench->reply("ok");

    QVERIFY(chat.saveReply(1, s("other")));
    QVERIFY(chat.enqueue(s("next")));
    QVERIFY(m_bench->guard.regenerate(1));  // before the queue is looked at
    QVERIFY(chat.selectVersion(1, -1));
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), std::string("next"));
  }

  // The queue is held after a failure, because the next message would fail as well, and after a restart. It keeps attached
  // files.
  void aHeldQueueWaitsForThePerson() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->guard.send(s("one"));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QFile file(m_folder->filePath(s("a.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("of a file") > 0);
    file.close();
    m_bench->chat.attachments()->add({QUrl::fromLocalFile(file.fileName())});
    QTRY_VERIFY(!m_bench->chat.attachments()->isReading());
    QVERIFY(m_bench->guard.send(s("two")));
    m_bench->source.failWith({.kind = minerva::ErrorKind::io, .what = "no", .where = {}, .expected = {}, .actual = {}, .hint = {}});
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
    QVERIFY(m_bench->chat.outbox()->isHeld());
    const qint64 id = m_bench->chat.currentId();
    m_bench->chat.flush();
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
    m_bench->chat.select(id);
    QTRY_VERIFY(m_bench->chat.canSend());
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
    QCOMPARE(m_bench->chat.outbox()->index(0).data(Outbox::TextRole).toString(), s("two"));
    QCOMPARE(m_bench->chat.outbox()->index(0).data(Outbox::FilesRole).toString(), s("a.txt"));
    m_bench->chat.outbox()->release();
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(
        m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>().find("Attached file: a.txt") == std::string::npos,
        false);
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(id);
    QCOMPARE(m_bench->chat.outbox()->count(), 0);  // it was sent
    QCOMPARE(m_bench->chat.attachments()->count(), 0);
  }

 private:
  // "one" is being answered in a conversation that is no longer shown; "two" waits there. Its id.
  qint64 leaveAQueue() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->guard.send(s("one"));
    const bool answered = QTest::qWaitFor([&] { return chat.isGenerating(); }, patienceMs);
    if (!answered || !m_bench->guard.send(s("two"))) qFatal("no queue");
    const qint64 left = chat.currentId();
    chat.newConversation();
    return left;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<CountedChat> m_bench;
};

APP_TEST(QueueTest, "queue", QGuiApplication)
#include "tst_queue.moc"
