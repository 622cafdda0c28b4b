// One instance a data folder.
#include "app/shell/single_instance.h"

#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>

using namespace minerva::app;

namespace {

// The child of the tests: claims the folder and lives, or hands a path over.
int child(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  SingleInstance instance(QString::fromLocal8Bit(argv[2]));
  const bool first = instance.claim();
  if (!first && argc > 3) return instance.handOver(QString::fromUtf8(argv[3])) ? 10 : 11;
  std::puts(first ? "first" : "second");
  std::fflush(stdout);
  return first ? QCoreApplication::exec() : 12;
}

}  // namespace

class ShellTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aSecondStartHandsItsFileToTheFirst() {
    QTemporaryDir folder;
    SingleInstance first(folder.path());
    QVERIFY(first.claim());
    QSignalSpy asked(&first, &SingleInstance::asked);
    QProcess second;
    second.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--child"), folder.path(), QStringLiteral("/models/ü b.gguf")});
    QVERIFY(asked.wait(10000));
    QCOMPARE(asked[0][0].toString(), QStringLiteral("/models/ü b.gguf"));
    QTRY_COMPARE(second.state(), QProcess::NotRunning);
    QCOMPARE(second.exitCode(), 10);
  }

  void aKilledInstanceIsReplaced() {
    QTemporaryDir folder;
    QProcess first;
    first.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--child"), folder.path()});
    QVERIFY(first.waitForReadyRead(10000));
    QCOMPARE(first.readAllStandardOutput().trimmed(), QByteArray("first"));
    SingleInstance second(folder.path());
    QVERIFY(!second.claim());
    ::kill(static_cast<pid_t>(first.processId()), SIGKILL);
    QVERIFY(first.waitForFinished());
    QVERIFY(second.claim());
  }

  void otherFoldersAreOtherInstances() {
    QTemporaryDir a, b;
    SingleInstance first(a.path()), second(b.path());
    QVERIFY(first.claim());
    QVERIFY(second.claim());
  }
};

int main(int argc, char** argv) {
  if (argc >= 3 && QByteArray(argv[1]) == "--child") return child(argc, argv);
  QCoreApplication application(argc, argv);
  ShellTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_shell.moc"
