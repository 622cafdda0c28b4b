// One instance per data folder; the contents of the About sheet.
#include "app/shell/about.h"
#include "app/shell/log.h"
#include "app/shell/single_instance.h"
#include "app_test.h"
#include "patience.h"

#include <QProcess>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <sstream>

using namespace minerva::app;

namespace {

// The child process of the tests: claims the folder and stays alive, or hands a path over.
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
    second.start(QCoreApplication::applicationFilePath(),
                 {QStringLiteral("shell"), QStringLiteral("--child"), folder.path(), QStringLiteral("/models/ü b.gguf")});
    QVERIFY(asked.wait(10000));
    QCOMPARE(asked[0][0].toString(), QStringLiteral("/models/ü b.gguf"));
    QTRY_COMPARE(second.state(), QProcess::NotRunning);
    QCOMPARE(second.exitCode(), 10);
  }

  void aKilledInstanceIsReplaced() {
    QTemporaryDir folder;
    QProcess first;
    first.start(QCoreApplication::applicationFilePath(), {QStringLiteral("shell"), QStringLiteral("--child"), folder.path()});
    QVERIFY(first.waitForReadyRead(10000));
    QCOMPARE(first.readAllStandardOutput().trimmed(), QByteArray("first"));
    SingleInstance second(folder.path());
    QVERIFY(!second.claim());
    ::kill(static_cast<pid_t>(first.processId()), SIGKILL);
    QVERIFY(first.waitForFinished());
    QVERIFY(second.claim());
  }

  void aLockOfAnotherComputerIsNoInstance() {
    QTemporaryDir folder;
    QFile lock(folder.filePath(QStringLiteral("minerva.lock")));
    QVERIFY(lock.open(QIODevice::WriteOnly));  // as QLockFile writes it, by a process with a number that lives here too
    lock.write(QByteArray::number(QCoreApplication::applicationPid()) +
               "\nminerva\nanother-computer\n5b1f8d3c-0000-4000-8000-000000000001\nc0000000-0000-4000-8000-000000000002\n");
    lock.close();
    SingleInstance instance(folder.path());
    QVERIFY(instance.claim());
    SingleInstance second(folder.path());
    QVERIFY(!second.claim());
    QCOMPARE(second.holder(), QCoreApplication::applicationPid());
  }

  // A name from a file must not control the terminal that shows the log, nor add a line to the log.
  void theLogHasNoControlCharacters() {
    std::ostringstream shown;
    spdlog::logger log("", std::make_shared<spdlog::sinks::ostream_sink_st>(shown));
    log.set_formatter(printableLogFormatter());
    log.info("loaded \033]0;x\007 a\nb ü");
    const std::string line = shown.str();
    QVERIFY2(line.ends_with("[info] loaded \xEF\xBF\xBD]0;x\xEF\xBF\xBD a\xEF\xBF\xBD"
                            "b ü\n"),
             line.c_str());
  }

  void otherFoldersAreOtherInstances() {
    QTemporaryDir a, b;
    SingleInstance first(a.path()), second(b.path());
    QVERIFY(first.claim());
    QVERIFY(second.claim());
  }

  void everyLibraryThatIsLinkedOrInsideSaysItsVersion() {
    const QVariantList libraries = About::libraries();
    QVERIFY(libraries.size() >= 15);
    QStringList without;
    for (const QVariant& value : libraries) {
      const QVariantMap row = value.toMap();
      const QString name = row.value(QStringLiteral("name")).toString();
      for (const char* key : {"license", "copyright", "purpose", "address"})
        QVERIFY2(!row.value(QLatin1String(key)).toString().isEmpty(), qPrintable(name + QLatin1Char(' ') + QLatin1String(key)));
      if (row.value(QStringLiteral("use")).toString() != QLatin1String("run") &&
          !QRegularExpression(QStringLiteral("^[0-9]+\\.[0-9.]+")).match(row.value(QStringLiteral("version")).toString()).hasMatch())
        without << name;
    }
    // Qt's libraries load these from the system and do not report their versions.
    QCOMPARE(without, QStringList({QStringLiteral("Mesa and libglvnd"), QStringLiteral("libxkbcommon")}));
    QCOMPARE(libraries.first().toMap().value(QStringLiteral("version")).toString(), QString::fromLatin1(qVersion()));
  }

  void theLicencesOfQtAreInTheProgram() {
    QVERIFY(About::licenseText(QStringLiteral("LGPL-3")).contains(QStringLiteral("GNU LESSER GENERAL PUBLIC LICENSE")));
    QVERIFY(About::licenseText(QStringLiteral("GPL-3")).contains(QStringLiteral("GNU GENERAL PUBLIC LICENSE")));
    QVERIFY(About::licenseText(QStringLiteral("../katex/katex.min.js")).isEmpty());
  }
};

namespace {

int runShellTest(int argc, char** argv) {
  if (argc >= 3 && QByteArray(argv[1]) == "--child") return child(argc, argv);
  return runAppTest<ShellTest, QCoreApplication>(argc, argv);
}

}  // namespace

APP_TEST_WITH_MAIN(ShellTest, "shell", runShellTest)
#include "tst_shell.moc"
