// How the program starts: it asks no network for anything, and comes back as it was left.
#include "app/actions/page_table.h"
#include "app_test.h"
#include "main_window.h"
#include "patience.h"

#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QProcess>
#include <QScreen>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QStyleHints>
#include <QTcpServer>
#include <QTcpSocket>

#include <chrono>

using namespace minerva::app;

namespace {

struct WatchedRun {
  int exitCode = -1;
  QByteArray said;
  QStringList network;  // what network_watch.cpp saw: "connect 127.0.0.1:80", "look up huggingface.co"
};

QStringList linesOfFile(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

// Runs the program in its own data folder and records every network access. Ends when the program does, or as soon as the
// record has the line `until`.
WatchedRun watched(const QStringList& arguments, const QStringList& before = {}, const QString& until = {}) {
  QTemporaryDir folder;
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  const QString log = folder.filePath(QStringLiteral("network.txt"));
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  environment.insert(QStringLiteral("LD_PRELOAD"), QStringLiteral(MINERVA_NETWORK_WATCH));
  environment.insert(QStringLiteral("MINERVA_NETWORK_WATCH"), log);
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  QStringList words = before;
  words << QStringLiteral(MINERVA_PROGRAM) << arguments << QStringLiteral("--data-dir") << folder.path();
  process.start(words.takeFirst(), words);
  WatchedRun run;
  const auto ended = [&] { return process.state() == QProcess::NotRunning || (!until.isEmpty() && linesOfFile(log).contains(until)); };
  if (!QTest::qWaitFor(ended, patienceMs) || process.state() != QProcess::NotRunning) process.kill();
  process.waitForFinished();
  run.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  run.said = process.readAll();
  run.network = linesOfFile(log);
  return run;
}

// The window on this page, until it has answered once.
QStringList oneReply(const QString& page) {
  return {QStringLiteral("--device"),
          QStringLiteral("cpu"),
          QStringLiteral("--page"),
          page,
          QStringLiteral("--send"),
          QStringLiteral("Who are you?"),
          QStringLiteral("--exit-after-reply")};
}

// That it was watched at all, and what else was seen.
QStringList askedFor(const WatchedRun& run) {
  QStringList seen = run.network;
  const QString watching = QStringLiteral("watching minerva");
  if (seen.removeAll(watching) == 0) return {QStringLiteral("nothing watched: %1").arg(seen.join(QStringLiteral(", ")))};
  seen.removeIf([](const QString& line) { return line.startsWith(QLatin1String("watching ")); });
  return seen;
}

}  // namespace

class StartTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aStartAndAReplyMakeNoRequest_data() {
    QTest::addColumn<QString>("page");
    for (const QString& page : pageKeys()) QTest::newRow(qPrintable(page)) << page;
  }

  void aStartAndAReplyMakeNoRequest() {
    QFETCH(QString, page);
    const WatchedRun start = watched(oneReply(page));
    QVERIFY2(start.exitCode == 0, start.said.constData());
    QCOMPARE(askedFor(start), QStringList());
  }

  // The test above would notice a request: `get` tries again for minutes, and is ended at its first one.
  void aDownloadIsSeenByTheWatch() {
    QTcpServer hub;
    QVERIFY(hub.listen(QHostAddress::LocalHost));
    connect(&hub, &QTcpServer::newConnection, &hub, [&hub] { hub.nextPendingConnection()->abort(); });
    const QString address = QStringLiteral("127.0.0.1:%1").arg(hub.serverPort());
    const auto getAsks = [](const QString& endpoint, const QString& request) {
      qputenv("HF_ENDPOINT", endpoint.toUtf8());
      const WatchedRun run = watched({QStringLiteral("get"), QStringLiteral("org/model")}, {}, request);
      qunsetenv("HF_ENDPOINT");
      return askedFor(run).contains(request);
    };
    QVERIFY(getAsks(QStringLiteral("http://") + address, QStringLiteral("connect ") + address));
    QVERIFY(getAsks(QStringLiteral("http://hub.invalid"), QStringLiteral("look up hub.invalid")));
  }

  void itStartsWhereThereIsNoNetworkAtAll() {
    QProcess probe;
    probe.start(QStringLiteral("unshare"), {QStringLiteral("-rn"), QStringLiteral("true")});
    if (!probe.waitForFinished(5000) || probe.exitCode() != 0) QSKIP("skipped: no network namespaces here");
    const WatchedRun start = watched(oneReply(QStringLiteral("chat")), {QStringLiteral("unshare"), QStringLiteral("-rn")});
    QVERIFY2(start.exitCode == 0, start.said.constData());
    QCOMPARE(askedFor(start), QStringList());
  }

  void whatCannotBeReadAtTheStartIsSaid() {
    MainWindow minerva;
    minerva.services->settings()->file().sync();
    QFile settings(minerva.folder() + QStringLiteral("/settings.ini"));
    QVERIFY(settings.open(QIODevice::Append) && settings.write("[broken\n\x01\n") > 0);
    settings.close();
    minerva.open(QStringLiteral("chat"));
    QCOMPARE(minerva.services->unread().size(), 1);
    const auto said = minerva.services->unread().first().value<ErrorInfo>();
    QVERIFY2(said.detail.startsWith(QStringLiteral("The settings are damaged")), qPrintable(said.details));
    const auto shown = [&minerva] {
      std::vector<QQuickItem*> open{minerva.window->contentItem()};
      while (!open.empty()) {
        QQuickItem* item = open.back();
        open.pop_back();
        if (item->isVisible() && item->property("text").toString() == QStringLiteral("Some data could not be read at startup")) return true;
        for (QQuickItem* child : item->childItems()) open.push_back(child);
      }
      return false;
    };
    QTRY_VERIFY(shown());
    minerva.services->dismissUnread(0);
    QTRY_VERIFY(!shown());
    minerva.open(QStringLiteral("chat"));
    QVERIFY(minerva.services->unread().isEmpty());  // said once: what could be read was written anew
  }

  void settingsThatCannotBeSavedAreSaidOnce() {
    const QTemporaryDir folder;
    Options options;
    options.dataDir = folder.path();
    AppServices services(options);
    services.settings()->set_uiScale(1.2);
    services.settings()->file().sync();
    const QString file = services.settings()->file().fileName();
    QVERIFY(QFile::remove(file) && QDir().mkpath(file));  // a folder in place of the file cannot be written, not even by root
    services.settings()->set_uiScale(1.3);
    QTRY_COMPARE(services.unread().size(), 1);
    const auto said = services.unread().first().value<ErrorInfo>();
    QCOMPARE(said.headline, QStringLiteral("Your settings could not be saved"));
    QVERIFY2(said.details.contains(file), qPrintable(said.details));
    services.dismissUnread(0);
    QSignalSpy changed(&services, &AppServices::unreadChanged);
    services.settings()->set_uiScale(1.4);
    QTest::qWait(1500);
    QCOMPARE(changed.count(), 0);
    QVERIFY(QDir().rmdir(file));
    services.settings()->set_uiScale(1.25);
    QTRY_VERIFY(QFile::exists(file));
    QCOMPARE(QSettings(file, QSettings::IniFormat).value(QStringLiteral("uiScale")).toDouble(), 1.25);
    QVERIFY(services.unread().isEmpty());
  }

  void aListOfModelsThatCannotBeReadIsSaid() {
    const QTemporaryDir folder;
    QFile list(folder.filePath(QStringLiteral("models.ini")));
    QVERIFY(list.open(QIODevice::WriteOnly) && list.write("[broken\n\x01\n") > 0);
    list.close();
    Options options;
    options.dataDir = folder.path();
    {
      const AppServices services(options);
      QCOMPARE(services.unread().size(), 1);
      const auto said = services.unread().first().value<ErrorInfo>();
      QCOMPARE(said.headline, QStringLiteral("Some data could not be read at startup"));
      QVERIFY2(said.detail.startsWith(QStringLiteral("The models in the list are damaged")), qPrintable(said.details));
    }
    QVERIFY(AppServices(options).unread().isEmpty());
  }

  void aProxysPasswordLeavesTheSettings() {
    struct Keyring : TokenStore {
      using TokenStore::TokenStore;
      void write(const QByteArray& /*password*/, Written answer) override { answer({}); }
    };
    MainWindow minerva;
    minerva.services->hub()->proxyPassword().setKeyring([](const QString& key) { return std::make_unique<Keyring>(key); });
    minerva.services->settings()->set_proxy(QStringLiteral("http://me:secret@proxy.example:8080"));
    QCOMPARE(minerva.services->settings()->proxy(), QStringLiteral("http://me@proxy.example:8080"));
    minerva.services->settings()->file().sync();
    QFile settings(minerva.folder() + QStringLiteral("/settings.ini"));
    QVERIFY(settings.open(QIODevice::ReadOnly));
    const QByteArray kept = settings.readAll();
    QVERIFY2(kept.contains("proxy.example") && !kept.contains("secret"), kept.constData());
  }

  void theFirstStartHasAPageOfItsOwnAndLaterOnesHaveNot() {
    MainWindow minerva;
    QVERIFY(minerva.services->isFirstRun());
    QVERIFY(minerva.start());
    const auto welcome = [&minerva] {
      std::vector<QQuickItem*> open{minerva.window->contentItem()};
      while (!open.empty()) {
        const QQuickItem* item = open.back();
        open.pop_back();
        if (QByteArray(item->metaObject()->className()).startsWith("FirstRun")) return item->isVisible();
        for (QQuickItem* child : item->childItems()) open.push_back(child);
      }
      return false;
    };
    QTRY_VERIFY(welcome());
    QVERIFY(minerva.services->chat()->send(QStringLiteral("Hello")));
    QTRY_VERIFY(!welcome());
    Options again;
    again.dataDir = minerva.folder();
    QVERIFY(!AppServices(again).isFirstRun());
  }

  void whatIsChosenToCompareIsThereAgain() {
    MainWindow minerva;
    {
      CompareController& compare = *minerva.services->compare();
      compare.addModel(QStringLiteral("/models/one.gguf"), QStringLiteral("one"), QStringLiteral("GGUF"), QStringLiteral("Q4_K"));
      compare.addModel(QStringLiteral("/models/two"), QStringLiteral("two"), QStringLiteral("MLX"), QStringLiteral("4-bit"));
      compare.setPrompt(QStringLiteral("A long question\nand another"));
      compare.setMaxTokens(33);
    }
    minerva.open(QStringLiteral("compare"));
    CompareController& compare = *minerva.services->compare();
    QCOMPARE(compare.prompt(), QStringLiteral("A long question\nand another"));
    QCOMPARE(compare.maxTokens(), 33);
    QCOMPARE(compare.columns()->count(), 2);
    QVERIFY(compare.canRun());
    compare.setPrompt({});
    compare.removeModel(1);
    compare.removeModel(0);
    QVERIFY(minerva.services->settings()->compareForm().isEmpty());
    compare.restore(QStringLiteral("{damaged"));
    QCOMPARE(compare.columns()->count(), 0);
  }

  // A disk that is not connected at one start is at the next.
  void aModelThatIsNotThereStaysTheChoice() {
    MainWindow minerva;
    const QString absent = QStringLiteral("/media/disk/model.gguf");
    minerva.services->settings()->set_lastModel(absent);
    minerva.open(QStringLiteral("chat"));
    QVERIFY(minerva.start());
    QCOMPARE(minerva.services->inference()->model().path, minerva.services->library()->builtInPath());
    QCOMPARE(minerva.services->settings()->lastModel(), absent);
    QCOMPARE(minerva.services->unread().size(), 1);
    const auto said = minerva.services->unread().first().value<ErrorInfo>();
    QCOMPARE(said.headline, QStringLiteral("The model you used last is not there"));
    QCOMPARE(said.detail, absent);
    minerva.services->dismissUnread(0);
    QVERIFY(minerva.services->unread().isEmpty());
    minerva.services->inference()->unload();
    minerva.services->library()->openBuiltIn();  // chosen
    QTRY_COMPARE_WITH_TIMEOUT(minerva.services->settings()->lastModel(), minerva.services->library()->builtInPath(), patienceMs);
  }

  // A resting model holds no memory that a load would free first.
  void theForecastIsAskedAgainWhenTheModelRests() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    LoadForecast* forecast = minerva.services->forecast();
    QSignalSpy changed(forecast, &LoadForecast::changed);
    forecast->setWanted(true);
    QTRY_VERIFY(!forecast->property("model").toString().isEmpty());
    const qsizetype before = changed.count();
    minerva.services->inference()->setRestAfter(std::chrono::milliseconds(20));
    QTRY_COMPARE(minerva.services->inference()->state(), InferenceController::Resting);
    QTRY_VERIFY(changed.count() > before);
  }

  void theWindowComesBackAsItWasLeft() {
    MainWindow minerva(QString(), QSize(700, 690));
    QCOMPARE(minerva.page(), QStringLiteral("chat"));
    QVERIFY(minerva.start());
    minerva.window->setPosition(37, 41);
    minerva.show(QStringLiteral("settings"));
    QTest::qWait(50);
    QVERIFY(minerva.window->close());
    minerva.open(QString());
    QVERIFY(minerva.window != nullptr);
    QCOMPARE(minerva.page(), QStringLiteral("settings"));
    QCOMPARE(minerva.window->size(), QSize(700, 690));
    QCOMPARE(minerva.window->position(), QPoint(37, 41));

    minerva.window->showMaximized();
    QTRY_COMPARE(minerva.window->visibility(), QWindow::Maximized);
    QVERIFY(minerva.window->close());
    minerva.open(QString());
    QCOMPARE(minerva.window->visibility(), QWindow::Maximized);
    QCOMPARE(minerva.services->settings()->windowWidth(), 700);
  }

  void aWindowWithUnsavedConversationsAsksBeforeItCloses() {
    MainWindow minerva;
    const QString file = minerva.folder() + QStringLiteral("/conversations.sqlite");
    for (const char* suffix : {"", "-wal", "-shm"}) QFile::remove(file + QLatin1String(suffix));
    QVERIFY(QDir().mkdir(file));  // in the file's place: what is written is kept in memory only
    minerva.open(QStringLiteral("chat"));
    ChatController& chat = *minerva.services->chat();
    QVERIFY(minerva.start());
    QVERIFY(chat.storeError().isSet());
    QVERIFY(minerva.window->close());  // nothing was written
    minerva.window->show();
    QVERIFY(chat.send(QStringLiteral("Tell me of a fox.")));
    QTRY_VERIFY_WITH_TIMEOUT(!chat.isGenerating(), patienceMs);
    chat.dismissStoreError();
    auto* question = minerva.window->findChild<QObject*>(QStringLiteral("unsavedQuestion"));
    QVERIFY(question != nullptr);
    QVERIFY(!minerva.window->close());
    QVERIFY(minerva.window->isVisible());
    QTRY_VERIFY(question->property("opened").toBool());
    QVERIFY(!chat.storeError().detail.isEmpty());
    if (const QString pictures = qEnvironmentVariable("MINERVA_PICTURES"); !pictures.isEmpty()) {
      minerva.waitForFrame();
      minerva.window->grabWindow().save(pictures + QStringLiteral("/unsaved.png"));
    }
    QTemporaryDir elsewhere;
    chat.exportRead(QUrl::fromLocalFile(elsewhere.path()));
    QTRY_VERIFY(chat.importNote().contains(QStringLiteral("Tell me of a fox")));
    QVERIFY(QFile::exists(elsewhere.filePath(QStringLiteral("Tell me of a fox.json"))));
    QVERIFY(QMetaObject::invokeMethod(question, "lossAccepted"));
    QTRY_VERIFY(!minerva.window->isVisible());
  }

  // Where two at a time would overwrite each other's conversations, a start waits in a small window.
  void aStartWaitsForTheEndOfAnotherThatDoesNotAnswer() {
    QTemporaryDir folder;
    QLockFile lock(folder.filePath(QStringLiteral("minerva.lock")));
    lock.setStaleLockTime(0);
    QVERIFY(lock.tryLock(0));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral(MINERVA_PROGRAM), oneReply(QStringLiteral("chat")) << QStringLiteral("--data-dir") << folder.path());
    QByteArray said;
    QTRY_VERIFY_WITH_TIMEOUT((said += process.readAll()).contains("waiting for its end"), patienceMs);
    QVERIFY2(!process.waitForFinished(3000), said.constData());
    lock.unlock();
    QVERIFY(process.waitForFinished(patienceMs));
    QVERIFY2(process.exitCode() == 0, (said += process.readAll()).constData());
  }

  void aPlaceOnAScreenThatHasGoneIsNotTaken() {
    MainWindow minerva;
    minerva.services->settings()->set_windowX(20000);
    minerva.services->settings()->set_windowY(20000);
    minerva.open(QString());
    QVERIFY(minerva.window->x() < 20000);
  }

  void aSizeOfAnotherScreenIsLimitedToThisOne() {
    MainWindow minerva;
    for (const int x : {20000, 10}) {
      minerva.services->settings()->set_windowX(x);
      minerva.services->settings()->set_windowY(10);
      minerva.services->settings()->set_windowWidth(9000);
      minerva.services->settings()->set_windowHeight(8000);
      minerva.open(QString());
      const QSize room = minerva.window->screen()->size();
      QVERIFY2(minerva.window->width() <= room.width() && minerva.window->height() <= room.height(), qPrintable(QString::number(x)));
    }
  }

  // Where the processor draws: a blink is a frame, and a frame takes a core from the model.
  void theCaretStandsStillWhileAReplyIsWritten() {
    const int usual = QGuiApplication::styleHints()->cursorFlashTime();
    QVERIFY(usual > 0);
    MainWindow minerva;
    QVERIFY(minerva.start(true));
    ChatController* chat = minerva.services->chat();
    QVERIFY(chat->send(QStringLiteral("Once upon a time")));
    QTRY_VERIFY(chat->isGenerating());
    QCOMPARE(QGuiApplication::styleHints()->cursorFlashTime(), 0);
    QTRY_VERIFY(!chat->isGenerating());
    QCOMPARE(QGuiApplication::styleHints()->cursorFlashTime(), usual);
  }
};

APP_TEST(StartTest, "start", QGuiApplication)
#include "tst_start.moc"
