// A store written by another version: older ones are migrated, a newer one is refused and left unchanged.
#include "app/chat/chat_store.h"
#include "app/chat/store_thread.h"
#include "app_test.h"
#include "patience.h"
#include "store_samples.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QSqlQuery>
#include <QTemporaryDir>

#include <algorithm>

using namespace minerva::app;

class StoreVersionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  QString file() const { return m_folder->filePath(QStringLiteral("chat.sqlite")); }

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
      QVERIFY((*store)->save(messages->at(0)).has_value());  // again: the files are already stored
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
    QCOMPARE(found("lions cats"), QString());  // not in the same text
    // Purging a conversation removes its files.
    QVERIFY((*store)->save(conversation(50)).has_value());
    Message gone = message(51, 50, 0, QStringLiteral("x"));
    gone.attachments = files;
    QVERIFY((*store)->save(gone).has_value());
    store->reset();
    change({QStringLiteral("UPDATE conversations SET deleted = 1 WHERE id = 50")});
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

  void conversationsOfVersion7HaveDraftsFromNowOn() {
    makeOldFile("version-7.sql");
    const QList<Attachment> files{attachmentOf(QStringLiteral("zoo.txt"), QStringLiteral("Lions")),
                                  attachmentOf(QStringLiteral("b"), QStringLiteral("ü"))};
    {
      auto store = ChatStore::open(file());
      QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
      QCOMPARE((*store)->messages(1)->at(1).given, 4);
      QCOMPARE((*store)->deletedConversations()->size(), 1U);
      QCOMPARE((*store)->deletedConversations()->at(0).conversation.title, QStringLiteral("Thrown away"));
      QCOMPARE((*store)->drafts()->size(), 0U);
      const std::vector<Draft> drafts{{.text = QStringLiteral("typed"), .files = files},
                                      {.message = 2, .text = QString()},
                                      {.queued = 1, .text = QStringLiteral("first"), .files = {files[1]}},
                                      {.queued = 2, .text = QStringLiteral("second")}};
      QVERIFY((*store)->saveDraftTexts(1, drafts).has_value());
      QVERIFY((*store)->saveDraftFiles(1, drafts).has_value());
      QVERIFY((*store)->saveDraftTexts(4, drafts).has_value());
      QVERIFY((*store)->saveDraftFiles(4, drafts).has_value());
      QVERIFY((*store)->saveDraftFiles(0, {{.files = files}}).has_value());
    }
    auto store = ChatStore::open(file());
    QVERIFY((*store)->removeForGood(1).has_value());  // not deleted, so it stays
    QVERIFY((*store)->removeForGood(4).has_value());
    const auto drafts = (*store)->drafts();
    QCOMPARE(drafts->size(), 5U);  // none of conversation 4 are left
    QCOMPARE(drafts->at(0).conversation, 0);
    QCOMPARE(drafts->at(0).files, files);
    QCOMPARE(drafts->at(1).text, QStringLiteral("typed"));
    QCOMPARE(drafts->at(1).files, files);
    QCOMPARE(drafts->at(2).queued, 1);
    QCOMPARE(drafts->at(2).files, QList<Attachment>{files[1]});
    QCOMPARE(drafts->at(3).text, QStringLiteral("second"));
    QCOMPARE(drafts->at(4).message, 2);
    QVERIFY((*store)->saveDraftTexts(1, {}).has_value());
    QVERIFY((*store)->saveDraftFiles(1, {}).has_value());
    QCOMPARE((*store)->drafts()->size(), 1U);
  }

  void conversationsOfVersion8AskNothingOfReasoning() {
    makeOldFile("version-8.sql");
    {
      auto store = ChatStore::open(file());
      QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
      const auto before = (*store)->conversations();
      QCOMPARE(before->size(), 1U);
      QVERIFY(before->at(0).reasoning == minerva::text::ReasoningChoice());
      QCOMPARE(before->at(0).preset, QStringLiteral("precise"));
      QCOMPARE((*store)->deletedConversations()->at(0).conversation.title, QStringLiteral("Thrown away"));
      QCOMPARE((*store)->deletedConversations()->at(0).deleted.toMSecsSinceEpoch(), 4102444800000);
      QCOMPARE((*store)->drafts()->at(0).text, QStringLiteral("half a thought"));
      QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
      Conversation cats = before->at(0);
      cats.reasoning = {false, "high"};
      QVERIFY((*store)->save(cats).has_value());
    }
    {
      auto store = ChatStore::open(file());
      Conversation cats = (*store)->conversations()->at(0);
      QVERIFY((cats.reasoning == minerva::text::ReasoningChoice{false, "high"}));
      QCOMPARE(cats.preset, QStringLiteral("precise"));
      cats.reasoning = {true, ""};
      QVERIFY((*store)->save(cats).has_value());
    }
    auto store = ChatStore::open(file());
    QVERIFY(((*store)->conversations()->at(0).reasoning == minerva::text::ReasoningChoice{true, ""}));
    store->reset();
    change({QStringLiteral("UPDATE conversations SET reasoning = 'sometimes' WHERE id = 1")});  // from a newer version
    store = ChatStore::open(file());
    QVERIFY((*store)->conversations()->at(0).reasoning == minerva::text::ReasoningChoice());
  }

  void messagesOfVersion9HaveVectorsFromNowOn() {
    makeOldFile("version-8.sql");
    change({QStringLiteral("ALTER TABLE conversations ADD COLUMN reasoning TEXT NOT NULL DEFAULT ''"),
            QStringLiteral("ALTER TABLE conversations ADD COLUMN effort TEXT NOT NULL DEFAULT ''"),
            QStringLiteral("UPDATE conversations SET reasoning = 'off', effort = 'high' WHERE id = 1"),
            QStringLiteral("PRAGMA user_version=9")});
    auto store = ChatStore::open(file());
    QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
    QCOMPARE((*store)->conversations()->size(), 1U);
    QVERIFY(((*store)->conversations()->at(0).reasoning == minerva::text::ReasoningChoice{false, "high"}));
    QCOMPARE((*store)->conversations()->at(0).preset, QStringLiteral("precise"));
    QCOMPARE((*store)->deletedConversations()->size(), 1U);
    QCOMPARE((*store)->drafts()->at(0).text, QStringLiteral("half a thought"));
    QCOMPARE((*store)->search(QStringLiteral("whiskers"))->size(), 1U);
    QCOMPARE((*store)->messages(1)->size(), 2U);
    const auto texts = (*store)->withoutVector(QStringLiteral("m"), 10);
    QCOMPARE(texts->size(), 2U);
    QVERIFY((*store)->saveVectors(QStringLiteral("m"), *texts, {1, 0, 0, 1}, 2).has_value());
    QCOMPARE((*store)->nearest(QStringLiteral("m"), {0, 1})->at(0).message, 3);
  }

  // Metrics still refer to the messages of a purged conversation, so its ids are never assigned again.
  void idsOfPurgedMessagesAreNotGivenAgain() {
    {
      auto store = ChatStore::open(file());
      QVERIFY(store.has_value());
      QVERIFY((*store)->save(conversation(20)).has_value());
      QVERIFY((*store)->save(message(21, 20, 0, QStringLiteral("gone"))).has_value());
      QVERIFY((*store)->save(conversation(7)).has_value());
      QVERIFY((*store)->setDeleted(20, true).has_value());
      QVERIFY((*store)->removeForGood(20).has_value());
      QVERIFY((*store)->messages(20)->empty());
      // A file that was being read for a draft arrives late: nothing of the purged conversation may be stored.
      QVERIFY((*store)->saveDraftFiles(20, {{.files = {attachmentOf(QStringLiteral("late.txt"), QStringLiteral("text"))}}}).has_value());
      QVERIFY((*store)->saveDraftTexts(20, {{.text = QStringLiteral("late")}}).has_value());
      QVERIFY((*store)->drafts()->empty());
    }
    QCOMPARE(*(*ChatStore::open(file()))->lastId(), 21);
  }

  // If the backup copy cannot be made, nothing is migrated, and the user is told what to do.
  void aCopyThatFailsStopsTheMigration() {
    makeOldFile("version-3.sql");
    QFile before(file());
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray bytes = before.readAll();
    const QString copy = QStringLiteral("chat.sqlite.before-version-%1").arg(ChatStore::version);
    QVERIFY(QDir(m_folder->path()).mkpath(copy + QStringLiteral("/in-the-way")));
    const auto refused = ChatStore::open(file());
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().kind, minerva::ErrorKind::io);
    QVERIFY2(refused.error().message().find("could not be copied") != std::string::npos, refused.error().message().c_str());
    QVERIFY(!refused.error().hint.empty());
    StoreThread thread(file());
    QSignalSpy opened(&thread, &StoreThread::opened);
    QVERIFY(opened.wait(patienceMs));
    const auto contents = opened[0][0].value<StoreContents>();
    QVERIFY(contents.notice.isSet());
    QVERIFY2(contents.notice.hint.contains(QStringLiteral("start Minerva again")), qPrintable(contents.notice.hint));
    change({});  // closes the open connection
    before.close();
    QVERIFY(before.open(QIODevice::ReadOnly));
    QCOMPARE(before.readAll().mid(60, 4), bytes.mid(60, 4));  // user_version
    QVERIFY(QDir(m_folder->path()).rmdir(copy + QStringLiteral("/in-the-way")) && QDir(m_folder->path()).rmdir(copy));
    QVERIFY(ChatStore::open(file()).has_value());
    QVERIFY(QFileInfo(m_folder->filePath(copy)).isFile());
  }

  void copiesGoAfterAMonth() {
    makeOldFile("version-3.sql");
    const auto keep = [&](const char* name, int days) {
      QFile copy(file() + QString::fromLatin1(name));
      QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write("x") == 1 && copy.flush());
      QVERIFY(copy.setFileTime(QDateTime::currentDateTimeUtc().addDays(-days), QFileDevice::FileModificationTime));
    };
    keep(".before-version-2", 31);
    keep(".before-version-3", 29);
    keep(".damaged-20260101-000000", 400);  // the only backup of that state
    { QVERIFY(ChatStore::open(file()).has_value()); }
    const QStringList left =
        QDir(m_folder->path()).entryList({QStringLiteral("*.before-*"), QStringLiteral("*.damaged-*")}, QDir::Files, QDir::Name);
    QStringList kept{QStringLiteral("chat.sqlite.before-version-3"),
                     QStringLiteral("chat.sqlite.before-version-%1").arg(ChatStore::version),
                     QStringLiteral("chat.sqlite.damaged-20260101-000000")};
    kept.sort();  // version 10 before version 3
    QCOMPARE(left, kept);
  }

  // With the clock a month ahead at one start, everything looks a month older than it is.
  void aClockThatIsAheadAtOneStartRemovesNothing() {
    makeOldFile("version-3.sql");
    {
      auto store = ChatStore::open(file());
      QVERIFY(store.has_value() && (*store)->setDeleted(1, true).has_value());
    }
    const QDateTime before = QDateTime::currentDateTimeUtc().addDays(-31);
    change({QStringLiteral("UPDATE conversations SET deleted = %1 WHERE deleted > 0").arg(before.toMSecsSinceEpoch())});
    const QString copy = file() + QStringLiteral(".before-version-%1").arg(ChatStore::version);
    for (const QString& path : {file(), copy}) {
      QFile old(path);
      QVERIFY(old.open(QIODevice::ReadWrite) && old.setFileTime(before, QFileDevice::FileModificationTime));
    }
    const auto deleted = [this] {
      auto store = ChatStore::open(file());
      return store ? (*store)->deletedConversations()->size() : 99;
    };
    QCOMPARE(deleted(), 2U);  // the old file has one already
    QVERIFY(QFile::exists(copy));
    QCOMPARE(deleted(), 0U);  // it is still as late at the next start
    QVERIFY(!QFile::exists(copy));
  }

  void aNewerVersionIsRefusedAndNotTouched() {
    { QVERIFY(ChatStore::open(file()).has_value()); }
    change({QStringLiteral("PRAGMA user_version=%1").arg(ChatStore::version + 1)});
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
    QVERIFY(opened.wait(patienceMs));
    const auto contents = opened[0][0].value<StoreContents>();
    QVERIFY(contents.notice.isSet());
    QVERIFY(contents.file != file());
    QSignalSpy failed(&thread, &StoreThread::failed);
    thread.write({}, [](ChatStore& store) { return store.save(conversation(5)); });
    thread.flush();
    QVERIFY(QFile::exists(contents.file));
    QCOMPARE(failed.count(), 0);
  }

  // What was written meanwhile is listed after the update.
  void conversationsWrittenAfterADowngradeComeBack() {
    { QVERIFY((*ChatStore::open(file()))->save(conversation(7)).has_value()); }
    change({QStringLiteral("PRAGMA user_version=%1").arg(ChatStore::version + 1)});
    {
      StoreThread thread(file());
      thread.write({}, [](ChatStore& store) { return store.save(Folder{4, QStringLiteral("Animals"), false}); });
      thread.write({}, [](ChatStore& store) {
        Conversation cats = conversation(5);
        cats.title = QStringLiteral("Cats");
        cats.folder = 4;
        cats.activeLeaf = 9;
        return store.save(cats);
      });
      thread.write({}, [](ChatStore& store) { return store.save(message(6, 5, 0, QStringLiteral("Do cats purr?"))); });
      thread.write({}, [](ChatStore& store) { return store.save(message(9, 5, 6, QStringLiteral("They do."))); });
      QVERIFY(!thread.flush().isSet());
    }
    change({QStringLiteral("PRAGMA user_version=%1").arg(ChatStore::version)});
    for (int start = 0; start < 2; ++start) {  // once
      StoreThread thread(file());
      QSignalSpy opened(&thread, &StoreThread::opened);
      QVERIFY(opened.wait(patienceMs));
      const auto contents = opened[0][0].value<StoreContents>();
      QVERIFY2(!contents.notice.isSet(), qPrintable(contents.notice.details));
      QCOMPARE(contents.file, file());
      QCOMPARE(contents.conversations.size(), 2U);
    }
    auto store = ChatStore::open(file());
    const auto found = (*store)->search(QStringLiteral("purr"));
    QCOMPARE(found->size(), 1U);
    const qint64 id = found->at(0).conversation;
    QVERIFY(id > 7);
    const auto all = (*store)->conversations();
    const auto cats = std::ranges::find(*all, id, &Conversation::id);
    QCOMPARE(cats->title, QStringLiteral("Cats"));
    QCOMPARE((*store)->folders()->size(), 1U);
    QCOMPARE(cats->folder, (*store)->folders()->at(0).id);
    const auto messages = (*store)->messages(id);
    QCOMPARE(messages->size(), 2U);
    QCOMPARE(messages->at(1).text, QStringLiteral("They do."));
    QCOMPARE(messages->at(1).parent, messages->at(0).id);
    QCOMPARE(cats->activeLeaf, messages->at(1).id);
    QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("conversations-version-*.sqlite")}).size(), 0);
    QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("conversations-version-*.imported-*")}).size(), 1);
  }

 private:
  void makeOldFile(const char* name) {
    QFile old(QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/chat/") + QString::fromLatin1(name));
    QVERIFY(old.open(QIODevice::ReadOnly));
    change(QString::fromUtf8(old.readAll()).split(QLatin1String(";\n"), Qt::SkipEmptyParts));
  }
  // Runs statements directly on the file, bypassing the store.
  void change(const QStringList& statements) {
    {
      QSqlDatabase raw = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
      raw.setDatabaseName(file());
      QVERIFY(raw.open());
      for (const QString& statement : statements) QVERIFY2(QSqlQuery(raw).exec(statement), qPrintable(statement));
      raw.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
  }
  std::unique_ptr<QTemporaryDir> m_folder;
};

APP_TEST(StoreVersionsTest, "store_versions", QCoreApplication)
#include "tst_store_versions.moc"
