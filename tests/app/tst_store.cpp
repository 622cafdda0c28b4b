// Conversations on disk: what is kept, and what a kill, a newer version, damage and a full disk do.
#include "app/chat/chat_controller.h"
#include "app/chat/chat_store.h"
#include "app/chat/store_thread.h"
#include "app/settings/settings.h"
#include "scripted_source.h"

#include <QFile>
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
  StoreThread store(folder + QStringLiteral("/chat.sqlite"));
  ScriptedSource source;
  ChatController chat(&source, &store, &settings);
  QTimer timer;
  int number = 0;
  QObject::connect(&timer, &QTimer::timeout, [&] { source.say(QStringLiteral("%1:%2 ").arg(number++).arg(nowMs())); });
  QObject::connect(&chat, &ChatController::opened, [&] {
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
  std::unique_ptr<QTemporaryDir> m_folder;
};

int main(int argc, char** argv) {
  if (argc == 3 && QByteArray(argv[1]) == "--stream") return streamUntilKilled(argc, argv);
  QGuiApplication application(argc, argv);
  StoreTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_store.moc"
