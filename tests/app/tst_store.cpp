// Conversations on disk: what is stored, and the effects of a kill, of damage and of a full disk.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_store.h"
#include "app/chat/conversation_export.h"
#include "app/chat/search_words.h"
#include "app/chat/store_thread.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "patience.h"
#include "scripted_source.h"
#include "store_samples.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>

#include <csignal>
#include <cstdio>

using namespace minerva::app;

namespace {

qint64 nowMs() { return QDateTime::currentMSecsSinceEpoch(); }

// The child process of the first kill test: streams a reply until it is killed. Each token is its number and time.
int streamUntilKilled(int argc, char** argv) {
  QGuiApplication application(argc, argv);
  const QString folder = QString::fromLocal8Bit(argv[2]);
  Settings settings(folder + QStringLiteral("/settings.ini"));
  Presets presets(&settings);
  StoreThread store(folder + QStringLiteral("/chat.sqlite"));
  ScriptedSource source;
  ChatController chat(&source, &store, &presets);
  QTimer timer;
  int number = 0;
  QObject::connect(&timer, &QTimer::timeout, [&] { source.say(QStringLiteral("%1:%2 ").arg(number++).arg(nowMs())); });
  QFile file(folder + QStringLiteral("/attached.txt"));
  if (!file.open(QIODevice::WriteOnly) || file.write("words of a file") < 0) std::abort();
  file.close();
  QObject::connect(&chat, &ChatController::opened, [&] { chat.attachments()->add({QUrl::fromLocalFile(file.fileName())}); });
  QObject::connect(chat.attachments(), &DraftAttachments::changed, [&] {
    if (chat.attachments()->isReading() || chat.attachments()->count() == 0) return;
    if (!chat.send(QStringLiteral("go on"))) std::abort();
    timer.start(5);
    std::puts("streaming");
    std::fflush(stdout);
  });
  return QGuiApplication::exec();
}

// The child process of the other kill test: types into two conversations, attaches a file, and waits to be killed.
int typeUntilKilled(int argc, char** argv) {
  QGuiApplication application(argc, argv);
  const QString folder = QString::fromLocal8Bit(argv[2]);
  Settings settings(folder + QStringLiteral("/settings.ini"));
  Presets presets(&settings);
  StoreThread store(folder + QStringLiteral("/chat.sqlite"));
  ScriptedSource source;
  ChatController chat(&source, &store, &presets);
  QFile file(folder + QStringLiteral("/attached.txt"));
  if (!file.open(QIODevice::WriteOnly) || file.write("words of a file") < 0) std::abort();
  file.close();
  QTimer typing;
  int number = 0;
  QObject::connect(&typing, &QTimer::timeout, [&] { chat.setDraft(chat.draft() + QStringLiteral("%1:%2 ").arg(number++).arg(nowMs())); });
  QObject::connect(&chat, &ChatController::opened, [&] {
    if (!chat.send(QStringLiteral("go on"))) std::abort();
    source.end(minerva::engine::FinishReason::endOfTurn);
    chat.setDraft(QStringLiteral("half a thought"));
    chat.attachments()->add({QUrl::fromLocalFile(file.fileName())});
  });
  QObject::connect(chat.attachments(), &DraftAttachments::changed, [&] {
    if (chat.attachments()->isReading() || chat.attachments()->count() == 0 || typing.isActive()) return;
    typing.start(20);
    chat.newConversation();
    std::puts("typing");
    std::fflush(stdout);
  });
  return QGuiApplication::exec();
}

}  // namespace

class StoreTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  QString file() const { return m_folder->filePath(QStringLiteral("chat.sqlite")); }

  void whatIsSavedIsReadBack() {
    {
      auto store = ChatStore::open(file());
      QVERIFY(store.has_value());
      QVERIFY((*store)->save(conversation(1)).has_value());
      Message m = message(2, 1, 0, QStringLiteral("Ünïcode 😀\0x"));
      m.author = Author::assistant;
      m.status = Status::lengthLimit;
      m.modelName = QStringLiteral("M");
      m.figures.ttftMs = 12.5;
      m.figures.generatedTokens = 7;
      QVERIFY((*store)->save(m).has_value());
    }
    auto store = ChatStore::open(file());
    QVERIFY(store.has_value());
    const auto all = (*store)->conversations();
    QVERIFY(all.has_value());
    QCOMPARE(all->size(), 1U);
    QCOMPARE(all->front().title, QStringLiteral("c1"));
    const auto messages = (*store)->messages(1);
    QVERIFY(messages.has_value());
    QCOMPARE(messages->size(), 1U);
    QCOMPARE(messages->front().text, QStringLiteral("Ünïcode 😀\0x"));
    QCOMPARE(messages->front().status, Status::lengthLimit);
    QCOMPARE(messages->front().figures.ttftMs, 12.5);
    QCOMPARE(messages->front().figures.generatedTokens, 7);
    QCOMPARE(messages->front().figures.promptTokens, -1);
    QCOMPARE(*(*store)->lastId(), 2);
  }

  void deletedOnesCanComeBack() {
    auto store = ChatStore::open(file());
    QVERIFY((*store)->save(conversation(1)).has_value());
    QVERIFY((*store)->setDeleted(1, true).has_value());
    QCOMPARE((*store)->conversations()->size(), 0U);
    QVERIFY((*store)->setDeleted(1, false).has_value());
    QCOMPARE((*store)->conversations()->size(), 1U);
  }

  // A clock that is 40 days behind, as if the computer's had been reset.
  void aWrongClockPurgesNoNewDeletion() {
    auto store = ChatStore::open(file());
    Conversation newest = conversation(2);
    newest.updated = QDateTime::currentDateTimeUtc().addDays(40);
    QVERIFY((*store)->save(conversation(1)).has_value());
    QVERIFY((*store)->save(newest).has_value());
    QVERIFY((*store)->setDeleted(1, true).has_value());
    const auto deleted = (*store)->deletedConversations();
    QCOMPARE(deleted->size(), 1U);
    QCOMPARE(deleted->front().deleted.toMSecsSinceEpoch(), newest.updated.toMSecsSinceEpoch());
  }

  void wordsAreFoundInMessages() {
    auto store = ChatStore::open(file());
    QVERIFY(store.has_value());
    const auto keep = [&](qint64 id, qint64 of, const char* text, Status status = Status::complete) {
      Message m = message(id, of, 0, QString::fromUtf8(text));
      m.status = status;
      QVERIFY((*store)->save(m).has_value());
    };
    for (const qint64 id : {1, 2, 3}) QVERIFY((*store)->save(conversation(id)).has_value());
    keep(10, 1, "The quick brown fox");
    keep(11, 1, "Another fox, \"quoted\", 100% sure_about 日本語のテキスト");
    keep(20, 2, "Foxes are quick");
    keep(30, 3, "no animals here", Status::streaming);
    const auto places = [&](const char* words) {
      const auto found = (*store)->search(QString::fromUtf8(words));
      QStringList all;
      if (found)
        for (const Found& one : *found) all << QStringLiteral("%1:%2").arg(one.conversation).arg(one.message);
      return found ? all.join(QLatin1Char(' ')) : QString::fromStdString(found.error().message());
    };
    QCOMPARE(places("fox"), QStringLiteral("2:20 1:11"));        // newest conversation first, with its newest message
    QCOMPARE(places("QUICK fox"), QStringLiteral("2:20 1:10"));  // all words, case-insensitive, as substrings
    QCOMPARE(places("uick bro"), QStringLiteral("1:10"));
    QCOMPARE(places("日本語"), QStringLiteral("1:11"));
    QCOMPARE(places("語の"), QStringLiteral("1:11"));  // shorter than the entries of the index
    QCOMPARE(places("fox 0%"), QStringLiteral("1:11"));
    QCOMPARE(places("e_a"), QStringLiteral("1:11"));
    QCOMPARE(places("_a"), QStringLiteral("1:11"));  // not a wildcard
    QCOMPARE(places("%%"), QString());
    keep(31, 3, "Öl, ПО, ε", Status::streaming);
    QCOMPARE(places("Öl"), QString());  // still being streamed, as below
    keep(31, 3, "Öl, ПО, ε");
    for (const char* word : {"Öl", "öl", "ÖL", "по", "По", "Ε", ","}) QVERIFY2(places(word).contains(QStringLiteral("3:31")), word);
    QVERIFY((*store)->save(message(31, 3, 0, QStringLiteral("."))).has_value());
    QCOMPARE(places("\"quoted\""), QStringLiteral("1:11"));
    QCOMPARE(places("fox OR animals"), QString());  // words, not a query language
    QCOMPARE(places("NEAR( \" *"), QString());
    QCOMPARE(places("  "), QString());
    QCOMPARE(places("animals"), QString());  // still being streamed
    keep(30, 3, "no animals here but a cat");
    QCOMPARE(places("animals"), QStringLiteral("3:30"));
    keep(30, 3, "something else");
    QCOMPARE(places("animals"), QString());
    QCOMPARE(places("something"), QStringLiteral("3:30"));
    QVERIFY((*store)->setDeleted(2, true).has_value());
    QCOMPARE(places("foxes"), QString());
    QVERIFY((*store)->setDeleted(2, false).has_value());
    QCOMPARE(places("foxes"), QStringLiteral("2:20"));
  }

  // Thoughts are stored between tags, with a backslash where they name the closing one.
  void tagsOfThoughtsAreNotFound() {
    auto store = ChatStore::open(file());
    QVERIFY(store.has_value());
    const auto keep = [&](qint64 id, qint64 of, const char* text, Author author = Author::assistant) {
      Message m = message(id, of, 0, QString::fromUtf8(text));
      m.author = author;
      QVERIFY((*store)->save(m).has_value());
    };
    for (const qint64 id : {1, 2, 3}) QVERIFY((*store)->save(conversation(id)).has_value());
    keep(10, 1, "I think so");
    keep(11, 1, "<think>\nFirst\n</think>\n\nYes\n\n<think again>\nSecond\n</think>\n\nNo");
    keep(20, 2, "<think>\nIt ends with </think\\>.\n</think>\n\nIt does");
    keep(30, 3, "<think> it", Author::user);
    const auto found = [&](const char* words) {
      const auto all = (*store)->search(QString::fromUtf8(words));
      QStringList shown;
      if (all)
        for (const Found& one : *all) shown << QStringLiteral("%1 %2").arg(one.message).arg(one.excerpt);
      return all ? shown.join(QLatin1Char('|')) : QString::fromStdString(all.error().message());
    };
    QCOMPARE(found("think so"), QStringLiteral("10 I <b>think</b> so"));
    QCOMPARE(found("THINK"),
             QStringLiteral("30 &lt;<b>think</b>&gt; it|20 It ends with &lt;/<b>think</b>&gt;. It does|10 I <b>think</b> so"));
    QCOMPARE(found("again"), QString());
    QCOMPARE(found("ag"), QString());
    QCOMPARE(found("<think>"), QStringLiteral("30 <b>&lt;think&gt;</b> it"));
    QCOMPARE(found("</think>"), QStringLiteral("20 It ends with <b>&lt;/think&gt;</b>. It does"));
    QCOMPARE(found("</think>. does"), QStringLiteral("20 It ends with <b>&lt;/think&gt;.</b> It does"));
    QCOMPARE(found("second"), QStringLiteral("11 First <b>Second</b> Yes No"));
  }

  void removingAFolderKeepsItsConversations() {
    auto store = ChatStore::open(file());
    // Queued writes that replace earlier ones may arrive in this order: the conversation before its folder, in one
    // transaction.
    QVERIFY((*store)->begin().has_value());
    Conversation c = conversation(1);
    c.folder = 7;
    QVERIFY((*store)->save(c).has_value());
    QVERIFY((*store)->save(Folder{7, QStringLiteral("Work"), false}).has_value());
    QVERIFY((*store)->commit().has_value());
    QVERIFY((*store)->save(message(2, 1, 0, QStringLiteral("kept"))).has_value());
    QVERIFY((*store)->removeFolder(7).has_value());
    QCOMPARE((*store)->folders()->size(), 0U);
    QCOMPARE((*store)->conversations()->size(), 1U);
    QCOMPARE((*store)->conversations()->at(0).folder, 0);
    QCOMPARE((*store)->messages(1)->size(), 1U);
  }

  void anExcerptShowsTheWord() {
    const auto shown = [](const char* text, const char* words) {
      return excerpt(QString::fromUtf8(text), SearchWords(QString::fromUtf8(words)), 30);
    };
    QCOMPARE(shown("a <b> & fox", "FOX"), QStringLiteral("a &lt;b&gt; &amp; <b>fox</b>"));
    QCOMPARE(shown("one\n\ntwo", "two"), QStringLiteral("one <b>two</b>"));
    QCOMPARE(shown("many words stand before the one that is looked for here", "looked"), QStringLiteral("…that is <b>looked</b> for here"));
    QCOMPARE(shown("nothing", "word"), QStringLiteral("nothing"));
    QCOMPARE(withoutMarks(QStringLiteral("## A **fox** and `code`\n> said\n```py\nx = 2 ** 3 * a_b\n```")),
             QStringLiteral("A fox and code\nsaid\npy\nx = 2 ** 3 * a_b\n"));
  }

  void aConversationIsExported() {
    Conversation c = conversation(1);
    c.title = QStringLiteral("Foxes");
    std::vector<Message> messages{message(2, 1, 0, QStringLiteral("Hi")), message(3, 1, 2, QStringLiteral("old reply")),
                                  message(4, 1, 2, QStringLiteral("Hello **you**\n"))};
    messages[1].author = messages[2].author = Author::assistant;
    messages[2].modelName = QStringLiteral("TinyLlama");
    messages[2].figures.decodeTokensPerSecond = 39.5;
    c.activeLeaf = 4;
    QCOMPARE(QString::fromUtf8(toMarkdown(c, messages)),
             QStringLiteral("# Foxes\n\n**You** <!-- user -->\n\nHi\n\n**TinyLlama** <!-- assistant -->\n\nHello **you**\n"));
    const QJsonObject root = QJsonDocument::fromJson(toJson(c, messages)).object();
    QCOMPARE(root[QStringLiteral("title")].toString(), QStringLiteral("Foxes"));
    QCOMPARE(root[QStringLiteral("messages")].toArray().size(), 3);
    const QJsonObject last = root[QStringLiteral("messages")].toArray()[2].toObject();
    QCOMPARE(last[QStringLiteral("parent")].toInt(), 1);  // renumbered from 1
    QCOMPARE(last[QStringLiteral("author")].toString(), QStringLiteral("assistant"));
    QCOMPARE(last[QStringLiteral("figures")].toObject()[QStringLiteral("decode_tokens_per_second")].toDouble(), 39.5);
    QVERIFY(!last[QStringLiteral("figures")].toObject().contains(QStringLiteral("ttft_ms")));
    QVERIFY(exportConversation(m_folder->filePath(QStringLiteral("a.JSON")), ExportKind::json, c, messages).has_value());
    QFile written(m_folder->filePath(QStringLiteral("a.JSON")));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll(), toJson(c, messages));
    const auto refused = exportConversation(m_folder->filePath(QStringLiteral("missing/a.md")), ExportKind::markdown, c, messages);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, minerva::ErrorKind::io);
  }

  void aDamagedFileIsKeptAside() {
    QFile damaged(file());
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write(QByteArray(8192, 'x'));
    damaged.close();
    StoreThread thread(file());
    QSignalSpy opened(&thread, &StoreThread::opened);
    QVERIFY(opened.wait(patienceMs));
    QVERIFY(opened[0][0].value<StoreContents>().notice.isSet());
    QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("*.damaged-*")}).size(), 1);
    QVERIFY(ChatStore::open(file()).has_value());
    QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("*.copy*")}).size(), 0);
  }

  // The program was killed after the damaged file was renamed and before its copy was.
  void aCopyOfADamagedFileGetsItsName() {
    {
      const auto copy = ChatStore::open(file() + QStringLiteral(".copy"));
      QVERIFY(copy && (*copy)->save(conversation(1)));
    }
    StoreThread thread(file());
    QSignalSpy opened(&thread, &StoreThread::opened);
    QVERIFY(opened.wait(patienceMs));
    QCOMPARE(opened[0][0].value<StoreContents>().conversations.size(), 1U);
  }

  void aFolderThatCannotBeWrittenStillChats() {
    StoreThread thread(QStringLiteral("/proc/nowhere/chat.sqlite"));
    QSignalSpy opened(&thread, &StoreThread::opened), failed(&thread, &StoreThread::failed);
    QVERIFY(opened.wait(patienceMs));
    QVERIFY(opened[0][0].value<StoreContents>().notice.isSet());
    thread.write({}, [](ChatStore& store) { return store.save(conversation(1)); });
    thread.flush();
    QCoreApplication::processEvents();
    QCOMPARE(failed.count(), 0);
  }

  void aFullDiskIsToldAndWhatWasSaidIsWrittenLater() {
    StoreThread thread(file());
    QSignalSpy failed(&thread, &StoreThread::failed), recovered(&thread, &StoreThread::recovered);
    thread.write({}, [](ChatStore& store) { return store.save(conversation(1)); });
    thread.flush();
    thread.write({}, [](ChatStore& store) { return store.limitPages(8); });
    thread.flush();
    const QString large(200000, u'a');
    thread.write(QStringLiteral("m2"), [large](ChatStore& store) { return store.save(message(2, 1, 0, large)); });
    QVERIFY(failed.wait(patienceMs));
    const auto error = failed[0][0].value<ErrorInfo>();
    QVERIFY2(error.detail.contains(QLatin1String("full")), qPrintable(error.detail));
    QVERIFY(!error.hint.isEmpty());
    // Space is available again: the queued writes are executed in order, without any request.
    thread.write(QStringLiteral("m2"), [large](ChatStore& store) -> minerva::Result<void> {
      MINERVA_TRY(store.limitPages(1 << 20));
      return store.save(message(2, 1, 0, large + QStringLiteral("b")));
    });
    QVERIFY(recovered.wait(StoreThread::retryMs * 3));
    QSignalSpy read(&thread, &StoreThread::messagesRead);
    thread.readMessages(1);
    QVERIFY(read.wait(patienceMs));
    const auto messages = read[0][1].value<std::vector<Message>>();
    QCOMPARE(messages.size(), 1U);
    QCOMPARE(messages[0].text, large + QStringLiteral("b"));
  }

  void killedTenTimesInMidReply() {
    QStringList earlier;  // replies that must still be present after each killed run
    for (int round = 0; round < 10; ++round) {
      QProcess child;
      child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
      child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("store"), QStringLiteral("--stream"), m_folder->path()});
      QVERIFY(child.waitForReadyRead(20000));
      QTest::qWait(static_cast<int>(700 + QRandomGenerator::global()->bounded(900)));
      const qint64 killed = nowMs();
      ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
      QVERIFY(child.waitForFinished());
      QCOMPARE(child.exitStatus(), QProcess::CrashExit);

      auto store = ChatStore::open(file());
      QVERIFY(store.has_value());
      const auto all = (*store)->conversations();
      QVERIFY(all.has_value());
      QCOMPARE(all->size(), static_cast<std::size_t>(round + 1));
      QStringList texts;
      for (auto c = all->rbegin(); c != all->rend(); ++c) {
        const auto messages = (*store)->messages(c->id);
        QVERIFY(messages.has_value());
        QCOMPARE(messages->size(), 2U);
        QCOMPARE((*messages)[1].status, Status::interrupted);
        QCOMPARE((*messages)[0].attachments,
                 (QList<Attachment>{attachmentOf(QStringLiteral("attached.txt"), QStringLiteral("words of a file"))}));
        texts << (*messages)[1].text;
      }
      QCOMPARE(texts.mid(0, round), earlier);
      const QStringList stamps = texts.last().split(u' ', Qt::SkipEmptyParts);
      QVERIFY(!stamps.isEmpty());
      for (qsizetype i = 0; i < stamps.size(); ++i) QCOMPARE(stamps[i].section(u':', 0, 0).toLongLong(), i);
      const qint64 lost = killed - stamps.last().section(u':', 1).toLongLong();
      QVERIFY2(lost <= 1000, qPrintable(QStringLiteral("%1 ms are missing").arg(lost)));
      earlier = texts;
    }
  }

  void whatWasTypedSurvivesAKill() {
    QProcess child;
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("store"), QStringLiteral("--type"), m_folder->path()});
    QVERIFY(child.waitForReadyRead(20000));
    QTest::qWait(1500);
    const qint64 killed = nowMs();
    ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
    QVERIFY(child.waitForFinished());

    Settings settings(m_folder->filePath(QStringLiteral("settings.ini")));
    Presets presets(&settings);
    StoreThread store(file());
    ScriptedSource source;
    ChatController chat(&source, &store, &presets);
    QSignalSpy opened(&chat, &ChatController::opened);
    QVERIFY(opened.wait(patienceMs));
    const QStringList stamps = chat.draft().split(u' ', Qt::SkipEmptyParts);  // the draft of the new chat
    QVERIFY2(!stamps.isEmpty(), qPrintable(chat.draft()));
    for (qsizetype i = 0; i < stamps.size(); ++i) QCOMPARE(stamps[i].section(u':', 0, 0).toLongLong(), i);
    const qint64 lost = killed - stamps.last().section(u':', 1).toLongLong();
    QVERIFY2(lost <= 1000, qPrintable(QStringLiteral("%1 ms are missing").arg(lost)));
    chat.select(chat.conversations()->idAt(0));
    QCOMPARE(chat.draft(), QStringLiteral("half a thought"));
    QCOMPARE(chat.attachments()->files(),
             (QList<Attachment>{attachmentOf(QStringLiteral("attached.txt"), QStringLiteral("words of a file"))}));
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

int runStoreTest(int argc, char** argv) {
  if (argc == 3 && QByteArray(argv[1]) == "--type") return typeUntilKilled(argc, argv);
  if (argc == 3 && QByteArray(argv[1]) == "--stream") return streamUntilKilled(argc, argv);
  return runAppTest<StoreTest, QGuiApplication>(argc, argv);
}

}  // namespace

APP_TEST_WITH_MAIN(StoreTest, "store", runStoreTest)
#include "tst_store.moc"
