// The program itself on a virtual display: a reply is streamed, frame times are measured, invalid files are handled.
#include "app_test.h"
#include "patience.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace {

constexpr double longestFrameMs = 50;
constexpr int attempts = 3;  // another program may disturb one attempt; a slow window is slow in all of them

struct WindowRun {
  int exitCode = -1;
  QByteArray output;
  QJsonObject log;
};

// xvfb-run's own exit code if it cannot remove its temporary folder, which happens with programs that end at once. It says
// nothing about the program.
constexpr int xvfbRunCouldNotCleanUp = 5;

WindowRun runMinerva(const QString& folder, QStringList arguments) {
  const QString log = folder + QStringLiteral("/frames.json");
  QFile::remove(log);
  arguments << QStringLiteral("--data-dir") << folder << QStringLiteral("--device") << QStringLiteral("cpu")
            << QStringLiteral("--frame-log") << log << QStringLiteral("--exit-after-reply");
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  WindowRun run;
  for (int attempt = 0; attempt < 5; ++attempt) {
    process.start(QStringLiteral("xvfb-run"), QStringList{QStringLiteral("-a"), QStringLiteral("-s"),
                                                          QStringLiteral("-screen 0 1280x800x24"), QStringLiteral(MINERVA_PROGRAM)} +
                                                  arguments);
    if (!process.waitForFinished(patienceMs)) {
      process.kill();
      process.waitForFinished();
    }
    run.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    if (run.exitCode != xvfbRunCouldNotCleanUp) break;
  }
  run.output = process.readAll();
  QFile file(log);
  if (file.open(QIODevice::ReadOnly)) run.log = QJsonDocument::fromJson(file.readAll()).object();
  return run;
}

}  // namespace

class WindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (QStandardPaths::findExecutable(QStringLiteral("xvfb-run")).isEmpty()) QSKIP("skipped: no xvfb-run on this machine");
  }

  void noFrameIsLateWhileStreaming() {
    double best = 1e9;
    for (int attempt = 0; attempt < attempts && best >= longestFrameMs; ++attempt) {
      QTemporaryDir folder;
      const WindowRun run = runMinerva(folder.path(), {QStringLiteral("--send"), QStringLiteral("Tell me a story about a bear.")});
      QVERIFY2(run.exitCode == 0, run.output.constData());
      QVERIFY(run.log[QStringLiteral("streaming_frames")].toInt() > 2);
      QVERIFY(run.log[QStringLiteral("reply")].toObject()[QStringLiteral("generated_tokens")].toInt() > 2);
      best = std::min(best, run.log[QStringLiteral("longest_ms")].toDouble());
    }
    QVERIFY2(best < longestFrameMs, qPrintable(QStringLiteral("the longest frame took %1 ms").arg(best)));
  }

  void theWindowSaysNothingOnTheConsoleAboutItself() {
    QTemporaryDir folder;
    const WindowRun run = runMinerva(folder.path(), {QStringLiteral("--send"), QStringLiteral("Hi")});
    QVERIFY2(run.exitCode == 0, run.output.constData());
    QVERIFY2(!run.output.contains("qrc:/"), run.output.constData());
  }

  void aFileThatIsNoModelIsSaidOnTheConsoleToo() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("broken.gguf"));
    QFile broken(file);
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("GGUF but not really");
    broken.close();
    const WindowRun run = runMinerva(folder.path(), {file, QStringLiteral("--send"), QStringLiteral("Hi")});
    QCOMPARE(run.exitCode, 1);
    QVERIFY2(run.output.contains("broken.gguf"), run.output.constData());
  }
};

APP_TEST(WindowTest, "window", QCoreApplication)
#include "tst_window.moc"
