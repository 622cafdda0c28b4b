// `minerva serve` as a process.
#include "app/library/draft_choice.h"
#include "app/library/model_library.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "sample_models.h"
#include "serve_client.h"

#include <QDir>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QUrl>

#include <csignal>
#include <optional>

using namespace minerva::app;

class ServeCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder.emplace();
    Settings settings(m_folder->filePath(QStringLiteral("settings.ini")));
    settings.set_otherApps(false);
  }

  void theCommandServesUntilItIsTerminated_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("signal");
    QTest::newRow("a path") << gguf << SIGTERM;
    QTest::newRow("a name of minerva list") << QStringLiteral("Q-llama") << SIGINT;
    QTest::newRow("the built-in model") << QString() << SIGTERM;
  }
  void theCommandServesUntilItIsTerminated() {
    QFETCH(QString, model);
    QFETCH(int, signal);
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
    QVERIFY(QFile::copy(gguf, m_folder->filePath(QStringLiteral("models/q-llama.gguf"))));
    QProcess process;
    QStringList arguments{QStringLiteral("serve")};
    if (!model.isEmpty()) arguments << model;
    process.start(QStringLiteral(MINERVA_PROGRAM), arguments << QStringLiteral("--port") << QStringLiteral("0")
                                                             << QStringLiteral("--device") << QStringLiteral("cpu")
                                                             << QStringLiteral("--data-dir") << m_folder->path());
    QVERIFY(QTest::qWaitFor([&] { return process.canReadLine(); }, patienceMs));
    const QString line = QString::fromUtf8(process.readLine()).trimmed();
    QVERIFY2(line.startsWith(QLatin1String("listening on http://127.0.0.1:")), qPrintable(line));
    Client client(QUrl(line.mid(13)).port(), "POST", "/v1/completions", R"({"prompt": "Once", "max_tokens": 4, "ignore_eos": true})");
    QVERIFY(client.waitForEnd());
    QCOMPARE(client.status(), 200);
    QCOMPARE(client.json()[QLatin1String("usage")][QLatin1String("completion_tokens")].toInt(), 4);
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    QVERIFY(process.waitForFinished(patienceMs));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
  }

  void theCommandTakesTheWindowsDraftModel() {
    const QString own = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/draft/in-the-box-q8_0.gguf"),
                  gone = m_folder->filePath(QStringLiteral("gone.gguf"));
    const QString name = QStringLiteral("draft model "), none = QStringLiteral("no draft model\n");
    const auto says = [this](const QStringList& options) {
      QProcess process;
      process.start(QStringLiteral(MINERVA_PROGRAM),
                    QStringList{QStringLiteral("serve"), builtIn, QStringLiteral("--port"), QStringLiteral("0"), QStringLiteral("--device"),
                                QStringLiteral("cpu"), QStringLiteral("--data-dir"), m_folder->path()} +
                        options);
      if (!QTest::qWaitFor([&] { return process.canReadLine() || process.state() == QProcess::NotRunning; }, patienceMs)) return QString();
      ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
      process.waitForFinished(patienceMs);
      return QString::fromUtf8(process.readAllStandardError());
    };
    const auto choose = [this](const QString& model, const QString& draft, bool drafts) {
      Settings settings(m_folder->filePath(QStringLiteral("settings.ini")));
      settings.set_drafts(drafts);
      ModelLibrary library(nullptr, m_folder->filePath(QStringLiteral("models.ini")), model);
      DraftChoice choice(&settings, &library);
      choice.setModel(library.index(0).data(ModelLibrary::PathRole).toString());
      choice.choose(draft);
    };
    QString words = says({});
    QVERIFY2(words.contains(none), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("4 replies at once in the memory of 1 whole context\n")), qPrintable(words));
    choose(builtIn, own, true);
    words = says({QStringLiteral("--parallel"), QStringLiteral("5")});
    QVERIFY2(words.contains(name) && !words.contains(none), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("5 replies at once in the memory of 2 whole contexts\n")), qPrintable(words));
    words = says({QStringLiteral("--draft"), QStringLiteral("none"), QStringLiteral("--contexts"), QStringLiteral("3")});
    QVERIFY2(words.contains(none), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("4 replies at once in the memory of 3 whole contexts\n")), qPrintable(words));
    choose(builtIn, own, false);
    words = says({});
    QVERIFY2(words.contains(QStringLiteral("no draft model: drafts are turned off")), qPrintable(words));
    choose(builtIn, gone, true);
    words = says({});
    QVERIFY2(words.contains(QStringLiteral("Replies are written without the draft model: ")) && words.contains(QStringLiteral("gone.gguf")),
             qPrintable(words));
    QVERIFY2(words.contains(none), qPrintable(words));
    words = says({QStringLiteral("--draft"), own});
    QVERIFY2(words.contains(name) && !words.contains(QStringLiteral("gone.gguf")), qPrintable(words));
    words = says({QStringLiteral("--draft"), builtIn});
    QVERIFY2(words.contains(none), qPrintable(words));
  }

  // Loaded when a client names them.
  void theCommandServesSeveralModelsByName() {
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
    QVERIFY(QFile::copy(gguf, m_folder->filePath(QStringLiteral("models/q-llama.gguf"))));
    QVERIFY(QFile::copy(gguf, m_folder->filePath(QStringLiteral("models/other.gguf"))));
    QProcess process;
    process.start(QStringLiteral(MINERVA_PROGRAM),
                  {QStringLiteral("serve"), QStringLiteral("q-llama"), QStringLiteral("other"), QStringLiteral("--idle"),
                   QStringLiteral("5"), QStringLiteral("--port"), QStringLiteral("0"), QStringLiteral("--device"), QStringLiteral("cpu"),
                   QStringLiteral("--data-dir"), m_folder->path()});
    QVERIFY(QTest::qWaitFor([&] { return process.canReadLine(); }, patienceMs));
    const int port = QUrl(QString::fromUtf8(process.readLine()).trimmed().mid(13)).port();
    for (const auto& [name, status] : {std::pair("q-llama", 200), std::pair("other", 200), std::pair("third", 404)}) {
      const QByteArray body = QByteArray(R"({"prompt": "Once", "max_tokens": 4, "model": ")") + name + "\"}";
      Client client(port, "POST", "/v1/completions", body);
      QVERIFY(client.waitForEnd());
      QCOMPARE(client.status(), status);
      if (status == 200) QCOMPARE(client.json()[QLatin1String("model")].toString(), QLatin1String(name));
    }
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
    QVERIFY(process.waitForFinished(patienceMs));
    QCOMPARE(process.exitCode(), 0);
  }

  // A folder has no extension, and no model is left out because another has its name.
  void theCommandServesEachModelUnderItsName() {
    for (const char* folder : {"Llama-3.2-1B", "Llama-3.1-8B", "a", "b"})
      QVERIFY(QDir(m_folder->path()).mkpath(QString::fromLatin1(folder)));
    for (const char* folder : {"Llama-3.2-1B", "Llama-3.1-8B"})
      for (const QFileInfo& file : QDir(builtIn).entryInfoList(QDir::Files))
        QVERIFY(QFile::copy(file.filePath(), m_folder->filePath(QString::fromLatin1(folder) + QLatin1Char('/') + file.fileName())));
    for (const char* file : {"a/tiny.gguf", "b/tiny.gguf"}) QVERIFY(QFile::copy(gguf, m_folder->filePath(QString::fromLatin1(file))));
    const auto serve = [this](QProcess& process, const QStringList& models) {
      QStringList arguments{QStringLiteral("serve")};
      for (const QString& model : models) arguments << m_folder->filePath(model);
      process.start(QStringLiteral(MINERVA_PROGRAM), arguments << QStringLiteral("--port") << QStringLiteral("0")
                                                               << QStringLiteral("--device") << QStringLiteral("cpu")
                                                               << QStringLiteral("--data-dir") << m_folder->path());
      return QTest::qWaitFor([&] { return process.canReadLine() || process.state() == QProcess::NotRunning; }, patienceMs);
    };
    QProcess folders;
    const QString first = QStringLiteral("a/tiny.gguf");
    QVERIFY(serve(folders, {QStringLiteral("Llama-3.2-1B"), QStringLiteral("Llama-3.1-8B/"), first, first}));
    Client client(QUrl(QString::fromUtf8(folders.readLine()).trimmed().mid(13)).port(), "GET", "/v1/models");
    QVERIFY(client.waitForEnd());
    QStringList names;
    for (const QJsonValue model : client.json()[QLatin1String("data")].toArray()) names << model[QLatin1String("id")].toString();
    QCOMPARE(names, (QStringList{QStringLiteral("Llama-3.2-1B"), QStringLiteral("Llama-3.1-8B"), QStringLiteral("tiny")}));
    QCOMPARE(::kill(static_cast<pid_t>(folders.processId()), SIGTERM), 0);
    QVERIFY(folders.waitForFinished(patienceMs));
    QProcess equal;
    QVERIFY(serve(equal, {first, QStringLiteral("b/tiny.gguf")}));
    const QString words = QString::fromUtf8(equal.readAllStandardError());
    if (equal.state() != QProcess::NotRunning) ::kill(static_cast<pid_t>(equal.processId()), SIGTERM);
    QVERIFY(equal.state() == QProcess::NotRunning || equal.waitForFinished(patienceMs));
    QCOMPARE(equal.exitCode(), 1);
    QVERIFY2(words.contains(QLatin1String("Two models have the same name")) && words.contains(QLatin1String("b/tiny.gguf")),
             qPrintable(words));
  }

  void wrongUsageOfTheCommandIsTold() {
    const auto run = [this](QStringList arguments) {
      QProcess process;
      process.start(QStringLiteral(MINERVA_PROGRAM),
                    QStringList{QStringLiteral("serve")} + arguments + QStringList{QStringLiteral("--data-dir"), m_folder->path()});
      process.waitForFinished(patienceMs);
      return std::pair(process.exitCode(), QString::fromUtf8(process.readAllStandardError()));
    };
    const auto [portCode, portWords] = run({QStringLiteral("--port"), QStringLiteral("many")});
    QCOMPARE(portCode, 2);
    QVERIFY2(portWords.contains(QLatin1String("--port")) && portWords.contains(QLatin1String("0 to 65535")), qPrintable(portWords));
    QCOMPARE(run({QStringLiteral("--host"), QStringLiteral("0.0.0.0")}).first, 2);  // needs a key
    const auto [nameCode, nameWords] = run({QStringLiteral("no-such-model")});
    QCOMPARE(nameCode, 1);
    QVERIFY2(nameWords.contains(QLatin1String("no-such-model")), qPrintable(nameWords));
    QCOMPARE(run({QStringLiteral("--idle"), QStringLiteral("-1")}).first, 2);
    const auto [contextsCode, contextsWords] =
        run({QStringLiteral("--parallel"), QStringLiteral("2"), QStringLiteral("--contexts"), QStringLiteral("3")});
    QCOMPARE(contextsCode, 2);
    QVERIFY2(contextsWords.contains(QLatin1String("--contexts")) && contextsWords.contains(QLatin1String("1 to 2")),
             qPrintable(contextsWords));
    const auto [draftCode, draftWords] = run({QStringLiteral("--draft"), QStringLiteral("no-such-draft")});
    QCOMPARE(draftCode, 1);
    QVERIFY2(draftWords.contains(QLatin1String("no-such-draft")), qPrintable(draftWords));
  }

 private:
  std::optional<QTemporaryDir> m_folder;
};

APP_TEST(ServeCommandTest, "serve_command", QCoreApplication)
#include "tst_serve_command.moc"
