// How the program starts: it asks no network for anything, and comes back as it was left.
#include "main_window.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QStyleHints>
#include <QTcpServer>

using namespace minerva::app;

namespace {

struct Start {
  int exitCode = -1;
  QByteArray said, requests;
};

// Starts the program on a new data folder, lets it answer once and end. With a hub that would notice any visit.
Start startOnce(const QStringList& before, int hubPort) {
  QTemporaryDir folder;
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  environment.insert(QStringLiteral("HF_ENDPOINT"), QStringLiteral("http://127.0.0.1:%1").arg(hubPort));
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  QStringList arguments = before;
  arguments << QStringLiteral(MINERVA_PROGRAM) << QStringLiteral("--data-dir") << folder.path() << QStringLiteral("--device")
            << QStringLiteral("cpu") << QStringLiteral("--prompt") << QStringLiteral("Who are you?")
            << QStringLiteral("--exit-after-reply");
  const QString program = arguments.takeFirst();
  process.start(program, arguments);
  Start start;
  // The event loop runs meanwhile: the hub would answer.
  if (!QTest::qWaitFor([&process] { return process.state() == QProcess::NotRunning; }, 60000)) process.kill();
  process.waitForFinished();
  start.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  start.said = process.readAll();
  QFile log(folder.filePath(QStringLiteral("requests.log")));
  if (log.open(QIODevice::ReadOnly)) start.requests = log.readAll();
  return start;
}

}  // namespace

class StartTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aStartAndAReplyMakeNoRequest() {
    QTcpServer hub;
    QVERIFY(hub.listen(QHostAddress::LocalHost));
    int visits = 0;
    connect(&hub, &QTcpServer::newConnection, this, [&visits] { ++visits; });
    const Start start = startOnce({}, hub.serverPort());
    QVERIFY2(start.exitCode == 0, start.said.constData());
    QCOMPARE(visits, 0);
    QCOMPARE(start.requests, QByteArray());
  }

  void itStartsWhereThereIsNoNetworkAtAll() {
    QProcess probe;
    probe.start(QStringLiteral("unshare"), {QStringLiteral("-rn"), QStringLiteral("true")});
    if (!probe.waitForFinished(5000) || probe.exitCode() != 0) QSKIP("skipped: no network namespaces here");
    const Start start = startOnce({QStringLiteral("unshare"), QStringLiteral("-rn")}, 9);
    QVERIFY2(start.exitCode == 0, start.said.constData());
    QCOMPARE(start.requests, QByteArray());
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

  void theWindowComesBackAsItWasLeft() {
    MainWindow minerva(QString(), QSize(1000, 700));
    QCOMPARE(minerva.page(), QStringLiteral("chat"));
    QVERIFY(minerva.start());
    minerva.window->setPosition(37, 41);
    minerva.show(QStringLiteral("settings"));
    QTest::qWait(50);
    QVERIFY(minerva.window->close());
    minerva.open(QString());
    QVERIFY(minerva.window != nullptr);
    QCOMPARE(minerva.page(), QStringLiteral("settings"));
    QCOMPARE(minerva.window->size(), QSize(1000, 700));
    QCOMPARE(minerva.window->position(), QPoint(37, 41));

    minerva.window->showMaximized();
    QTRY_COMPARE(minerva.window->visibility(), QWindow::Maximized);
    QVERIFY(minerva.window->close());
    minerva.open(QString());
    QCOMPARE(minerva.window->visibility(), QWindow::Maximized);
    QCOMPARE(minerva.services->settings()->windowWidth(), 1000);
  }

  void aPlaceOnAScreenThatHasGoneIsNotTaken() {
    MainWindow minerva;
    minerva.services->settings()->set_windowX(20000);
    minerva.services->settings()->set_windowY(20000);
    minerva.open(QString());
    QVERIFY(minerva.window->x() < 20000);
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
    QTRY_VERIFY_WITH_TIMEOUT(!chat->isGenerating(), 60000);
    QCOMPARE(QGuiApplication::styleHints()->cursorFlashTime(), usual);
  }
};

QTEST_MAIN(StartTest)
#include "tst_start.moc"
