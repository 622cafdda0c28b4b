// The terminal commands of `minerva` as processes, against a hub on the loopback interface. No display.
#include "app_test.h"
#include "command_run.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

using namespace minerva::app;

namespace {

QJsonObject local(const QString& path) {
  return {{QStringLiteral("path"), path}, {QStringLiteral("lfs"), QFileInfo(path).size() > 100'000}};
}

QJsonObject localFolder(const QString& path) {
  QJsonObject files;
  for (const QFileInfo& file : QDir(path).entryInfoList(QDir::Files)) files[file.fileName()] = local(file.filePath());
  return files;
}

}  // namespace

class CommandsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void aModelIsGotListedAndRemoved() {
    const FakeHub hub({{QStringLiteral("q-llama-Q4_K_M.gguf"), local(gguf)}});
    QTemporaryDir folder;
    leaveOutOthers(folder.path());
    const CommandRun got = command(hub.access(), folder.path(), {QStringLiteral("get"), QStringLiteral("org/model:q4_k_m")});
    QVERIFY2(got.exitCode == 0, qPrintable(got.errors));
    const QString path = folder.filePath(QStringLiteral("models/org/model/q-llama-Q4_K_M.gguf"));
    QCOMPARE(got.output, path + QLatin1Char('\n'));
    QFile original(gguf), copy(path);
    QVERIFY(original.open(QIODevice::ReadOnly) && copy.open(QIODevice::ReadOnly));
    QVERIFY(original.readAll() == copy.readAll());
    QVERIFY2(got.errors.contains(QLatin1String("llama")) && got.errors.contains(QLatin1String("verified")), qPrintable(got.errors));
    QVERIFY2(!got.errors.contains(QLatin1Char('\r')), "a pipe gets lines");

    const CommandRun listed = command(hub.access(), folder.path(), {QStringLiteral("list"), QStringLiteral("--json")});
    QCOMPARE(listed.exitCode, 0);
    const QJsonArray models = QJsonDocument::fromJson(listed.output.toUtf8()).array();
    QCOMPARE(models.size(), 1);
    QCOMPARE(models[0][QStringLiteral("name")].toString(), QStringLiteral("org/model:Q4_K_M"));
    QCOMPARE(models[0][QStringLiteral("path")].toString(), path);
    QVERIFY(models[0][QStringLiteral("complete")].toBool());

    QCOMPARE(command(hub.access(), folder.path(), {QStringLiteral("remove"), QStringLiteral("org/model:Q4_0")}).exitCode, 1);
    QVERIFY(QFile::exists(path));
    QCOMPARE(command(hub.access(), folder.path(), {QStringLiteral("remove"), QStringLiteral("org/model:Q4_K_M")}).exitCode, 0);
    QVERIFY(QDir(folder.filePath(QStringLiteral("models"))).isEmpty());
  }

  void aFolderIsGotWholeIntoTheFolderOfOnesChoice() {
    const FakeHub hub(localFolder(builtIn));
    QTemporaryDir folder, models;
    const CommandRun got = command(hub.access(), folder.path(),
                                   {QStringLiteral("get"), QStringLiteral("org/model"), QStringLiteral("--models"), models.path()});
    QVERIFY2(got.exitCode == 0, qPrintable(got.errors));
    QCOMPARE(got.output.trimmed(), models.filePath(QStringLiteral("org/model")));
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}) {
      QFile original(builtIn + QLatin1Char('/') + QString::fromLatin1(name)),
          copy(got.output.trimmed() + QLatin1Char('/') + QString::fromLatin1(name));
      QVERIFY2(original.open(QIODevice::ReadOnly) && copy.open(QIODevice::ReadOnly), name);
      QVERIFY2(original.readAll() == copy.readAll(), name);
    }
  }

  void whatCannotRunIsSaidBeforeItIsFetched() {
    QTemporaryDir folder, strange;
    for (const QFileInfo& file : QDir(builtIn).entryInfoList(QDir::Files))
      QVERIFY(QFile::copy(file.filePath(), strange.filePath(file.fileName())));
    QFile config(strange.filePath(QStringLiteral("config.json")));
    QVERIFY(config.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && config.open(QIODevice::ReadWrite));
    QByteArray text = config.readAll();
    text.replace("\"model_type\": \"llama\"", "\"model_type\": \"unheard-of\"").replace("LlamaForCausalLM", "UnheardOfForCausalLM");
    QVERIFY(config.resize(0) && config.write(text) > 0);
    config.close();
    const FakeHub hub(localFolder(strange.path()));
    const CommandRun got = command(hub.access(), folder.path(), {QStringLiteral("get"), QStringLiteral("org/model")});
    QCOMPARE(got.exitCode, 1);
    QVERIFY2(got.errors.contains(QLatin1String("unheard-of")) && got.errors.contains(QLatin1String("--anyway")), qPrintable(got.errors));
    const double sent = hub.file(QStringLiteral("model.safetensors"))[QStringLiteral("sent")].toDouble();
    QVERIFY2(sent > 0 && sent <= 256 * 1024, qPrintable(QString::number(sent)));
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("models/org"))));
  }

  void aNameDoesNotSteerTheTerminal() {
    const QString name = QStringLiteral("a\u009b2J\u001b[31mb");
    QTemporaryDir folder;
    QVERIFY(QDir().mkpath(folder.filePath(QStringLiteral("models"))));
    QVERIFY(QFile::copy(gguf, folder.filePath(QStringLiteral("models/")) + name + QStringLiteral(".gguf")));
    for (const QStringList& arguments : {QStringList{QStringLiteral("list")}, QStringList{QStringLiteral("remove"), name}}) {
      const CommandRun run = command({}, folder.path(), arguments);
      QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
      const QString printed = run.output + run.errors;
      QVERIFY(printed.contains(QLatin1String("31mb")) && !printed.contains(QChar(0x9b)) && !printed.contains(QChar(0x1b)));
    }
  }

  void wrongUsageAndWrongNamesAreTold() {
    const FakeHub hub({{QStringLiteral("q-llama-Q4_K_M.gguf"), local(gguf)}});
    QTemporaryDir folder;
    QCOMPARE(command(hub.access(), folder.path(), {QStringLiteral("get")}).exitCode, 2);
    QCOMPARE(command(hub.access(), folder.path(), {QStringLiteral("get"), QStringLiteral("nonsense")}).exitCode, 2);
    QCOMPARE(command(hub.access(), folder.path(), {QStringLiteral("list"), QStringLiteral("--nonsense")}).exitCode, 2);
    const CommandRun misspelt = command(hub.access(), folder.path(), {QStringLiteral("get"), QStringLiteral("org/mdoel")});
    QCOMPARE(misspelt.exitCode, 1);
    QVERIFY2(misspelt.errors.startsWith(QLatin1String("minerva: there is no such model")) && misspelt.errors.count(QLatin1Char('\n')) == 1,
             qPrintable(misspelt.errors));
    const CommandRun choice = command(hub.access(), folder.path(), {QStringLiteral("get"), QStringLiteral("org/model:Q2_K")});
    QCOMPARE(choice.exitCode, 1);
    QVERIFY2(choice.errors.contains(QLatin1String("Q4_K_M")), qPrintable(choice.errors));
  }

  void helpIsGivenBeforeAnythingIsDone() {
    QTemporaryDir folder;
    keepOne(folder.path());
    for (const char* word : {"--help-all", "--help", "-h"}) {
      const CommandRun run = command({}, folder.path(), {QStringLiteral("remove"), QStringLiteral("tiny"), QString::fromLatin1(word)});
      QVERIFY2(run.exitCode == 0 && run.output.startsWith(QLatin1String("Usage:")), qPrintable(run.errors));
      QVERIFY(QFile::exists(folder.filePath(QStringLiteral("models/tiny.gguf"))));
    }
  }

  void optionsMayComeBeforeTheCommand() {
    QTemporaryDir folder;
    keepOne(folder.path());
    const QString place = QStringLiteral("--data-dir");
    const CommandRun listed = started({place, folder.path(), QStringLiteral("list")});
    QVERIFY2(listed.exitCode == 0 && listed.output.startsWith(QLatin1String("tiny")), qPrintable(listed.errors));
    const CommandRun asked = started({QStringLiteral("--device"), QStringLiteral("cpu"), place, folder.path(), QStringLiteral("--model"),
                                      QStringLiteral("absent"), QStringLiteral("-p"), QStringLiteral("Hello")});
    QCOMPARE(asked.exitCode, 1);
    QVERIFY2(asked.errors.contains(QLatin1String("absent")) && asked.errors.contains(QLatin1String("tiny")), qPrintable(asked.errors));
  }

  void wrongUsageOfTheWindowIsTwo_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("option") << QStringList{QStringLiteral("--nonsense")} << QStringLiteral("nonsense");
    QTest::newRow("two models") << QStringList{QStringLiteral("/a.gguf"), QStringLiteral("/b.gguf")} << QStringLiteral("/b.gguf");
    QTest::newRow("misspelt") << QStringList{QStringLiteral("lst")} << QStringLiteral("ask, get, list, remove, serve");
    QTest::newRow("of others") << QStringList{QStringLiteral("pull"), QStringLiteral("org/model")} << QStringLiteral("minerva get");
    QTest::newRow("rm") << QStringList{QStringLiteral("rm"), QStringLiteral("a"), QStringLiteral("b")} << QStringLiteral("minerva remove");
    QTest::newRow("help") << QStringList{QStringLiteral("help")} << QStringLiteral("minerva --help");
    QTest::newRow("not of ask") << QStringList{QStringLiteral("--theme"), QStringLiteral("dark"), QStringLiteral("-p"),
                                               QStringLiteral("Hello")}
                                << QStringLiteral("minerva ask --help");
    QTest::newRow("not its own") << QStringList{QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("list")}
                                 << QStringLiteral("minerva list --help");
    QTest::newRow("time") << QStringList{QStringLiteral("--grab-after"), QStringLiteral("soon")} << QStringLiteral("soon");
    QTest::newRow("limit") << QStringList{QStringLiteral("get"), QStringLiteral("org/model"), QStringLiteral("--limit"),
                                          QStringLiteral("abc")}
                           << QStringLiteral("abc");
  }

  void wrongUsageOfTheWindowIsTwo() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    const QTemporaryDir folder;
    const CommandRun run = started(QStringList{QStringLiteral("--data-dir"), folder.path()} + arguments);
    QVERIFY2(run.exitCode == 2 && run.errors.contains(says) && run.errors.count(QLatin1Char('\n')) == 1, qPrintable(run.errors));
  }

  void whatCannotBeWrittenIsNoSuccess() {
    if (!QFile::exists(QStringLiteral("/dev/full"))) QSKIP("skipped: no /dev/full here");
    QTemporaryDir folder;
    keepOne(folder.path());
    const QStringList list{QStringLiteral("list"), QStringLiteral("--data-dir"), folder.path()};
    for (const QStringList& words : {list, list + QStringList{QStringLiteral("--json")}, list + QStringList{QStringLiteral("--help")}}) {
      const CommandRun run = started(words, QStringLiteral("/dev/full"));
      QVERIFY2(run.exitCode == 1 && run.errors.startsWith(QLatin1String("minerva: the output could not be written")),
               qPrintable(run.errors));
    }
  }

  // Templates, reports and SVG are made with printf.
  void aDecimalPointIsOneInEveryLocale() {
    QTemporaryDir folder;
    QProcess made;
    made.start(QStringLiteral("localedef"), {QStringLiteral("-i"), QStringLiteral("de_DE"), QStringLiteral("-f"), QStringLiteral("UTF-8"),
                                             folder.filePath(QStringLiteral("de_DE.UTF-8"))});
    made.waitForFinished(60000);
    if (!QFile::exists(folder.filePath(QStringLiteral("de_DE.UTF-8/LC_NUMERIC"))))
      QSKIP("skipped: localedef or its German sources are missing (packages libc-bin and locales)");
    QProcessEnvironment german;
    german.insert(QStringLiteral("LOCPATH"), folder.path());
    german.insert(QStringLiteral("LC_ALL"), QStringLiteral("de_DE.UTF-8"));
    const CommandRun run = command(
        {}, folder.path(), {QStringLiteral("ask"), QStringLiteral("Hello"), QStringLiteral("--device"), QStringLiteral("cpu")}, german);
    QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
    QVERIFY2(run.errors.contains(QRegularExpression(QStringLiteral("[0-9][.][0-9] tok/s"))), qPrintable(run.errors));
  }

  void aDeadAddressIsSaidSoonWithTheNextAttempt() {
    QTemporaryDir folder;
    QProcess process;
    QProcessEnvironment environment;
    environment.insert(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    environment.insert(QStringLiteral("HF_ENDPOINT"), QStringLiteral("http://127.0.0.1:9"));
    environment.insert(QStringLiteral("HF_HOME"), folder.path());
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(MINERVA_PROGRAM),
                  {QStringLiteral("get"), QStringLiteral("org/model"), QStringLiteral("--data-dir"), folder.path()});
    process.setReadChannel(QProcess::StandardError);
    QVERIFY(process.waitForReadyRead(10000));  // program start is slow here; the waiting time itself is tested in tst_hub
    const QString said = QString::fromUtf8(process.readLine());
    process.kill();
    process.waitForFinished();
    QVERIFY2(said.contains(QLatin1String("refused; next attempt in ")), qPrintable(said));
  }
};

APP_TEST(CommandsTest, "commands", QCoreApplication)
#include "tst_commands.moc"
