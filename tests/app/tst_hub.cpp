// Downloads from a hub on the loopback interface that behaves like the real one, and can be told to misbehave (fake_hub.py).
#include "app/hub/choices.h"
#include "app/hub/progress_text.h"
#include "app/library/models_folder.h"
#include "app_test.h"
#include "hub_runs.h"
#include "patience.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>

#include <cmath>
#include <optional>

using namespace minerva::app;
using minerva::Error;
using minerva::ErrorKind;
using minerva::Result;

namespace {

QString fromUtf8(const std::string& utf8) { return QString::fromStdString(utf8); }

// The most that a dropped connection may lose: bytes received but still buffered by Qt and the kernel.
constexpr double lostByACut = 1e6;

QString stagedPath(const Download& download, const QTemporaryDir& models) {
  return download.item().stagedPath(download.item().files.first(), models.path());
}

}  // namespace

class HubTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    qputenv("XDG_DATA_HOME", m_data.path().toLocal8Bit());  // where the trash is created
  }

  void faultsOnTheWay_data() {
    QTest::addColumn<QStringList>("faults");
    QTest::addColumn<double>("share");  // the most that may be sent, as a share of the file
    QTest::newRow("none") << QStringList{} << 1.0;
    QTest::newRow("cut twice") << QStringList{QStringLiteral("cut 4000000"), QStringLiteral("cut 4000000")} << 1.0;
    QTest::newRow("ends early") << QStringList{QStringLiteral("short"), QStringLiteral("short")} << 1.0;
    QTest::newRow("link ran out") << QStringList{QStringLiteral("expired"), QStringLiteral("cut 5000"), QStringLiteral("expired")} << 1.0;
    QTest::newRow("busy") << QStringList{QStringLiteral("status 503"), QStringLiteral("status 500"), QStringLiteral("status 429 0")} << 1.0;
    QTest::newRow("stalls") << QStringList{QStringLiteral("cut 8000000"), QStringLiteral("stall 3")} << 1.0;
    QTest::newRow("range ignored") << QStringList{QStringLiteral("cut 6000000"), QStringLiteral("ignore range")} << 1.5;
    QTest::newRow("damaged once") << QStringList{QStringLiteral("wrong")} << 2.0;
  }
  void faultsOnTheWay() {
    QFETCH(QStringList, faults);
    QFETCH(double, share);
    const QString name = QStringLiteral("model-Q8_0.gguf");
    constexpr qint64 size = 12'000'000;
    const FakeHub hub({{name, bigFile(faults, size)}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const auto repository = filesOf(hurry.network);
    QVERIFY(repository.has_value());
    Download download(&hurry.network, choicesOf(*repository).first(), models.path());
    QList<DownloadStatus> seen;
    const DownloadStatus status = run(download, &seen);
    QVERIFY2(!status.error, status.error ? status.error->message().c_str() : "");
    QCOMPARE(status.state, DownloadStatus::Done);
    QCOMPARE(sha256Of(download.modelPath()), repository->files.first().sha256);
    QCOMPARE(QDir(QFileInfo(download.modelPath()).path()).entryList(QDir::Files | QDir::Hidden), QStringList{name});
    const QJsonObject sent = hub.file(name);
    const auto borne = faults.count(QStringLiteral("ignore range"));  // such an answer contains the whole file and is used
    QCOMPARE(sent[QStringLiteral("requests")].toInt(), static_cast<int>(faults.size() - borne) + 1);
    const auto cuts = faults.filter(QRegularExpression(QStringLiteral("^(cut|short)"))).size();
    QVERIFY2(sent[QStringLiteral("sent")].toDouble() <= share * size + static_cast<double>(cuts) * lostByACut,
             qPrintable(QString::number(sent[QStringLiteral("sent")].toDouble())));
    qint64 before = 0;
    for (const DownloadStatus& at : seen) {
      QVERIFY(at.bytesDone >= before);
      before = at.bytesDone;
    }
  }

  void aFileThatIsWrongTwiceIsRefusedWithBothHashes() {
    const QString name = QStringLiteral("model-Q4_0.gguf");
    const FakeHub hub({{name, bigFile({QStringLiteral("always wrong")})}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const auto repository = filesOf(hurry.network);
    QVERIFY(repository.has_value());
    Download download(&hurry.network, choicesOf(*repository).first(), models.path());
    const DownloadStatus status = run(download);
    QCOMPARE(status.state, DownloadStatus::Failed);
    QCOMPARE(status.error->kind, ErrorKind::corrupt);
    QVERIFY(status.error->expected.ends_with(repository->files.first().sha256.toStdString()));
    QVERIFY2(status.error->actual.starts_with("sha256 ") && status.error->actual.size() > 70, status.error->actual.c_str());
    QVERIFY(!QFile::exists(download.modelPath()));
    QVERIFY(!QFile::exists(PartFile::partName(stagedPath(download, models))));
    QCOMPARE(hub.file(name)[QStringLiteral("requests")].toInt(), 2);
  }

  void aHubThatStaysInTroubleIsGivenUpAndWhatCameIsKept() {
    const FakeHub hub({{QStringLiteral("model-Q4_0.gguf"), bigFile({QStringLiteral("cut 2500000"), QStringLiteral("always status 503")})}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const auto repository = filesOf(hurry.network);
    Download download(&hurry.network, choicesOf(*repository).first(), models.path());
    const DownloadStatus status = run(download);
    QCOMPARE(status.state, DownloadStatus::Failed);
    QVERIFY2(status.error->message().find("503") != std::string::npos, status.error->message().c_str());
    QVERIFY(PartFile::bytesThere(stagedPath(download, models)) > 1'000'000);
    QCOMPARE(Download::unfinished(models.path()), QList<DownloadItem>{download.item()});
    const QList<FolderModel> listed = modelsIn(models.path());
    QCOMPARE(listed.size(), 1);
    QVERIFY(!listed.first().complete());
    QVERIFY(removeModel(listed.first(), models.path()).has_value());
    QVERIFY(QDir(models.path()).isEmpty());
  }

  void aPageOfOnlyFoldersIsNotTheLast() {
    const FakeHub hub({{QStringLiteral("a.gguf"), bigFile({})}, {QStringLiteral("b.gguf"), bigFile({})}}, {{QStringLiteral("page"), 1}});
    Hurry hurry(hub.access());
    QCOMPARE(filesOf(hurry.network)->files.size(), 2);
  }

  void aFolderIsOneItemAndSurvivesAPause() {
    const QString weights = QStringLiteral("model-0000%1-of-00002.safetensors");
    QJsonObject slow = bigFile({});
    const FakeHub hub(
        {{QStringLiteral("config.json"), QJsonObject{{QStringLiteral("text"), QStringLiteral("{\"model_type\": \"llama\"}")}}},
         {QStringLiteral("tokenizer.json"), QJsonObject{{QStringLiteral("text"), QStringLiteral("{}")}}},
         {QStringLiteral("README.md"), QJsonObject{{QStringLiteral("text"), QStringLiteral("# hello")}}},
         {QStringLiteral("pytorch_model.bin"), bigFile({})},
         {weights.arg(1), slow},
         {weights.arg(2), slow}},
        {{QStringLiteral("rate"), 6e6}, {QStringLiteral("page"), 3}},
        {{QStringLiteral("tags"), QJsonArray{QStringLiteral("safetensors")}}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const auto repository = filesOf(hurry.network);
    QCOMPARE(repository->files.size(), 6);  // listed in three pages
    const QList<DownloadItem> choices = choicesOf(*repository);
    QCOMPARE(choices.size(), 1);
    QCOMPARE(choices.first().name(), QStringLiteral("org/model:SafeTensors"));
    QCOMPARE(choices.first().files.size(), 4);
    Download download(&hurry.network, choices.first(), models.path());
    download.start();
    QVERIFY(QTest::qWaitFor([&] { return download.status().bytesDone > 3'500'000; }, patienceMs));
    QVERIFY(download.status().bytesPerSecond > 0 && download.status().secondsLeft > 0);
    download.pause();
    QCOMPARE(download.status().state, DownloadStatus::Paused);
    const qint64 there = download.status().bytesDone;
    Download again(&hurry.network, Download::unfinished(models.path()).first(), models.path());
    QVERIFY(std::abs(static_cast<double>(again.status().bytesDone - there)) < 70'000);
    QCOMPARE(run(again).state, DownloadStatus::Done);
    QCOMPARE(again.modelPath(), models.filePath(QStringLiteral("org/model")));
    for (const HubFile& file : choices.first().files)
      QCOMPARE(QFileInfo(again.modelPath() + QLatin1Char('/') + file.path).size(), file.size);
    double sent = 0;
    for (int i = 1; i <= 2; ++i) sent += hub.file(weights.arg(i))[QStringLiteral("sent")].toDouble();
    QVERIFY2(sent < 6e6 + 1.5e6, qPrintable(QString::number(sent)));
    const QList<FolderModel> listed = modelsIn(models.path());
    QCOMPARE(listed.size(), 1);
    QVERIFY(listed.first().complete());
    QCOMPARE(listed.first().name, QStringLiteral("org/model:SafeTensors"));
  }

  void whatIsThereAndRightIsNotFetched() {
    const QString name = QStringLiteral("model-Q8_0.gguf");
    const FakeHub hub({{name, bigFile({})}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const DownloadItem item = choicesOf(*filesOf(hurry.network)).first();
    Download first(&hurry.network, item, models.path());
    QCOMPARE(run(first).state, DownloadStatus::Done);
    Download second(&hurry.network, item, models.path());
    QCOMPARE(run(second).state, DownloadStatus::Done);
    QCOMPARE(hub.file(name)[QStringLiteral("requests")].toInt(), 1);
    // Another version of the same size is downloaded.
    QFile file(first.modelPath());
    QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(77) && file.write("x") == 1);
    file.close();
    Download third(&hurry.network, item, models.path());
    QCOMPARE(run(third).state, DownloadStatus::Done);
    QCOMPARE(hub.file(name)[QStringLiteral("requests")].toInt(), 2);
    QCOMPARE(sha256Of(third.modelPath()), item.files.first().sha256);
  }

  // As on a disk without hard links. A copy that turns out wrong is not counted as a wrong download.
  void aFileIsCopiedFromTheInstalledVersionIfItIsRight() {
    const QString name = QStringLiteral("model-Q8_0.gguf");
    const FakeHub hub({{name, bigFile({QString(), QStringLiteral("wrong")})}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const DownloadItem item = choicesOf(*filesOf(hurry.network)).first();
    Download first(&hurry.network, item, models.path());
    QCOMPARE(run(first).state, DownloadStatus::Done);
    const HubFile& file = item.files.first();
    const auto fetched = [&](const QString& target) {
      FileFetch fetch(&hurry.network, hurry.network.access.file(item.repository, item.commit, file.path), target, file);
      fetch.setSource(first.modelPath());
      std::optional<std::optional<Error>> end;
      connect(&fetch, &FileFetch::ended, this, [&](const std::optional<Error>& error) { end = error; });
      fetch.start();
      return QTest::qWaitFor([&] { return end.has_value(); }, patienceMs) && !*end && sha256Of(target) == file.sha256;
    };
    QVERIFY(fetched(models.filePath(QStringLiteral("copied.gguf"))));
    // A copy that was interrupted goes on.
    QFile installed(first.modelPath());
    QVERIFY(installed.open(QIODevice::ReadWrite));
    const QByteArray begun = installed.read(1 << 20);
    const auto begin = [&](const QString& target) {
      auto part = PartFile::open(target, file);
      const bool written = part && part->append(begun);
      if (written) part->sync();
      return written;
    };
    QVERIFY(begin(models.filePath(QStringLiteral("interrupted.gguf"))) && fetched(models.filePath(QStringLiteral("interrupted.gguf"))));
    QCOMPARE(hub.file(name)[QStringLiteral("requests")].toInt(), 1);
    QVERIFY(installed.seek(77) && installed.write("x") == 1);
    installed.close();
    QVERIFY(fetched(models.filePath(QStringLiteral("fetched.gguf"))));
    QCOMPARE(hub.file(name)[QStringLiteral("requests")].toInt(), 3);
    // What was fetched of another content is kept.
    const qint64 sent = hub.file(name)[QStringLiteral("sent")].toInteger();
    QVERIFY(begin(models.filePath(QStringLiteral("resumed.gguf"))) && fetched(models.filePath(QStringLiteral("resumed.gguf"))));
    QCOMPARE(hub.file(name)[QStringLiteral("requests")].toInt(), 4);
    QVERIFY(hub.file(name)[QStringLiteral("sent")].toInteger() - sent < file.size);
  }

  void twoAtOnceAreOneTooMany() {
    const FakeHub hub({{QStringLiteral("model-Q8_0.gguf"), bigFile({})}}, {{QStringLiteral("rate"), 3e6}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const DownloadItem item = choicesOf(*filesOf(hurry.network)).first();
    Download first(&hurry.network, item, models.path()), second(&hurry.network, item, models.path());
    first.start();
    const DownloadStatus status = run(second);
    QCOMPARE(status.state, DownloadStatus::Failed);
    QVERIFY2(status.error->what.find("another Minerva") != std::string::npos, status.error->message().c_str());
    QVERIFY(!Download::remove(item, models.path()).has_value());
    QVERIFY(QTest::qWaitFor([&] { return first.status().state == DownloadStatus::Done; }, patienceMs));
  }

  void theLimitHolds() {
    const FakeHub hub({{QStringLiteral("model-Q8_0.gguf"), bigFile({})}});
    QTemporaryDir models;
    Hurry hurry(hub.access());
    const DownloadItem item = choicesOf(*filesOf(hurry.network)).first();
    hurry.network.limit.set(2e6, hurry.network.now());
    Download download(&hurry.network, item, models.path());
    QElapsedTimer clock;
    clock.start();
    QCOMPARE(run(download).state, DownloadStatus::Done);
    QVERIFY2(clock.elapsed() > 1200, qPrintable(QString::number(clock.elapsed())));  // 3 MB at 2 MB/s
  }

  void refusals_data() {
    QTest::addColumn<QJsonObject>("about");
    QTest::addColumn<QByteArray>("token");
    QTest::addColumn<QString>("repository");
    QTest::addColumn<QString>("says");
    const QJsonObject gated{{QStringLiteral("gated"), QStringLiteral("manual")}}, open;
    QTest::newRow("gated, no token") << gated << QByteArray() << QStringLiteral("org/model") << QStringLiteral("this model is gated");
    QTest::newRow("gated, not granted") << gated << QByteArray("hf_right") << QStringLiteral("org/model")
                                        << QStringLiteral("has not been granted");
    QTest::newRow("bad token") << open << QByteArray("hf_old") << QStringLiteral("org/model")
                               << QStringLiteral("does not accept the token");
    QTest::newRow("misspelt") << open << QByteArray() << QStringLiteral("org/mdoel") << QStringLiteral("no such model, or it is private");
    QTest::newRow("misspelt, token") << open << QByteArray("hf_right") << QStringLiteral("org/mdoel")
                                     << QStringLiteral("no such model on the hub");
  }
  void refusals() {
    QFETCH(QJsonObject, about);
    QFETCH(QByteArray, token);
    QFETCH(QString, repository);
    QFETCH(QString, says);
    const FakeHub hub({{QStringLiteral("model-Q8_0.gguf"), bigFile({})}}, {{QStringLiteral("token"), QStringLiteral("hf_right")}}, about);
    QTemporaryDir models;
    HubAccess access = hub.access();
    access.token = token;
    access.tokenSource = token.isEmpty() ? QString() : QStringLiteral("HF_TOKEN");
    Hurry hurry(access);
    std::optional<Error> error;
    if (const auto listed = filesOf(hurry.network, repository); listed) {  // the files of a gated model are listed without a token
      Download download(&hurry.network, choicesOf(*listed).first(), models.path());
      error = run(download).error;
    } else {
      error = listed.error();
    }
    QVERIFY(error.has_value());
    QVERIFY2(fromUtf8(error->what).contains(says), error->message().c_str());
    QVERIFY2(!error->hint.empty() && fromUtf8(error->where).contains(repository), error->message().c_str());
  }

  void theTokenGoesToTheHubOnly() {
    const FakeHub hub({{QStringLiteral("model-Q8_0.gguf"), bigFile({QStringLiteral("cut 100")})}},
                      {{QStringLiteral("token"), QStringLiteral("hf_right")}},
                      {{QStringLiteral("gated"), QStringLiteral("auto")}, {QStringLiteral("granted"), true}});
    QTemporaryDir models, data;
    RequestLog log(data.filePath(QStringLiteral("requests.log")));
    HubAccess access = hub.access();
    access.token = "hf_right";
    access.tokenSource = QStringLiteral("HF_TOKEN");
    Hurry hurry(access, &log);
    Download download(&hurry.network, choicesOf(*filesOf(hurry.network)).first(), models.path());
    QCOMPARE(run(download).state, DownloadStatus::Done);
    const QJsonArray asked = hub.stats()[QStringLiteral("asked")].toArray();
    // Model, files, twice file and link. Qt repeats a request once if the connection ends before the header of the answer.
    QVERIFY2(asked.size() == 6 || asked.size() == 7, qPrintable(QString::number(asked.size())));
    for (const QJsonValue& request : asked) {
      const bool toHub = request[QStringLiteral("kind")].toString() == QLatin1String("hub");
      QCOMPARE(request[QStringLiteral("token")].toString(), toHub ? QStringLiteral("Bearer hf_right") : QString());
    }
    // Every request is in the log, with its answer, but without token or signature.
    const QStringList lines = log.last(100).value();
    QCOMPARE(lines.size(), 12);
    QVERIFY(!lines.join(QLatin1Char('\n')).contains(QLatin1String("hf_right")));
    QVERIFY(!lines.join(QLatin1Char('\n')).contains(QLatin1String("abc~def")));
    QVERIFY2(lines.last().contains(QLatin1String("/api/models/org/model/revision/main")), qPrintable(lines.last()));
  }

  void offlineNobodyIsAsked() {
    const FakeHub hub({{QStringLiteral("model-Q8_0.gguf"), bigFile({})}});
    QTemporaryDir data;
    RequestLog log(data.filePath(QStringLiteral("requests.log")));
    Hurry hurry(hub.access(), &log);
    hurry.network.access.offline = true;
    const auto answer = filesOf(hurry.network);
    QVERIFY(!answer && answer.error().what.find("offline") != std::string::npos);
    QVERIFY(log.last(10).value().isEmpty());
    QVERIFY(hub.stats()[QStringLiteral("asked")].toArray().isEmpty());
  }

  // 192.0.2.1 belongs to no machine (RFC 5737): a request to it would only end with the timeout.
  void theTokenIsNotSentInTheClear() {
    HubAccess access;
    access.endpoint = QUrl(QStringLiteral("http://192.0.2.1"));
    access.token = "hf_secret";
    access.tokenSource = QStringLiteral("HF_TOKEN");
    QTemporaryDir data;
    RequestLog log(data.filePath(QStringLiteral("requests.log")));
    Hurry hurry(access, &log);
    const auto answer = filesOf(hurry.network);
    QVERIFY(!answer.has_value());
    QVERIFY2(answer.error().what.find("token is not sent over plain http") != std::string::npos, answer.error().message().c_str());
    QVERIFY(answer.error().message().find("hf_secret") == std::string::npos);
    QVERIFY(log.last(10).value().isEmpty());
    for (const char* good : {"https://mirror.example", "http://127.0.0.1:80", "http://localhost", "http://[::1]:81"}) {
      access.endpoint = QUrl(QString::fromLatin1(good));
      QVERIFY2(!access.exposesToken(), good);
    }
    access.endpoint = QUrl(QStringLiteral("http://127.0.0.1.evil.example"));
    QVERIFY(access.exposesToken().has_value());
    access.token.clear();
    QVERIFY(!access.exposesToken());
  }

  void thisMachineIsNotAskedThroughAProxy() {
    const FakeHub hub({{QStringLiteral("model-Q8_0.gguf"), bigFile({})}});
    Hurry hurry(hub.access());
    hurry.network.setProxy(QStringLiteral("127.0.0.1:9"));  // nothing listens there
    QVERIFY(filesOf(hurry.network).has_value());
  }

  // While nothing arrives, the reason and the time of the next attempt are shown after a second.
  void waitingIsSaid_data() {
    QTest::addColumn<bool>("silent");  // connections are accepted, but nothing is answered; false: they are refused
    QTest::newRow("refused") << false;
    QTest::newRow("silent") << true;
  }
  void waitingIsSaid() {
    QFETCH(const bool, silent);
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    HubAccess access;
    access.endpoint = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(silent ? server.serverPort() : 9));
    HubNetwork network(access, nullptr);
    HubClient client(&network);
    QString reason;
    int next = 0;
    connect(&client, &HubClient::waiting, this, [&](const QString& why, const QString&, int milliseconds) {
      reason = why;
      next = milliseconds;
    });
    client.repository(QStringLiteral("org/model"), QStringLiteral("main"), [](const Result<Repository>&) {});
    QVERIFY(QTest::qWaitFor([&] { return !reason.isEmpty(); }, patienceMs));
    QVERIFY2(reason.contains(silent ? QStringLiteral("no answer from 127.0.0.1") : QStringLiteral("refused")), qPrintable(reason));
    QVERIFY(next > 0 && next <= network.patience.stallMs);
    client.stop();
  }

  void anAnswerEndsTheWaiting() {
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    HubAccess access;
    access.endpoint = QUrl(QStringLiteral("http://127.0.0.1:%1").arg(server.serverPort()));
    HubNetwork network(access, nullptr);
    network.patience.silenceMs = 20;
    HubClient client(&network);
    const QSignalSpy waiting(&client, &HubClient::waiting), answered(&client, &HubClient::answered);
    client.repository(QStringLiteral("org/model"), QStringLiteral("main"), [](const Result<Repository>&) {});
    QVERIFY(QTest::qWaitFor([&] { return !waiting.isEmpty() && server.hasPendingConnections(); }, patienceMs));
    QCOMPARE(answered.size(), 0);
    server.nextPendingConnection()->write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{");  // the rest is still to come
    QVERIFY(QTest::qWaitFor([&] { return !answered.isEmpty(); }, patienceMs));
    client.stop();
  }

  void nobodyThereIsSaid() {
    HubAccess access;
    access.endpoint = QUrl(QStringLiteral("http://127.0.0.1:9"));
    Hurry hurry(access);
    const auto answer = filesOf(hurry.network);
    QVERIFY(!answer.has_value());
    QVERIFY2(answer.error().kind == ErrorKind::io && !answer.error().actual.empty(), answer.error().message().c_str());
  }

 private:
  QTemporaryDir m_data;
};

APP_TEST(HubTest, "hub", QCoreApplication)
#include "tst_hub.moc"
