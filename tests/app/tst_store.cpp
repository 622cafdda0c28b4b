// Conversations on disk: what is kept, and what a kill, a newer version, damage and a full disk do.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_store.h"
#include "app/chat/conversation_export.h"
#include "app/chat/search_words.h"
#include "app/chat/store_thread.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "scripted_source.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <csignal>
#include <cstdio>

using namespace minerva::app;

namespace {

Conversation conversation(qint64 id) {
  Conversation c;
  c.id = id;
  c.title = QStringLiteral("c%1").arg(id);
  c.created = c.updated = QDateTime::fromMSecsSinceEpoch(1000000 + id);
  return c;
}

Message message(qint64 id, qint64 of, qint64 parent, const QString& text) {
  Message m;
  m.id = id;
  m.conversation = of;
  m.parent = parent;
  m.text = text;
  m.created = QDateTime::fromMSecsSinceEpoch(1000000 + id);
  return m;
}

qint64 nowMs() { return QDateTime::currentMSecsSinceEpoch(); }

// The child of the kill test: streams a reply, each token its number and the time it was said, until it is killed.
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
    QCOMPARE(places("fox"), QStringLiteral("2:20 1:11"));        // newest conversation first, its newest message
    QCOMPARE(places("QUICK fox"), QStringLiteral("2:20 1:10"));  // all words, in either case, anywhere in them
    QCOMPARE(places("uick bro"), QStringLiteral("1:10"));
    QCOMPARE(places("日本語"), QStringLiteral("1:11"));
    QCOMPARE(places("語の"), QStringLiteral("1:11"));  // shorter than what is indexed
    QCOMPARE(places("fox 0%"), QStringLiteral("1:11"));
    QCOMPARE(places("e_a"), QStringLiteral("1:11"));
    QCOMPARE(places("_a"), QStringLiteral("1:11"));  // no wildcard
    QCOMPARE(places("%%"), QString());
    QCOMPARE(places("\"quoted\""), QStringLiteral("1:11"));
    QCOMPARE(places("fox OR animals"), QString());  // words, no query language
    QCOMPARE(places("NEAR( \" *"), QString());
    QCOMPARE(places("  "), QString());
    QCOMPARE(places("animals"), QString());  // still being written
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

  void conversationsOfVersion3GoIntoFolders() {
    makeOldFile("version-3.sql");
    auto store = ChatStore::open(file());
    QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
    const auto before = (*store)->conversations();
    QCOMPARE(before->size(), 1U);
    QCOMPARE(before->at(0).title, QStringLiteral("Cats"));
    QVERIFY(!before->at(0).pinned);
    QCOMPARE((*store)->messages(1)->at(1).leftOutAbove, 12);
    QCOMPARE(before->at(0).folder, 0);
    QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
    QVERIFY(QFile::exists(file() + QStringLiteral(".before-version-%1").arg(ChatStore::version)));

    QVERIFY((*store)->save(Folder{9, QStringLiteral("Animals"), true}).has_value());
    Conversation cats = before->at(0);
    cats.pinned = true;
    cats.folder = 9;
    QVERIFY((*store)->save(cats).has_value());
    QCOMPARE((*store)->lastId(), 9);
    store = ChatStore::open(file());
    QCOMPARE((*store)->folders()->at(0).name, QStringLiteral("Animals"));
    QVERIFY((*store)->folders()->at(0).collapsed);
    QVERIFY((*store)->conversations()->at(0).pinned);
    QCOMPARE((*store)->conversations()->at(0).folder, 9);
  }

  void messagesOfVersion4HaveFilesFromNowOn() {
    makeOldFile("version-4.sql");
    const QList<Attachment> files{attachmentOf(QStringLiteral("zoo.txt"), QStringLiteral("Lions have\nmanes")),
                                  attachmentOf(QStringLiteral("b"), QStringLiteral("ü"))};
    {
      auto store = ChatStore::open(file());
      QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
      auto messages = (*store)->messages(1);
      QCOMPARE(messages->size(), 2U);
      QVERIFY(messages->at(0).attachments.isEmpty());
      QCOMPARE((*store)->conversations()->at(0).folder, 9);
      QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
      messages->at(0).attachments = files;
      QVERIFY((*store)->save(messages->at(0)).has_value());
      QVERIFY((*store)->save(messages->at(0)).has_value());  // again: they are there
    }
    auto store = ChatStore::open(file());
    QCOMPARE((*store)->messages(1)->at(0).attachments, files);
    QVERIFY((*store)->messages(1)->at(1).attachments.isEmpty());
    QCOMPARE((*store)->messages(1)->at(0).attachments[1].bytes, 2);
    const auto found = [&](const char* words) {
      const auto all = (*store)->search(QString::fromUtf8(words));
      return all && all->size() == 1 ? QStringLiteral("%1: %2").arg(all->at(0).message).arg(all->at(0).excerpt) : QString();
    };
    QCOMPARE(found("manes"), QStringLiteral("2: zoo.txt Lions have <b>manes</b>"));
    QCOMPARE(found("ZOO lions"), QStringLiteral("2: <b>zoo</b>.txt Lions have manes"));
    QCOMPARE(found("ü"), QStringLiteral("2: b <b>ü</b>"));
    QCOMPARE(found("li ma"), QStringLiteral("2: zoo.txt <b>Li</b>ons have manes"));
    QCOMPARE(found("lions cats"), QString());  // not of one text
    // A conversation that is gone for good takes its files along.
    QVERIFY((*store)->save(conversation(50)).has_value());
    Message gone = message(51, 50, 0, QStringLiteral("x"));
    gone.attachments = files;
    QVERIFY((*store)->save(gone).has_value());
    store->reset();
    {
      QSqlDatabase raw = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
      raw.setDatabaseName(file());
      QVERIFY(raw.open());
      QVERIFY(QSqlQuery(raw).exec(QStringLiteral("UPDATE conversations SET deleted = 1 WHERE id = 50")));
      raw.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
    store = ChatStore::open(file());
    QVERIFY(store.has_value());
    store->reset();
    QSqlDatabase raw = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw2"));
    raw.setDatabaseName(file());
    QVERIFY(raw.open());
    for (const char* count :
         {"SELECT count(*) FROM attachments", "SELECT count(*) FROM attachment_text WHERE attachment_text MATCH 'manes'"}) {
      QSqlQuery query(raw);
      QVERIFY(query.exec(QString::fromLatin1(count)) && query.next());
      QCOMPARE(query.value(0).toInt(), query.lastQuery().contains(QLatin1String("MATCH")) ? 1 : 2);
    }
  }

  void conversationsOfVersion5HaveNoPreset() {
    makeOldFile("version-5.sql");
    {
      auto store = ChatStore::open(file());
      QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
      const auto before = (*store)->conversations();
      QCOMPARE(before->size(), 1U);
      QCOMPARE(before->at(0).title, QStringLiteral("Cats"));
      QVERIFY(before->at(0).pinned);
      QCOMPARE(before->at(0).folder, 9);
      QCOMPARE(before->at(0).preset, QString());
      QCOMPARE((*store)->folders()->at(0).name, QStringLiteral("Animals"));
      QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
      QCOMPARE((*store)->messages(1)->at(0).attachments[0].name, QStringLiteral("zoo.txt"));
      Conversation cats = before->at(0);
      cats.preset = QStringLiteral("precise");
      QVERIFY((*store)->save(cats).has_value());
    }
    auto again = ChatStore::open(file());
    QCOMPARE((*again)->conversations()->at(0).preset, QStringLiteral("precise"));
    QVERIFY((*again)->conversations()->at(0).pinned);
  }

  void repliesOfVersion6AreTheModelsOwn() {
    makeOldFile("version-6.sql");
    {
      auto store = ChatStore::open(file());
      QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
      auto messages = (*store)->messages(1);
      QCOMPARE(messages->size(), 2U);
      QCOMPARE(messages->at(0).attachments.at(0).name, QStringLiteral("zoo.txt"));
      QCOMPARE((*store)->search(QStringLiteral("manes"))->size(), 1U);
      QCOMPARE(messages->at(1).given, 0);
      Message continued = messages->at(1);
      continued.id = 20;
      continued.given = 9;
      QVERIFY((*store)->save(continued).has_value());
    }
    auto store = ChatStore::open(file());
    QCOMPARE((*store)->messages(1)->at(2).given, 9);
    QCOMPARE((*store)->messages(1)->at(1).given, 0);
  }

  void removingAFolderKeepsItsConversations() {
    auto store = ChatStore::open(file());
    // As writes that replaced a waiting one come: the conversation before its folder, in one transaction.
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

  void messagesOfAnOlderVersionAreFound() {
    makeOldFile("version-1.sql");
    auto store = ChatStore::open(file());
    QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
    QCOMPARE((*store)->conversations()->size(), 1U);
    const auto messages = (*store)->messages(1);
    QCOMPARE(messages->size(), 2U);
    QVERIFY(messages->at(1).status == Status::interrupted);
    QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
    QCOMPARE((*store)->search(QStringLiteral("whiskers"))->at(0).message, 3);
    Message more = messages->at(1);
    more.text = QStringLiteral("rewritten");
    QVERIFY((*store)->save(more).has_value());
    QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 0U);
  }

  void aFileOfVersion2KeepsCutsFromNowOn() {
    makeOldFile("version-2.sql");
    {
      auto store = ChatStore::open(file());
      QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
      auto messages = (*store)->messages(1);
      QCOMPARE(messages->size(), 2U);
      QCOMPARE(messages->at(0).leftOutAbove, 0);
      QCOMPARE(messages->at(1).figures.reusedTokens, -1);
      QCOMPARE(messages->at(1).figures.generatedTokens, 7);
      QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
      messages->at(0).leftOutAbove = 812;
      messages->at(1).figures.reusedTokens = 96;
      for (const Message& each : *messages) QVERIFY((*store)->save(each).has_value());
    }
    auto again = ChatStore::open(file());
    QCOMPARE((*again)->messages(1)->at(0).leftOutAbove, 812);
    QCOMPARE((*again)->messages(1)->at(1).figures.reusedTokens, 96);
  }

  void anExcerptShowsTheWord() {
    const auto shown = [](const char* text, const char* words) {
      return excerpt(QString::fromUtf8(text), SearchWords(QString::fromUtf8(words)), 30);
    };
    QCOMPARE(shown("a <b> & fox", "FOX"), QStringLiteral("a &lt;b&gt; &amp; <b>fox</b>"));
    QCOMPARE(shown("one\n\ntwo", "two"), QStringLiteral("one <b>two</b>"));
    QCOMPARE(shown("many words stand before the one that is looked for here", "looked"), QStringLiteral("…that is <b>looked</b> for here"));
    QCOMPARE(shown("nothing", "word"), QStringLiteral("nothing"));
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
    QCOMPARE(last[QStringLiteral("parent")].toInt(), 1);  // numbered from 1
    QCOMPARE(last[QStringLiteral("author")].toString(), QStringLiteral("assistant"));
    QCOMPARE(last[QStringLiteral("figures")].toObject()[QStringLiteral("decode_tokens_per_second")].toDouble(), 39.5);
    QVERIFY(!last[QStringLiteral("figures")].toObject().contains(QStringLiteral("ttft_ms")));
    QVERIFY(exportConversation(m_folder->filePath(QStringLiteral("a.JSON")), c, messages).has_value());
    QFile written(m_folder->filePath(QStringLiteral("a.JSON")));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll(), toJson(c, messages));
    const auto refused = exportConversation(m_folder->filePath(QStringLiteral("missing/a.md")), c, messages);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, minerva::ErrorKind::io);
  }

  void aNewerVersionIsRefusedAndNotTouched() {
    { QVERIFY(ChatStore::open(file()).has_value()); }
    {
      QSqlDatabase raw = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
      raw.setDatabaseName(file());
      QVERIFY(raw.open());
      QVERIFY(QSqlQuery(raw).exec(QStringLiteral("PRAGMA user_version=%1").arg(ChatStore::version + 1)));
      raw.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
    QFile before(file());
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray bytes = before.readAll();
    const auto refused = ChatStore::open(file());
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, minerva::ErrorKind::unsupported);
    QCOMPARE(refused.error().actual, "version " + std::to_string(ChatStore::version + 1));
    before.seek(0);
    QVERIFY(before.readAll() == bytes);

    StoreThread thread(file());
    QSignalSpy opened(&thread, &StoreThread::opened);
    QVERIFY(opened.wait());
    const auto contents = opened[0][0].value<StoreContents>();
    QVERIFY(contents.notice.isSet());
    QVERIFY(contents.file != file());
    QSignalSpy failed(&thread, &StoreThread::failed);
    thread.write({}, [](ChatStore& store) { return store.save(conversation(5)); });
    thread.flush();
    QVERIFY(QFile::exists(contents.file));
    QCOMPARE(failed.count(), 0);
  }

  void aDamagedFileIsKeptAside() {
    QFile damaged(file());
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write(QByteArray(8192, 'x'));
    damaged.close();
    StoreThread thread(file());
    QSignalSpy opened(&thread, &StoreThread::opened);
    QVERIFY(opened.wait());
    QVERIFY(opened[0][0].value<StoreContents>().notice.isSet());
    QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("*.damaged-*")}).size(), 1);
    QVERIFY(ChatStore::open(file()).has_value());
  }

  void aFolderThatCannotBeWrittenStillChats() {
    StoreThread thread(QStringLiteral("/proc/nowhere/chat.sqlite"));
    QSignalSpy opened(&thread, &StoreThread::opened), failed(&thread, &StoreThread::failed);
    QVERIFY(opened.wait());
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
    QVERIFY(failed.wait());
    const auto error = failed[0][0].value<ErrorInfo>();
    QVERIFY2(error.detail.contains(QLatin1String("full")), qPrintable(error.detail));
    QVERIFY(!error.hint.isEmpty());
    // Room again: the writes that waited go through, in order, without anybody asking.
    thread.write(QStringLiteral("m2"), [large](ChatStore& store) -> minerva::Result<void> {
      MINERVA_TRY(store.limitPages(1 << 20));
      return store.save(message(2, 1, 0, large + QStringLiteral("b")));
    });
    QVERIFY(recovered.wait(StoreThread::retryMs * 3));
    QSignalSpy read(&thread, &StoreThread::messagesRead);
    thread.readMessages(1);
    QVERIFY(read.wait());
    const auto messages = read[0][1].value<std::vector<Message>>();
    QCOMPARE(messages.size(), 1U);
    QCOMPARE(messages[0].text, large + QStringLiteral("b"));
  }

  void killedTenTimesInMidReply() {
    QStringList earlier;  // what each killed run must still show
    for (int round = 0; round < 10; ++round) {
      QProcess child;
      child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
      child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--stream"), m_folder->path()});
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

 private:
  void makeOldFile(const char* name) {
    {
      QSqlDatabase raw = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
      raw.setDatabaseName(file());
      QVERIFY(raw.open());
      QFile old(QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/chat/") + QString::fromLatin1(name));
      QVERIFY(old.open(QIODevice::ReadOnly));
      const auto statements = QString::fromUtf8(old.readAll()).split(QLatin1String(";\n"), Qt::SkipEmptyParts);
      for (const QString& statement : statements) QVERIFY2(QSqlQuery(raw).exec(statement), qPrintable(statement));
      raw.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

int main(int argc, char** argv) {
  if (argc == 3 && QByteArray(argv[1]) == "--stream") return streamUntilKilled(argc, argv);
  QGuiApplication application(argc, argv);
  StoreTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_store.moc"
