// What cannot be written or read takes nothing else with it: a refused write, a damaged index, a full disk during an export.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_store.h"
#include "app/chat/conversation_export.h"
#include "app/chat/store_thread.h"
#include "patience.h"
#include "store_samples.h"

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

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(StoreDamageTest)
#include "tst_store_damage.moc"
