// What cannot be written or read takes nothing else with it: a refused write, a damaged index, a full disk during an export.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_store.h"
#include "app/chat/conversation_export.h"
#include "app/chat/store_thread.h"
#include "app_test.h"
#include "chat_bench.h"
#include "patience.h"
#include "store_samples.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace minerva::app;

namespace {

// A write of a message of a conversation that is not there.
StoreThread::Write orphan() {
  return [](ChatStore& store) { return store.save(message(90, 89, 0, QStringLiteral("orphan"))); };
}

// Overwrites the first page of a table or index with zeros, as a failing disk does.
void damage(const QString& file, const QString& name) {
  qint64 root = 0, size = 0;
  {
    auto opened = SqliteFile::open(file, "the test", SqliteFile::Migrations(ChatStore::version));
    QVERIFY(opened.has_value());
    const auto number = [&](const QString& sql, const QVariantList& values, qint64& to) {
      QVERIFY((*opened)->each(sql, values, [&](const QSqlQuery& row) { to = row.value(0).toLongLong(); }));
    };
    number(QStringLiteral("SELECT rootpage FROM sqlite_schema WHERE name = ?"), {name}, root);
    number(QStringLiteral("PRAGMA page_size"), {}, size);
  }
  QVERIFY2(root > 1, qPrintable(name));
  QFile bytes(file);
  QVERIFY(bytes.open(QIODevice::ReadWrite) && bytes.seek((root - 1) * size));
  QCOMPARE(bytes.write(QByteArray(size, '\0')), size);
}

// Overwrites the page of the table of messages that holds these words.
void damagePageWith(const QString& file, const QByteArray& words) {
  constexpr qint64 size = 4096;
  QFile bytes(file);
  QVERIFY(bytes.open(QIODevice::ReadWrite));
  const qint64 at = bytes.readAll().indexOf(words);
  QVERIFY(at > size && bytes.seek(at / size * size));
  QCOMPARE(bytes.write(QByteArray(size, '\0')), size);
}

}  // namespace

class StoreDamageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  QString file() const { return m_folder->filePath(QStringLiteral("chat.sqlite")); }

  void aRefusedWriteKeepsNoOther() {
    {
      StoreThread thread(file());
      QSignalSpy failed(&thread, &StoreThread::failed), recovered(&thread, &StoreThread::recovered);
      thread.write({}, [](ChatStore& store) { return store.save(conversation(1)); });
      thread.write(QStringLiteral("m90"), orphan(), QStringLiteral("Bears"));
      Conversation placed = conversation(2);  // queued before its folder
      placed.folder = 7;
      thread.write({}, [placed](ChatStore& store) { return store.save(placed); });
      thread.write({}, [](ChatStore& store) { return store.save(Folder{7, QStringLiteral("f"), false}); });
      thread.flush();
      QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, patienceMs);
      const auto error = failed[0][0].value<ErrorInfo>();
      QVERIFY2(error.headline.contains(QLatin1String("Bears")), qPrintable(error.headline));
      // It is not tried again, and nothing waits for it.
      thread.write({}, [](ChatStore& store) { return store.save(conversation(3)); });
      thread.write(QStringLiteral("m90"), orphan(), QStringLiteral("Bears"));
      thread.flush();
      QCoreApplication::processEvents();
      QCOMPARE(failed.count(), 1);  // told once
      QCOMPARE(recovered.count(), 0);
    }
    auto store = ChatStore::open(file());
    QVERIFY(store.has_value());
    const auto all = (*store)->conversations();
    QCOMPARE(all->size(), 3U);
    QCOMPARE((*all)[1].folder, 7);
  }

  void aFullDiskLosesNothingThatWaitsWithARefusedWrite() {
    StoreThread thread(file());
    QSignalSpy failed(&thread, &StoreThread::failed), recovered(&thread, &StoreThread::recovered);
    thread.write({}, [](ChatStore& store) { return store.save(conversation(1)); });
    thread.flush();
    thread.write({}, [](ChatStore& store) { return store.limitPages(8); });
    thread.flush();
    thread.write(QStringLiteral("m90"), orphan(), QStringLiteral("Bears"));
    const QString large(200000, u'a');
    thread.write(QStringLiteral("m2"), [large](ChatStore& store) { return store.save(message(2, 1, 0, large)); });
    thread.flush();
    thread.write(QStringLiteral("m2"), [large](ChatStore& store) -> minerva::Result<void> {
      MINERVA_TRY(store.limitPages(1 << 20));
      return store.save(message(2, 1, 0, large));
    });
    QVERIFY(recovered.wait(StoreThread::retryMs * 3));
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 2, patienceMs);  // in either order: the refused write may have been alone
    const auto one = failed[0][0].value<ErrorInfo>(), other = failed[1][0].value<ErrorInfo>();
    QVERIFY((one.headline + other.headline).contains(QLatin1String("Bears")));
    QVERIFY((one.detail + other.detail).contains(QLatin1String("full")));
    QSignalSpy read(&thread, &StoreThread::messagesRead);
    thread.readMessages(1);
    QVERIFY(read.wait(patienceMs));
    QCOMPARE(read[0][1].value<std::vector<Message>>().size(), 1U);
  }

  void anExportHasWhatCouldNotBeSaved() {
    Bench bench(m_folder->path());
    bench.chat.send(QStringLiteral("Tell me"));
    bench.reply("A cat.");
    bench.store.write({}, [](ChatStore& store) { return store.limitPages(8); });
    bench.chat.flush();
    bench.chat.send(QString(200000, u'a'));
    bench.reply("THE REPLY");
    QTRY_VERIFY(bench.chat.storeError().isSet());
    const QString exported = m_folder->filePath(QStringLiteral("out.md"));
    bench.chat.exportTo(bench.chat.currentId(), QUrl::fromLocalFile(exported), QStringLiteral("md"));
    bench.store.flush();
    QFile out(exported);
    QVERIFY(out.open(QIODevice::ReadOnly));
    QVERIFY(out.readAll().contains("THE REPLY"));
    bench.store.write({}, [](ChatStore& store) { return store.limitPages(1 << 20); });
  }

  void whatIsNotInAFileIsSaid() {
    Bench bench(m_folder->path());
    bench.chat.send(QStringLiteral("Tell me"));
    bench.reply("A cat.");
    QVERIFY(bench.chat.saveAll());
    bench.store.write({}, [](ChatStore& store) { return store.limitPages(8); });
    QVERIFY(bench.chat.saveAll());
    bench.chat.setDraft(QString(200000, u'a'));
    QVERIFY(!bench.chat.saveAll());
    QVERIFY2(bench.chat.storeError().detail.contains(QLatin1String("full")), qPrintable(bench.chat.storeError().detail));
    bench.chat.dismissStoreError();
    QVERIFY(!bench.chat.saveAll());
    QVERIFY(bench.chat.storeError().isSet());
    bench.chat.setDraft({});
    QVERIFY(bench.chat.saveAll());
    QTRY_VERIFY(!bench.chat.storeError().isSet());  // also what the disk had said before
  }

  // Everything but the messages themselves can be made again from them.
  void aDamagedIndexIsMadeAgain_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"message_text_data", "message_text_idx", "message_text_docsize", "message_text_config", "attachment_text_data",
                             "attachment_text_docsize", "attachment_text_config", "message_vectors", "messages_of", "conversations_in"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  void aDamagedIndexIsMadeAgain() {
    QFETCH(const QString, name);
    const QString model = QStringLiteral("model");
    {
      auto store = ChatStore::open(file());
      QVERIFY((*store)->save(conversation(1)));
      QVERIFY((*store)->begin());
      for (qint64 id = 2; id < 100; ++id) QVERIFY((*store)->save(message(id, 1, 0, QStringLiteral("a bear and number %1").arg(id))));
      QVERIFY((*store)->commit());
      QVERIFY((*store)->saveVectors(model, {{2, 1, QStringLiteral("a bear and number 2")}}, {1, 0}, 2));
    }
    damage(file(), name);
    {
      StoreThread thread(file());
      QSignalSpy opened(&thread, &StoreThread::opened), failed(&thread, &StoreThread::failed), read(&thread, &StoreThread::messagesRead),
          searched(&thread, &StoreThread::searched);
      QVERIFY(opened.wait(patienceMs));
      const auto contents = opened[0][0].value<StoreContents>();
      QVERIFY2(!contents.notice.isSet(), qPrintable(contents.notice.details));
      QCOMPARE(contents.file, file());
      Message withFile = message(101, 1, 0, QStringLiteral("another bear"));
      withFile.attachments << attachmentOf(QStringLiteral("a.txt"), QStringLiteral("a wolf"));
      thread.write({}, [](ChatStore& store) { return store.save(message(2, 1, 0, QStringLiteral("a fox"))); });
      thread.write({}, [withFile](ChatStore& store) { return store.save(withFile); });
      Conversation placed = conversation(1);
      placed.folder = 7;
      thread.write({}, [](ChatStore& store) { return store.save(Folder{7, QStringLiteral("f"), false}); });
      thread.write({}, [placed](ChatStore& store) { return store.save(placed); });
      thread.readMessages(1);
      QVERIFY(read.wait(patienceMs));
      QCOMPARE(read[0][1].value<std::vector<Message>>().size(), 99U);
      for (const char* word : {"bear", "fox", "wolf"}) {
        searched.clear();
        thread.search(QString::fromLatin1(word));
        QVERIFY(searched.wait(patienceMs));
        QCOMPARE(searched[0][1].value<std::vector<Found>>().size(), 1U);
      }
      std::optional<VectorCount> count;
      thread.ask(
          this, [model](ChatStore& store) { return store.countVectors(model); },
          [&](const minerva::Result<VectorCount>& counted) { count = counted ? *counted : VectorCount{.done = -1}; });
      QTRY_VERIFY(count.has_value());
      QCOMPARE(count->total, 99);
      QCOMPARE(count->done, 0);  // the text has changed
      QCOMPARE(failed.count(), 0);
    }
    auto store = ChatStore::open(file());
    QVERIFY(store.has_value());
    QCOMPARE((*store)->messages(1)->size(), 99U);
    QVERIFY(QDir(m_folder->path()).entryList({QStringLiteral("*.damaged-*")}).isEmpty());
  }

  // The messages fill many pages. Those on a damaged one are lost, and with them nothing else.
  void whatCanBeReadIsKept_data() {
    QTest::addColumn<bool>("whole");  // all conversations are lost, but no message
    QTest::newRow("messages") << false;
    QTest::newRow("conversations") << true;
  }
  void whatCanBeReadIsKept() {
    QFETCH(const bool, whole);
    constexpr int count = 300;
    {
      auto store = ChatStore::open(file());
      QVERIFY((*store)->save(Folder{7, QStringLiteral("f"), false}));
      Conversation first = conversation(1);
      first.folder = 7;
      QVERIFY((*store)->save(first));
      QVERIFY((*store)->begin());
      for (qint64 id = 2; id < 2 + count; ++id)
        QVERIFY((*store)->save(message(id, 1, id == 2 ? 0 : id - 1, QStringLiteral("a bear %1 ").arg(id).repeated(40))));
      QVERIFY((*store)->commit());
    }
    if (whole) damage(file(), QStringLiteral("conversations"));
    else damagePageWith(file(), "a bear 150 ");
    StoreThread thread(file());
    QSignalSpy opened(&thread, &StoreThread::opened), read(&thread, &StoreThread::messagesRead), searched(&thread, &StoreThread::searched);
    QVERIFY(opened.wait(patienceMs));
    const auto contents = opened[0][0].value<StoreContents>();
    QVERIFY2(contents.notice.hint.contains(QLatin1String("copied")), qPrintable(contents.notice.details));
    QCOMPARE(contents.conversations.size(), 1U);
    QCOMPARE(contents.conversations[0].title, whole ? QString() : QStringLiteral("c1"));
    QCOMPARE(contents.conversations[0].folder, whole ? 0 : 7);
    QCOMPARE(contents.folders.size(), 1U);
    thread.readMessages(1);
    QVERIFY(read.wait(patienceMs));
    const auto messages = read[0][1].value<std::vector<Message>>();
    QVERIFY2(messages.size() >= (whole ? count : count - 20U), qPrintable(QString::number(messages.size())));
    QCOMPARE(messages.back().id, count + 1);
    thread.search(QStringLiteral("bear 2"));
    QVERIFY(searched.wait(patienceMs));
    QCOMPARE(searched[0][1].value<std::vector<Found>>().size(), 1U);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

APP_TEST(StoreDamageTest, "store_damage", QGuiApplication)
#include "tst_store_damage.moc"
