// The list of conversations: order, sections, search, pins and folders.
#include "app_test.h"
#include "chat_bench.h"
#include "app/chat/conversation_export.h"
#include "app/text/clock.h"
#include "patience.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

using namespace minerva::app;

class ConversationsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_bench = std::make_unique<Bench>(m_folder->path());
  }
  void cleanup() { m_bench.reset(); }

  void searchingLeadsToTheMessage() {
    m_bench->chat.send(s("Tell me about foxes"));
    m_bench->reply("They have whiskers.");
    m_bench->chat.regenerate(1);
    m_bench->reply("Red ones.");
    const qint64 first = m_bench->chat.currentId();
    m_bench->chat.newConversation();
    m_bench->chat.send(s("And bears?"));
    m_bench->reply("Brown.");
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    ConversationListModel& list = *m_bench->chat.conversations();
    QCOMPARE(list.count(), 2);
    list.setSearch(s("whisk"));
    QTRY_COMPARE(list.count(), 1);
    QCOMPARE(list.idAt(0), first);
    QCOMPARE(list.data(list.index(0), ConversationListModel::ExcerptRole).toString(), s("They have <b>whisk</b>ers."));
    QSignalSpy revealed(&m_bench->chat, &ChatController::revealed);
    m_bench->chat.open(first);
    QVERIFY(m_bench->chat.isReading());
    QTRY_COMPARE(revealed.count(), 1);  // the match is in another version than the one shown last
    QCOMPARE(revealed[0][0].toInt(), 1);
    QCOMPARE(m_bench->texts(), (QStringList{s("Tell me about foxes"), s("They have whiskers.")}));
    QVERIFY(!m_bench->chat.isReading());
    const QString file = m_folder->filePath(s("shown.md"));  // has what is shown
    m_bench->chat.exportTo(first, QUrl::fromLocalFile(file), s("md"));
    m_bench->chat.flush();
    QFile shown(file);
    QTRY_VERIFY(shown.exists());
    QVERIFY(shown.open(QIODevice::ReadOnly) && shown.readAll().contains("whiskers"));
    m_bench->chat.open(first);  // again: it is loaded already
    QCOMPARE(revealed.count(), 2);
    list.setSearch(s("bears"));  // titles are searched without the store
    QCOMPARE(list.count(), 2);   // earlier results stay until the new ones arrive
    QTRY_COMPARE(list.count(), 1);
    list.setSearch(s("nowhere"));
    QTRY_COMPARE(list.count(), 0);
    list.setSearch(s(" "));
    QCOMPARE(list.count(), 2);
    QCOMPARE(list.data(list.index(0), ConversationListModel::ExcerptRole).toString(), QString());
    m_bench->chat.open(first);
    QCOMPARE(revealed.count(), 2);
  }

  void aSearchGoesOnWhenTheShownOneIsDeleted() {
    ChatController& chat = m_bench->chat;
    for (const char* text : {"foxes one", "foxes two", "bears"}) {
      chat.newConversation();
      chat.send(s(text));
      m_bench->reply("ok");
    }
    ConversationListModel& list = *chat.conversations();
    list.setSearch(s("foxes"));
    QTRY_COMPARE(list.count(), 2);
    const qint64 shown = list.idAt(0);
    chat.select(shown);
    chat.remove(shown);
    QCOMPARE(list.search(), s("foxes"));
    QCOMPARE(list.count(), 1);
    QCOMPARE(chat.currentId(), 0);
  }

  void anExportHasANameAndIsSaid() {
    ChatController& chat = m_bench->chat;
    chat.send(s("Foxes / bears: \"which\"?"));
    m_bench->reply("Foxes.");
    const QUrl folder = QUrl::fromLocalFile(m_folder->path());
    const auto place = [&] { return chat.exportPlace(chat.currentId(), folder, s("md")).toLocalFile(); };
    const QString first = place();
    QCOMPARE(first, m_folder->filePath(s("Foxes bears which.md")));
    chat.exportTo(chat.currentId(), QUrl::fromLocalFile(first), s("md"));
    QTRY_COMPARE(chat.importNote(), s("Exported to %1").arg(first));
    QVERIFY(QFile::exists(first));
    QCOMPARE(place(), m_folder->filePath(s("Foxes bears which (2).md")));
    QVERIFY(chat.exportPlace(4711, folder, s("md")).isEmpty());
    QCOMPARE(freeFile(s("/f"), s(" ..\n "), s("md")), s("/f/New chat.md"));
    QVERIFY(QFileInfo(freeFile(s("/f"), QString(500, u'ü'), s("json"))).fileName().toUtf8().size() <= 255);
    chat.newConversation();
    chat.send(s("Bears"));
    m_bench->reply("Brown.");
    chat.exportRead(folder);
    QTRY_COMPARE(chat.importNote(), s("Exported 2 conversation(s) to %1").arg(m_folder->path()));
    QVERIFY(QFile::exists(m_folder->filePath(s("Bears.json"))));
  }

  void timesAreWrittenAsTheRegionDoes() {
    const QTime time(15, 4);
    const QDate date(2026, 12, 31);
    QVERIFY(shortTime(time, QLocale(s("en_US"))).startsWith(s("3:04")));
    QCOMPARE(shortTime(time, QLocale(s("de_DE"))), s("15:04"));
    QCOMPARE(shortDate(date, QLocale(s("en_US"))), s("12/31/26"));
    QCOMPARE(shortDate(date, QLocale(s("de_DE"))), s("31.12.26"));
    QCOMPARE(shortTime(time, QLocale::c()), s("15:04"));
  }

  void theListIsSortedAndSectioned() {
    ConversationListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QDateTime noon(QDate(2026, 3, 18), QTime(12, 0));
    model.setNow(noon);
    const auto add = [&](qint64 id, const QDateTime& when) {
      Conversation c;
      c.id = id;
      c.title = s("Chat %1").arg(id);
      c.modelName = s("M");
      c.created = c.updated = when.toUTC();
      model.put(c);
    };
    add(1, noon.addSecs(-3600));
    add(2, noon.addDays(-1));
    add(3, noon.addDays(-5));
    add(4, noon.addDays(-40));
    add(5, noon.addSecs(-60));
    QCOMPARE(model.count(), 5);
    QCOMPARE(model.idAt(0), 5);
    QCOMPARE(model.data(model.index(0), ConversationListModel::SubtitleRole).toString(), s("M · 11:59"));
    QStringList sections;
    for (int row = 0; row < 5; ++row) sections << model.data(model.index(row), ConversationListModel::SectionRole).toString();
    QCOMPARE(sections, (QStringList{s("Today"), s("Today"), s("Yesterday"), s("Last week"), s("Earlier")}));
    add(4, noon);  // an old conversation that is continued moves to the top
    QCOMPARE(model.idAt(0), 4);
    model.setSearch(s("chat 3"));
    QCOMPARE(model.count(), 1);
    QCOMPARE(model.idAt(0), 3);
    add(3, noon);
    add(1, noon);
    QCOMPARE(model.count(), 1);
    model.take(3);
    QCOMPARE(model.count(), 0);
    model.setSearch({});
    QCOMPARE(model.count(), 4);
  }

  // Whatever arrives, rows that stay are not made anew: a title may be edited in one.
  void rowsStayWhileResultsArrive() {
    ConversationListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QDateTime noon(QDate(2026, 3, 18), QTime(12, 0), Qt::UTC);
    model.setNow(noon);
    const auto chat = [&](qint64 id, int age) {
      Conversation c;
      c.id = id;
      c.title = s("Chat %1").arg(id);
      c.created = c.updated = noon.addSecs(-60 * age);
      return c;
    };
    std::vector<Conversation> all;
    for (int id = 1; id <= 12; ++id) all.push_back(chat(id, id));
    model.reset(all);
    model.setSearch(s("chat 5"));
    const QPersistentModelIndex edited = model.index(0);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    const auto shown = [&] {
      QList<qint64> ids;
      for (int row = 0; row < model.count(); ++row) ids << model.idAt(row);
      return ids;
    };
    model.setFound({{1, s("a")}, {2, s("b")}, {5, s("c")}, {9, s("d")}});
    QCOMPARE(shown(), (QList<qint64>{1, 2, 5, 9}));
    model.setSimilar({12, 1, 7}, {{12, s("e")}, {7, s("f")}});
    QCOMPARE(shown(), (QList<qint64>{1, 2, 5, 9, 12, 7}));
    QCOMPARE(model.data(model.index(4), ConversationListModel::SectionRole).toString(), s("Similar in meaning"));
    model.setFound({{7, s("g")}, {12, s("h")}});
    QCOMPARE(shown(), (QList<qint64>{5, 7, 12, 1}));
    QCOMPARE(model.data(model.index(2), ConversationListModel::SectionRole).toString(), s("Today"));
    model.setSimilar({2, 3, 4, 1}, {});
    QCOMPARE(shown(), (QList<qint64>{5, 7, 12, 2, 3, 4, 1}));
    model.add({chat(50, 0), chat(51, 30), chat(60, 31)});  // imported meanwhile: "Chat 50" and "Chat 51" match
    QCOMPARE(shown(), (QList<qint64>{50, 5, 7, 12, 51, 2, 3, 4, 1}));
    QVERIFY(edited.isValid());
    QCOMPARE(model.idAt(edited.row()), 5);
    QCOMPARE(resets.count(), 0);
  }

  // The rows as displayed: "[folder]", "title", "  title" below its folder.
  QStringList rows() const {
    const ConversationListModel& list = *m_bench->chat.conversations();
    QStringList all;
    for (int row = 0; row < list.count(); ++row) {
      const auto value = [&](int role) { return list.data(list.index(row), role); };
      const QString title = value(ConversationListModel::TitleRole).toString();
      if (value(ConversationListModel::ConversationIdRole).toLongLong() == 0)
        all << s("[%1 %2]").arg(title).arg(value(ConversationListModel::MembersRole).toInt());
      else all << (value(ConversationListModel::NestedRole).toBool() ? s("  ") : QString()) + title;
    }
    return all;
  }

  void conversationsArePinnedAndPutIntoFolders() {
    ChatController& chat = m_bench->chat;
    std::vector<qint64> ids;
    for (const char* text : {"a", "b", "c", "d"}) {
      chat.newConversation();
      chat.send(s(text));
      m_bench->reply("ok");
      ids.push_back(chat.currentId());
    }
    QCOMPARE(rows(), (QStringList{s("d"), s("c"), s("b"), s("a")}));
    chat.setPinned(ids[0], true);
    QCOMPARE(rows(), (QStringList{s("a"), s("d"), s("c"), s("b")}));
    const qint64 work = chat.addFolder(s(" Work ")), home = chat.addFolder(s("home"));
    QCOMPARE(chat.addFolder(s(" ")), 0);
    chat.moveTo(ids[1], work);
    chat.moveTo(ids[2], work);
    chat.moveTo(ids[0], work);  // pinned, so it stays at the top
    chat.moveTo(ids[3], 4711);  // no such folder
    QCOMPARE(rows(), (QStringList{s("a"), s("[home 0]"), s("[Work 3]"), s("  c"), s("  b"), s("d")}));
    QCOMPARE(chat.conversations()->folders().size(), 2);
    QCOMPARE(chat.conversations()->data(chat.conversations()->index(1), ConversationListModel::SectionRole).toString(), s("Folders"));
    chat.setCollapsed(work, true);
    QCOMPARE(rows(), (QStringList{s("a"), s("[home 0]"), s("[Work 3]"), s("d")}));
    chat.select(ids[1]);
    QVERIFY(chat.conversations()->data(chat.conversations()->index(2), ConversationListModel::CurrentRole).toBool());
    QTest::qSleep(5);               // newer than the others
    QVERIFY(chat.send(s("more")));  // a new message does not move it out of its folder
    m_bench->reply("ok");
    chat.conversations()->setSearch(s("b"));
    QCOMPARE(rows(), (QStringList{s("b")}));  // found although its folder is collapsed
    chat.conversations()->setSearch({});
    chat.renameFolder(home, s("Zoo"));
    chat.moveTo(ids[3], home);
    QCOMPARE(rows(), (QStringList{s("a"), s("[Work 3]"), s("[Zoo 1]"), s("  d")}));

    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(rows(), (QStringList{s("a"), s("[Work 3]"), s("[Zoo 1]"), s("  d")}));
    m_bench->chat.setCollapsed(work, false);
    m_bench->chat.setPinned(ids[0], false);
    QCOMPARE(rows(), (QStringList{s("[Work 3]"), s("  b"), s("  c"), s("  a"), s("[Zoo 1]"), s("  d")}));
    m_bench->chat.select(ids[1]);
    m_bench->chat.remove(ids[2]);
    m_bench->chat.removeFolder(work);
    QCOMPARE(rows(), (QStringList{s("[Zoo 1]"), s("  d"), s("b"), s("a")}));
    m_bench->chat.undoDelete();
    QTRY_VERIFY(m_bench->chat.canSend());
    QTest::qSleep(5);
    QVERIFY(m_bench->chat.send(s("on")));  // saves the current conversation again
    m_bench->reply("ok");
    m_bench->chat.select(ids[1]);
    QTRY_VERIFY(m_bench->chat.canSend());
    QTest::qSleep(5);
    QVERIFY(m_bench->chat.send(s("on")));
    m_bench->reply("ok");
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QVERIFY(!m_bench->chat.storeError().isSet());
    QCOMPARE(rows(), (QStringList{s("[Zoo 1]"), s("  d"), s("b"), s("c"), s("a")}));
  }

  void deletedOnesAreRestoredOrGoForGood() {
    ChatController& chat = m_bench->chat;
    const QAbstractItemModelTester tester(chat.deleted(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<qint64> ids;
    for (const char* text : {"aardvark", "badger", "crocodile"}) {
      chat.newConversation();
      chat.send(s(text));
      m_bench->reply("a zebracorn \xE2\x98\x83\xE2\x9C\x88\xE2\x98\x8E");
      chat.setDraft(s("typed about a unicornfish"));
      ids.push_back(chat.currentId());
    }
    const qint64 folder = chat.addFolder(s("F"));
    chat.moveTo(ids[0], folder);
    for (const qint64 id : ids) chat.remove(id);
    QCOMPARE(deleted(), (QStringList{s("crocodile"), s("badger"), s("aardvark")}));
    QVERIFY(chat.deleted()->index(0).data(DeletedConversations::SubtitleRole).toString().contains(s("30 day")));
    chat.undoDelete();
    QCOMPARE(chat.currentId(), ids[2]);
    QVERIFY(!chat.canUndoDelete());
    chat.remove(ids[2]);
    chat.removeFolder(folder);
    m_bench.reset();

    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(deleted(), (QStringList{s("crocodile"), s("badger"), s("aardvark")}));
    m_bench->chat.restore(ids[0]);
    QCOMPARE(m_bench->chat.currentId(), ids[0]);
    QTRY_COMPARE(m_bench->chat.messages()->count(), 2);
    QCOMPARE(m_bench->chat.draft(), s("typed about a unicornfish"));
    QCOMPARE(rows(), (QStringList{s("aardvark")}));
    QTRY_VERIFY(m_bench->chat.canSend());
    QVERIFY(m_bench->chat.send(s("on")));
    const quint64 live = m_bench->source.last;
    m_bench->chat.remove(ids[0]);  // while its reply is streamed
    QVERIFY(m_bench->source.cancelled.size() == 1 && m_bench->source.cancelled[0] == live);
    m_bench->chat.removeForGood(ids[0]);
    m_bench->source.say(s("late words"));
    m_bench->source.end(minerva::engine::FinishReason::cancelled);
    QVERIFY(!m_bench->chat.canUndoDelete());
    QVERIFY(!m_bench->chat.isGeneratingElsewhere());
    m_bench->chat.removeForGood(4711);
    QCOMPARE(deleted(), (QStringList{s("crocodile"), s("badger")}));
    m_bench->chat.emptyDeleted();
    QCOMPARE(deleted(), QStringList());
    m_bench->chat.flush();
    QCoreApplication::processEvents();
    QVERIFY2(!m_bench->chat.storeError().isSet(), qPrintable(m_bench->chat.storeError().details));
    m_bench.reset();

    // Nothing of deleted conversations remains in the database or its log, nor in the search index.
    // The name of a table shows that isInFiles() works. The last word has three characters, as the index's entries do.
    QVERIFY(isInFiles("conversations"));
    for (const char* word : {"aardvark", "badger", "crocodile", "zebracorn", "unicornfish", "\xE2\x98\x83\xE2\x9C\x88\xE2\x98\x8E"})
      QVERIFY2(!isInFiles(word), word);
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(m_bench->chat.conversations()->count(), 0);
    QCOMPARE(deleted(), QStringList());
  }

 private:
  [[nodiscard]] QStringList deleted() {
    QStringList all;
    for (int row = 0; row < m_bench->chat.deleted()->count(); ++row)
      all << m_bench->chat.deleted()->index(row).data(DeletedConversations::TitleRole).toString();
    return all;
  }
  [[nodiscard]] bool isInFiles(const char* word) const {
    bool found = false;
    for (const QString& name : QDir(m_folder->path()).entryList({s("chat.sqlite*")}, QDir::Files)) {
      QFile file(m_folder->filePath(name));
      found = found || (file.open(QIODevice::ReadOnly) && file.readAll().contains(word));
    }
    return found;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Bench> m_bench;
};

APP_TEST(ConversationsTest, "conversations", QGuiApplication)
#include "tst_conversations.moc"
