// The terminal commands: names of models, what ask is given, folders, help, and what cannot be written or shown.
#include "app/library/draft_choice.h"
#include "app/library/model_library.h"
#include "app_test.h"
#include "command_run.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <unistd.h>

#include <algorithm>

using namespace minerva::app;

namespace {

const QString fullDisk = QStringLiteral("/dev/full");

QString latin(const char* words) { return QString::fromLatin1(words); }

// One line that says this, and the status.
void verifyRefused(const CommandRun& run, int exitCode, const QString& says) {
  QVERIFY2(run.exitCode == exitCode && run.errors.contains(says) && run.errors.count(QLatin1Char('\n')) == 1, qPrintable(run.errors));
}

// On the CPU, in a home folder of its own.
CommandRun ask(const QString& folder, const QStringList& arguments, const QByteArray& input = {}) {
  QProcessEnvironment environment;
  environment.insert(QStringLiteral("HOME"), folder);
  return started(
      QStringList{QStringLiteral("ask"), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--data-dir"), folder} +
          arguments,
      {}, input, environment);
}

}  // namespace

class TerminalTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void aPartOfANameIsEnoughIfOnlyOneModelHasIt() {
    const QString repository = m_folder->filePath(QStringLiteral("models/Org/Tiny"));
    QVERIFY(QDir().mkpath(repository));
    QVERIFY(QFile::copy(gguf, repository + QStringLiteral("/tiny-model-Q4_K_M.gguf")));
    const auto named = [this](const QString& name) {
      return ask(m_folder->path(), {QStringLiteral("Hello"), QStringLiteral("--model"), name});
    };
    for (const char* name : {"Org/Tiny:Q4_K_M", "org/tiny", "Tiny", "tiny:q4_k_m", "tiny-model-Q4_K_M.gguf", "tiny-model-Q4_K_M"})
      QVERIFY2(named(latin(name)).exitCode == 0, name);
    QVERIFY(QFile::copy(gguf, repository + QStringLiteral("/tiny-model-Q8_0.gguf")));
    const CommandRun several = named(QStringLiteral("tiny"));
    verifyRefused(several, 1, QStringLiteral("Org/Tiny:Q4_K_M, Org/Tiny:Q8_0"));
    QCOMPARE(named(QStringLiteral("tiny:q8_0")).exitCode, 0);
    verifyRefused(command({}, m_folder->path(), {QStringLiteral("remove"), QStringLiteral("tiny:q8_0")}), 1,
                  QStringLiteral("there is no model of that name"));
  }

  void modelsOfOtherProgramsAreListedAndNamed() {
    const QString place = m_folder->filePath(QStringLiteral(".lmstudio/models/org/Tiny-GGUF"));
    QVERIFY(QDir().mkpath(place));
    QVERIFY(QFile::copy(gguf, place + QStringLiteral("/tiny-Q4_K_M.gguf")));
    const CommandRun listed = command({}, m_folder->path(), {QStringLiteral("list")});
    static const QRegularExpression line(QStringLiteral("^tiny-Q4_K_M +GGUF .* from LM Studio$"), QRegularExpression::MultilineOption);
    QVERIFY2(listed.output.contains(line), qPrintable(listed.output + listed.errors));
    const QJsonArray models =
        QJsonDocument::fromJson(command({}, m_folder->path(), {QStringLiteral("list"), QStringLiteral("--json")}).output.toUtf8()).array();
    const auto model = std::find_if(models.begin(), models.end(),
                                    [](const auto& one) { return one[QStringLiteral("name")].toString() == latin("tiny-Q4_K_M"); });
    QVERIFY(model != models.end());
    QCOMPARE((*model)[QStringLiteral("origin")].toString(), QStringLiteral("LM Studio"));
    QCOMPARE((*model)[QStringLiteral("bytes")].toInteger(), QFileInfo(gguf).size());
    const CommandRun asked = ask(m_folder->path(), {QStringLiteral("Hello"), QStringLiteral("--model"), QStringLiteral("tiny-q4_k_m")});
    QVERIFY2(asked.exitCode == 0, qPrintable(asked.errors));
    verifyRefused(command({}, m_folder->path(), {QStringLiteral("remove"), QStringLiteral("tiny-Q4_K_M")}), 1, QStringLiteral("LM Studio"));
    QVERIFY(QFile::exists(place + QStringLiteral("/tiny-Q4_K_M.gguf")));
    leaveOutOthers(m_folder->path());
    QCOMPARE(command({}, m_folder->path(), {QStringLiteral("list")}).output, QString());
  }

  // A text that is longer than the context tells that it was read.
  void askReadsStandardInput() {
    const auto refusal = [this](const QStringList& arguments, const QByteArray& input) {
      return ask(m_folder->path(), arguments, input).errors;
    };
    const QByteArray longText = QByteArray("many words ").repeated(4000);
    const QString tooLong = QStringLiteral("longer than the context");
    const QString hello = QStringLiteral("Hello");
    QVERIFY(refusal({}, longText).contains(tooLong));
    QVERIFY(refusal({QStringLiteral("-")}, longText).contains(tooLong));
    QVERIFY(refusal({hello}, longText).contains(tooLong));
    QVERIFY(!refusal({hello}, "\n").contains(tooLong));
    verifyRefused(ask(m_folder->path(), {}, "\n"), 2, QStringLiteral("usage"));
    verifyRefused(ask(m_folder->path(), {hello}, "\xff\xfe"), 1, QStringLiteral("UTF-8"));
  }

  void aPromptIsAskedInEachSpelling_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("-p") << QStringList{QStringLiteral("-p"), QStringLiteral("Hello")};
    QTest::newRow("-pTEXT") << QStringList{QStringLiteral("-pHello")};
    QTest::newRow("--prompt") << QStringList{QStringLiteral("--prompt"), QStringLiteral("Hello")};
    QTest::newRow("--prompt=") << QStringList{QStringLiteral("--prompt=Hello")};
  }
  void aPromptIsAskedInEachSpelling() {
    QFETCH(QStringList, arguments);
    verifyRefused(command({}, m_folder->path(), arguments + QStringList{QStringLiteral("--model"), QStringLiteral("absent")}), 1,
                  QStringLiteral("there is no model of that name"));
  }

  void askLoadsAsTheWindowDoesAndSaysItsWarnings() {
    const QString gone = m_folder->filePath(QStringLiteral("gone.gguf"));
    Settings settings(m_folder->filePath(QStringLiteral("settings.ini")));
    settings.set_contextLength(64);
    ModelLibrary library(nullptr, m_folder->filePath(QStringLiteral("models.ini")), builtIn);
    DraftChoice choice(&settings, &library);
    choice.setModel(library.index(0).data(ModelLibrary::PathRole).toString());
    choice.choose(gone);
    QVERIFY(settings.save().has_value());
    const CommandRun run = ask(m_folder->path(), {QStringLiteral("Hello"), QStringLiteral("--model"), builtIn});
    QVERIFY2(run.exitCode == 0 && run.errors.contains(QLatin1String("gone.gguf")), qPrintable(run.errors));
    QVERIFY2(!run.errors.contains(QLatin1String("loading")), "a pipe gets no progress");
    verifyRefused(ask(m_folder->path(), {QStringLiteral("Hello"), QStringLiteral("--device"), QStringLiteral("abacus")}), 1,
                  QStringLiteral("abacus"));
    verifyRefused(ask(m_folder->path(), {QStringLiteral("Hello ").repeated(64), QStringLiteral("--model"), gguf}), 1,
                  QStringLiteral("longer than the context"));
  }

  void aFolderThatCannotBeListedIsAnError() {
    const QString absent = m_folder->filePath(QStringLiteral("absent")), file = m_folder->filePath(QStringLiteral("file")),
                  closed = m_folder->filePath(QStringLiteral("closed"));
    QVERIFY(QFile(file).open(QIODevice::WriteOnly) && QDir().mkpath(closed));
    leaveOutOthers(m_folder->path());
    const auto list = [this](const QString& folder) {
      return command({}, m_folder->path(), {QStringLiteral("list"), QStringLiteral("--json"), QStringLiteral("--models"), folder});
    };
    verifyRefused(list(absent), 1, absent);
    verifyRefused(list(file), 1, file);
    QCOMPARE(list(closed).exitCode, 0);
    QVERIFY(QFile::setPermissions(closed, QFile::Permissions()));
    if (geteuid() != 0) verifyRefused(list(closed), 1, closed);
    QVERIFY(QFile::setPermissions(closed, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const CommandRun usual = command({}, m_folder->path(), {QStringLiteral("list"), QStringLiteral("--json")});
    QVERIFY2(usual.exitCode == 0 && usual.output.trimmed() == QLatin1String("[\n]"), qPrintable(usual.output));
  }

  // As a service has none.
  void withoutHomeTheAccountsFolderIsTaken() {
    QProcessEnvironment environment;
    environment.insert(QStringLiteral("XDG_DATA_HOME"), QStringLiteral("relative"));
    const CommandRun run = started({QStringLiteral("list")}, {}, {}, environment);
    const QString said = run.errors + run.output;
    QVERIFY2(!said.contains(QLatin1String("relative")) && !said.contains(QLatin1String(" //")), qPrintable(said));
    QVERIFY(!QFile::exists(QStringLiteral("relative")));
    environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder->path());
    const CommandRun absolute = started({QStringLiteral("list")}, {}, {}, environment);
    QVERIFY2(absolute.errors.contains(m_folder->path()) || !absolute.output.isEmpty(), qPrintable(absolute.errors));
  }

  void aFullDiskEndsAskAndServe() {
    if (!QFile::exists(fullDisk)) QSKIP("skipped: no /dev/full here");
    const QStringList data{QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--data-dir"), m_folder->path()};
    for (const QStringList& words : {QStringList{QStringLiteral("ask"), QStringLiteral("Hello")},
                                     QStringList{QStringLiteral("serve"), builtIn, QStringLiteral("--port"), QStringLiteral("0")}}) {
      const CommandRun run = started(words + data, fullDisk);
      QCOMPARE(run.exitCode, 1);
      QVERIFY2(run.errors.contains(QLatin1String("No space left on device")) && !run.errors.contains(QLatin1String("tok/s")),
               qPrintable(run.errors));
    }
  }

  void aDisplayThatCannotBeOpenedIsOneLine() {
    QProcessEnvironment environment;
    environment.insert(QStringLiteral("HOME"), m_folder->path());
    environment.insert(QStringLiteral("DISPLAY"), QStringLiteral(":987"));
    verifyRefused(started({QStringLiteral("--data-dir"), m_folder->path()}, {}, {}, environment), 1, QStringLiteral(":987"));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    verifyRefused(started({QStringLiteral("--nonsense")}, {}, {}, environment), 2, QStringLiteral("nonsense"));
  }

  void helpNamesTheProgramWithoutItsPath() {
    for (const char* name : {"ask", "get", "list", "remove", "serve"}) {
      const CommandRun run = started({latin(name), QStringLiteral("--help")});
      QVERIFY2(run.output.startsWith(QStringLiteral("Usage: minerva [options] %1").arg(latin(name))), qPrintable(run.output));
      QVERIFY2(!run.output.contains(QRegularExpression(QStringLiteral("^ {2}\\S+ *$"), QRegularExpression::MultilineOption)),
               qPrintable(run.output));  // a word without its meaning
    }
    QVERIFY(started({QStringLiteral("--help")}).output.startsWith(QLatin1String("Usage: minerva [options] [MODEL]")));
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

APP_TEST(TerminalTest, "terminal", QCoreApplication)
#include "tst_terminal.moc"
