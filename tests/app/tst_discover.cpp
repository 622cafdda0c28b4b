// The hub as the window uses it: search, a repository with the files that fit, downloads; against a hub on the loopback
// interface.
#include "app/hub/choices.h"
#include "app/hub/hub_service.h"
#include "app/hub/hub_worker.h"
#include "app/hub/kept_version.h"
#include "app/hub/proxy_choice.h"
#include "app/hub/request_log.h"
#include "app/library/model_library.h"
#include "core/base/resource_paths.h"
#include "app_test.h"
#include "fake_hub.h"
#include "patience.h"
#include "sample_models.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <cmath>
#include <optional>

using namespace minerva::app;

namespace {

QJsonObject twoFiles() {
  const QJsonObject model{{QStringLiteral("path"), gguf}, {QStringLiteral("lfs"), true}};
  return {{QStringLiteral("q-llama-Q4_K_M.gguf"), model},
          {QStringLiteral("q-llama-Q8_0.gguf"), QJsonObject{{QStringLiteral("size"), 2'000'000}}}};
}

// Q8_0 is of an architecture that nobody knows.
QJsonObject filesOneOfWhichCannotRun() {
  QJsonObject all = twoFiles();
  const QString strange = QStringLiteral(MINERVA_REFERENCE_DIR "/oracle/malformed/gguf/architecture-unknown.gguf");
  all[QStringLiteral("q-llama-Q8_0.gguf")] = QJsonObject{{QStringLiteral("path"), strange}, {QStringLiteral("lfs"), true}};
  return all;
}

QVariant field(const QVariantList& list, int row, const char* key) { return list[row].toMap()[QString::fromLatin1(key)]; }

struct HubPage {
  explicit HubPage(const FakeHub& hub, const QString& folder)
      : hub(hub.access(), folder + QStringLiteral("/requests.log"), folder + QStringLiteral("/models"), {}) {
    this->hub.setPreferences({}, {.device = QStringLiteral("cpu")});
  }
  HubService hub;
  [[nodiscard]] QVariant of(int row, DownloadsModel::Role role) { return hub.downloads()->index(row).data(role); }
};

}  // namespace

class DiscoverTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void whatIsHereIsNotOfferedAgainAndSpeedIsExpected() {
    const FakeHub fake(twoFiles());
    QTemporaryDir folder;
    const QString there = folder.filePath(QStringLiteral("models/org/model/q-llama-Q4_K_M.gguf"));
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!hub.isBusy() && !hub.isReading());
    QCOMPARE(hub.choices().size(), 2);
    QCOMPARE(field(hub.choices(), 0, "here").toString(), QString());
    QCOMPARE(field(hub.choices(), 0, "expected").toDouble(), 0.0);  // nothing has been measured yet
    // Bytes per token come from the engine's plan of the same file; for the larger file they are scaled by its size.
    const FitQuestion asked{.path = gguf, .preferences = {.device = QStringLiteral("cpu")}};
    const double bandwidth = 1e9, perToken = checkFit(asked).bytesPerToken;
    QVERIFY(perToken > 0 && perToken < static_cast<double>(QFileInfo(gguf).size()));
    minerva::backend::BandwidthCurve curve;
    curve.add({1 << 20, bandwidth});
    hub.setBandwidth(curve);
    const double size = field(hub.choices(), 0, "bytes").toDouble();
    const double weights = static_cast<double>(checkFit(asked).weights);
    QCOMPARE(field(hub.choices(), 0, "expected").toDouble(), bandwidth / (perToken * size / weights));
    const double ratio = field(hub.choices(), 0, "expected").toDouble() / field(hub.choices(), 1, "expected").toDouble();
    QVERIFY(std::abs(ratio - field(hub.choices(), 1, "bytes").toDouble() / size) < 1e-6);

    hub.download(0);
    QTRY_COMPARE(field(hub.choices(), 0, "here").toString(), QStringLiteral("done"));
    QCOMPARE(field(hub.choices(), 0, "path").toString(), there);
    QCOMPARE(field(hub.choices(), 1, "here").toString(), QString());
    HubPage later(fake, folder.path());  // a restart of the application
    later.hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!later.hub.isBusy());
    QCOMPARE(field(later.hub.choices(), 0, "here").toString(), QStringLiteral("done"));
    QCOMPARE(later.hub.repositoryOf(there), QStringLiteral("org/model"));
    QCOMPARE(later.hub.repositoryOf(folder.filePath(QStringLiteral("models/a.gguf"))), QString());
    QCOMPARE(later.hub.repositoryOf(gguf), QString());
    QVERIFY(QFile::resize(there, 1000));
    later.hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!later.hub.isBusy());
    QCOMPARE(field(later.hub.choices(), 0, "here").toString(), QStringLiteral("other"));  // incomplete
  }

  void whatWasDeletedSinceIsOfferedAgain() {
    const FakeHub fake(twoFiles());
    QTemporaryDir folder;
    const QString there = folder.filePath(QStringLiteral("models/org/model/q-llama-Q4_K_M.gguf"));
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!hub.isBusy() && !hub.isReading());
    const QSignalSpy finished(hub.downloads(), &DownloadsModel::finished);
    hub.download(0);
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(QFile::remove(there));
    hub.download(0);  // deleted in a file manager: the finished download is not taken for an installed model
    QTRY_COMPARE(finished.size(), 2);
    QCOMPARE(field(hub.choices(), 0, "here").toString(), QStringLiteral("done"));
    QVERIFY(QFile::rename(there, folder.filePath(QStringLiteral("deleted"))));
    hub.checkInstalled();
    QCOMPARE(field(hub.choices(), 0, "here").toString(), QString());
    QTRY_COMPARE(hub.downloads()->count(), 0);
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!hub.isBusy() && !hub.isReading());
    QCOMPARE(field(hub.choices(), 0, "here").toString(), QString());
  }

  // Same size, but one byte differs.
  void whatTheHubHasReplacedIsSaidAndFetched() {
    QTemporaryDir folder;
    const QString there = folder.filePath(QStringLiteral("models/org/model/q-llama-Q4_K_M.gguf"));
    const auto look = [](HubService& hub) {
      hub.open(QStringLiteral("org/model"));
      return QTest::qWaitFor([&] { return !hub.isBusy() && !hub.isReading() && hub.choices().size() == 2; }, patienceMs);
    };
    {
      const FakeHub fake(twoFiles());
      HubPage service(fake, folder.path());
      QVERIFY(look(service.hub));
      service.hub.download(0);
      QTRY_COMPARE(field(service.hub.choices(), 0, "here").toString(), QStringLiteral("done"));
    }
    QFile original(gguf);
    QVERIFY(original.open(QIODevice::ReadOnly));
    QByteArray bytes = original.readAll();
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    QFile replaced(folder.filePath(QStringLiteral("replaced.gguf")));
    QVERIFY(replaced.open(QIODevice::WriteOnly) && replaced.write(bytes) == bytes.size());
    replaced.close();
    QJsonObject changed = twoFiles();
    changed[QStringLiteral("q-llama-Q4_K_M.gguf")] =
        QJsonObject{{QStringLiteral("path"), replaced.fileName()}, {QStringLiteral("lfs"), true}};
    const FakeHub fake(changed);
    HubPage service(fake, folder.path());
    QVERIFY(look(service.hub));
    QCOMPARE(field(service.hub.choices(), 0, "here").toString(), QStringLiteral("other"));
    service.hub.download(0);
    QTRY_COMPARE(field(service.hub.choices(), 0, "here").toString(), QStringLiteral("done"));
    QFile now(there);
    QVERIFY(now.open(QIODevice::ReadOnly));
    QVERIFY(now.readAll() == bytes);
    HubPage later(fake, folder.path());
    QVERIFY(look(later.hub));
    QCOMPARE(field(later.hub.choices(), 0, "here").toString(), QStringLiteral("done"));
  }

  // Records of Hugging Face's own tools are read, and ours have the same format.
  void aRecordIsAsHuggingFaceKeepsIt() {
    QTemporaryDir folder;
    const QByteArray content = "abc", hash = QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex();
    const HubFile file{.path = QStringLiteral("sub/a.gguf"), .size = content.size(), .sha256 = hash};
    HubFile newer = file;
    newer.sha256 = QCryptographicHash::hash("abd", QCryptographicHash::Sha256).toHex();
    QCOMPARE(versionOnDisk(folder.path(), file), OnDisk::missing);
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("sub")));
    QFile local(folder.filePath(file.path));
    QVERIFY(local.open(QIODevice::WriteOnly) && local.write(content) == content.size());
    local.close();
    QCOMPARE(versionOnDisk(folder.path(), newer), OnDisk::same);  // there is no record
    keepVersion(folder.path(), file, QString(40, u'1'));
    QFile record(folder.filePath(QStringLiteral(".cache/huggingface/download/sub/a.gguf.metadata")));
    QVERIFY(record.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = record.readAll().split('\n');
    record.close();
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0], QByteArray(40, '1'));
    QCOMPARE(lines[1], hash);
    QVERIFY(std::abs(lines[2].toDouble() - static_cast<double>(QDateTime::currentSecsSinceEpoch())) < 10);
    QCOMPARE(versionOnDisk(folder.path(), file), OnDisk::same);
    QCOMPARE(versionOnDisk(folder.path(), newer), OnDisk::other);
    // If the file was changed after the record was made, the record is ignored.
    QVERIFY(local.open(QIODevice::ReadWrite));
    QVERIFY(local.setFileTime(QDateTime::currentDateTime().addSecs(60), QFileDevice::FileModificationTime));
    local.close();
    QCOMPARE(versionOnDisk(folder.path(), newer), OnDisk::same);
    forgetVersion(folder.path(), file.path);
    QVERIFY(!QFileInfo::exists(folder.filePath(QStringLiteral(".cache"))));
  }

  void aModelIsFoundLookedAtDownloadedAndListed() {
    const FakeHub fake(twoFiles(), {}, {{QStringLiteral("tags"), QJsonArray{QStringLiteral("gguf")}}});
    QTemporaryDir folder;
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    QTest::qWait(200);
    QVERIFY(fake.stats()[QStringLiteral("asked")].toArray().isEmpty());  // no request at startup

    hub.search(QStringLiteral("mod"));
    QVERIFY(hub.isBusy());
    QTRY_VERIFY(!hub.isBusy());
    QCOMPARE(hub.hits().size(), 1);
    QCOMPARE(field(hub.hits(), 0, "name").toString(), QStringLiteral("org/model"));
    QCOMPARE(field(hub.hits(), 0, "formats").toStringList(), QStringList{QStringLiteral("GGUF")});

    hub.open(QStringLiteral("org/model"));
    QTRY_COMPARE(hub.choices().size(), 2);
    QVERIFY(field(hub.choices(), 0, "recommended").toBool() && !field(hub.choices(), 1, "recommended").toBool());
    QTRY_VERIFY(!hub.isReading());
    QVERIFY2(!hub.error().isSet(), qPrintable(hub.error().details));
    QVERIFY2(hub.about().startsWith(QStringLiteral("llama · ")), qPrintable(hub.about()));
    QCOMPARE(field(hub.choices(), 0, "fit").toString(), QStringLiteral("fits"));
    QCOMPARE(field(hub.choices(), 1, "fit").toString(), QStringLiteral("fits"));
    QVERIFY(fake.file(QStringLiteral("q-llama-Q8_0.gguf"))[QStringLiteral("sent")].toInt() == 0);

    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("models.ini")), {});
    connect(hub.downloads(), &DownloadsModel::finished, &library, &ModelLibrary::add);
    hub.download(0);
    QTRY_COMPARE(library.count(), 1);
    QCOMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Done));
    QCOMPARE(library.index(0).data(ModelLibrary::PathRole).toString(), service.of(0, DownloadsModel::PathRole).toString());
    QTRY_COMPARE(library.index(0).data(ModelLibrary::FormatRole).toString(), QStringLiteral("GGUF"));
    hub.downloads()->cancel(0);  // only removes it from the list
    QTRY_COMPARE(hub.downloads()->count(), 0);
    ModelLibrary another(nullptr, folder.filePath(QStringLiteral("other.ini")), {});
    another.addFolder(folder.filePath(QStringLiteral("models")));
    QTRY_COMPARE(another.count(), 1);
    QVERIFY(hub.requests().size() >= 8);
  }

  void whatAHitSaysIsAskedFor() {
    const FakeHub fake(twoFiles(), {},
                       {{QStringLiteral("tags"), QJsonArray{QStringLiteral("gguf")}},
                        {QStringLiteral("downloads"), 1200},
                        {QStringLiteral("gated"), QStringLiteral("manual")},
                        {QStringLiteral("library_name"), QStringLiteral("mlx")}});
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    service.hub.search(QStringLiteral("mod"));
    QTRY_COMPARE(service.hub.hits().size(), 1);
    QVERIFY(field(service.hub.hits(), 0, "gated").toBool());
    QCOMPARE(field(service.hub.hits(), 0, "downloads").toDouble(), 1200.0);
    QCOMPARE(field(service.hub.hits(), 0, "formats").toStringList(), QStringList({QStringLiteral("GGUF"), QStringLiteral("MLX")}));
  }

  void whatIsAskedForAndCannotBeChosenIsSaid() {
    QJsonObject published = twoFiles();
    const QJsonObject small{{QStringLiteral("text"), QStringLiteral("x")}};
    for (const char* name : {"q-llama.F16.gguf.part1of2", "q-llama.F16.gguf.part2of2", "README.md"}) published[QLatin1String(name)] = small;
    const FakeHub fake(published);
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    const QString pieces = QStringLiteral("Not listed: 1 choice(s) whose files are cut into pieces, which Minerva does not join.");
    for (const auto& [link, notice] :
         {std::pair("org/model:Q8_0", QString()), std::pair("org/model:Q2_K", QStringLiteral("Q2_K is not among the choices here. ")),
          std::pair("org/model:README.md", QString())}) {
      service.hub.search(QLatin1String(link));
      QVERIFY(service.hub.notice().isEmpty());
      QTRY_VERIFY(!service.hub.isBusy() && !service.hub.isReading());
      QCOMPARE(service.hub.notice(), notice + pieces);
    }
  }

  // Such as mlx-community/gemma-3-12b-it-4bit: its index names the files of the model that it was made of.
  void aFolderWithTheIndexOfAnotherModelCanBeChosen() {
    const QDir model(QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/llama-gqa-bf16/hf"));
    QJsonObject published;
    for (const QString& name : model.entryList(QDir::Files))
      published[name] = QJsonObject{{QStringLiteral("path"), model.filePath(name)},
                                    {QStringLiteral("lfs"), name.endsWith(QLatin1String(".safetensors"))}};
    published[QStringLiteral("model.safetensors.index.json")] =
        QJsonObject{{QStringLiteral("text"), QStringLiteral(R"({"weight_map":{"x":"model-00001-of-00005.safetensors"}})")}};
    const FakeHub fake(published);
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    service.hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!service.hub.isBusy() && !service.hub.isReading());
    QCOMPARE(service.hub.choices().size(), 1);
    QVERIFY2(service.hub.problem().isEmpty() && !service.hub.error().isSet(),
             qPrintable(service.hub.problem() + service.hub.error().details));
    QCOMPARE(field(service.hub.choices(), 0, "fit").toString(), QStringLiteral("fits"));
  }

  void aLinkOpensItsRepositoryAndADownloadIsPausedResumedAndCancelled() {
    const FakeHub fake({{QStringLiteral("big-Q8_0.gguf"), QJsonObject{{QStringLiteral("size"), 12'000'000}}}},
                       {{QStringLiteral("rate"), 4e6}});
    QTemporaryDir folder;
    {
      HubPage service(fake, folder.path());
      HubService& hub = service.hub;
      hub.search(fake.access().endpoint.toString() + QStringLiteral("/org/model/blob/main/big-Q8_0.gguf"));
      QCOMPARE(hub.repository(), QStringLiteral("org/model"));
      QTRY_VERIFY(hub.error().isSet() || !hub.problem().isEmpty());  // random bytes are not a model
      QCOMPARE(hub.choices().size(), 1);
      hub.download(0);
      QTRY_VERIFY(service.of(0, DownloadsModel::ShareRole).toDouble() > 0.2);
      hub.downloads()->pause(0);
      QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Paused));
    }
    HubPage service(fake, folder.path());  // restarted: listed as paused, without a request
    QTRY_COMPARE(service.hub.downloads()->count(), 1);
    QCOMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Paused));
    QVERIFY(service.of(0, DownloadsModel::ShareRole).toDouble() > 0.2);
    service.hub.downloads()->resume(0);
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Running));
    service.hub.setPreferences({.offline = true}, {});  // going offline stops it
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Paused));
    service.hub.downloads()->resume(0);
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Failed));
    QVERIFY(service.of(0, DownloadsModel::ErrorRole).value<ErrorInfo>().detail.contains(QLatin1String("offline")));
    service.hub.downloads()->cancel(0);
    QTRY_COMPARE(service.hub.downloads()->count(), 0);
    QVERIFY(QDir(folder.filePath(QStringLiteral("models"))).isEmpty());
  }

  // Another choice than the recommended one is read before it is downloaded.
  void aChoiceThatCannotRunIsNotDownloaded() {
    QJsonObject published = filesOneOfWhichCannotRun();
    published[QStringLiteral("q-llama-Q6_K.gguf")] = QJsonObject{{QStringLiteral("path"), gguf}, {QStringLiteral("lfs"), true}};
    const FakeHub fake(published);
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!hub.isBusy() && !hub.isReading());
    QCOMPARE(hub.choices().size(), 3);
    const auto rowOf = [&](const char* label) {
      int row = static_cast<int>(hub.choices().size()) - 1;
      while (row >= 0 && field(hub.choices(), row, "label").toString() != QLatin1String(label)) --row;
      return row;
    };
    const int bad = rowOf("Q8_0"), good = rowOf("Q6_K");
    QCOMPARE(field(hub.choices(), bad, "fit").toString(), QStringLiteral("fits"));
    hub.download(bad);
    QTRY_COMPARE(field(hub.choices(), bad, "fit").toString(), QStringLiteral("cannot"));
    QVERIFY2(field(hub.choices(), bad, "reason").toString().contains(QLatin1String("zebra9")),
             qPrintable(field(hub.choices(), bad, "reason").toString()));
    QCOMPARE(field(hub.choices(), good, "fit").toString(), QStringLiteral("fits"));
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Failed));
    QVERIFY(service.of(0, DownloadsModel::ErrorRole).value<ErrorInfo>().details.contains(QLatin1String("zebra9")));
    QVERIFY(!QFileInfo::exists(folder.filePath(QStringLiteral("models/org"))));
    hub.downloads()->resume(0);  // all the same
    QTRY_COMPARE(field(hub.choices(), bad, "here").toString(), QStringLiteral("done"));
    hub.download(good);
    QTRY_COMPARE(field(hub.choices(), good, "here").toString(), QStringLiteral("done"));
  }

  // Nor is a choice called unable to run because the one that was read first is.
  void whatOneChoiceCannotIsNotSaidOfAnother() {
    const FakeHub fake(filesOneOfWhichCannotRun());
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    hub.search(fake.access().endpoint.toString() + QStringLiteral("/org/model/blob/main/q-llama-Q8_0.gguf"));
    QTRY_VERIFY(!hub.isBusy() && !hub.isReading() && hub.choices().size() == 2);
    const int bad = field(hub.choices(), 0, "label").toString() == QLatin1String("Q8_0") ? 0 : 1;
    QCOMPARE(field(hub.choices(), bad, "fit").toString(), QStringLiteral("cannot"));
    QCOMPARE(field(hub.choices(), 1 - bad, "fit").toString(), QString());
    hub.download(1 - bad);
    QTRY_COMPARE(field(hub.choices(), 1 - bad, "here").toString(), QStringLiteral("done"));
  }

  void whatIsTriedAgainDuringAnotherDownloadWaits() {
    QJsonObject published = twoFiles();
    published[QStringLiteral("big-Q8_0.gguf")] = QJsonObject{{QStringLiteral("size"), 12'000'000}};
    published[QStringLiteral("q-llama-Q8_0.gguf")] =
        QJsonObject{{QStringLiteral("size"), 200'000}, {QStringLiteral("faults"), QJsonArray{QStringLiteral("always wrong")}}};
    const FakeHub fake(published, {{QStringLiteral("rate"), 2e6}});
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!hub.isBusy() && !hub.isReading() && hub.choices().size() == 3);
    for (int choice = 0; choice < 3; ++choice)  // random bytes are no model
      if (field(hub.choices(), choice, "label").toString() != QLatin1String("Q4_K_M")) hub.download(choice);
    QTRY_COMPARE(hub.downloads()->count(), 2);
    for (int row = 0; row < 2; ++row)
      QTRY_COMPARE(service.of(row, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Failed));
    const int big = service.of(0, DownloadsModel::NameRole).toString().contains(QLatin1String("big")) ? 0 : 1;
    QSignalSpy told(hub.downloads(), &QAbstractItemModel::dataChanged);
    hub.downloads()->resume(1 - big);
    QTRY_VERIFY(told.count() > 1 && service.of(1 - big, DownloadsModel::StateRole).toInt() == DownloadsModel::Failed);
    hub.downloads()->resume(big);
    QTRY_COMPARE(service.of(big, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Running));
    hub.downloads()->resume(1 - big);
    QTRY_COMPARE(service.of(1 - big, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Waiting));
  }

  void aChoiceThatCannotRunIsForgotten() {
    const FakeHub fake(filesOneOfWhichCannotRun());
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    service.hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(!service.hub.isBusy() && !service.hub.isReading());
    const int bad = field(service.hub.choices(), 0, "label").toString() == QLatin1String("Q8_0") ? 0 : 1;
    service.hub.download(bad);
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Failed));
    service.hub.downloads()->cancel(0);
    QTRY_COMPARE(service.hub.downloads()->count(), 0);
    service.hub.download(bad);  // and the header is read once more
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Failed));
  }

  // The hub's host name cannot be resolved, so it is only reachable through the proxy.
  void theProxyOfOnesChoiceIsAsked() {
    const FakeHub fake(twoFiles());
    QTemporaryDir folder;
    HubAccess access = fake.access();
    const QString proxy = QStringLiteral("127.0.0.1:%1").arg(access.endpoint.port());
    access.endpoint = QUrl(QStringLiteral("http://hub.invalid"));
    HubService hub(access, folder.filePath(QStringLiteral("requests.log")), folder.filePath(QStringLiteral("models")), {});
    hub.setPreferences({.proxy = QStringLiteral("my proxy")}, {});
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY(hub.error().isSet());
    QVERIFY2(hub.error().detail.contains(QLatin1String("proxy in the settings is not an address")), qPrintable(hub.error().detail));
    hub.setPreferences({.proxy = proxy}, {.device = QStringLiteral("cpu")});
    hub.open(QStringLiteral("org/model"));
    QTRY_COMPARE(hub.choices().size(), 2);
    QVERIFY(!fake.stats()[QStringLiteral("asked")].toArray().isEmpty());
  }

  void aProxyIsReadFromText_data() {
    QTest::addColumn<int>("type");  // -1: refused
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("user");
    const auto row = [](const char* text, int type, const char* host = "", int port = 0, const char* user = "") {
      QTest::newRow(text) << type << QString::fromLatin1(host) << port << QString::fromLatin1(user);
    };
    row("", QNetworkProxy::DefaultProxy);
    row("none", QNetworkProxy::NoProxy);
    row("proxy.example:8080", QNetworkProxy::HttpProxy, "proxy.example", 8080);
    row(" http://10.0.0.1:3128/ ", QNetworkProxy::HttpProxy, "10.0.0.1", 3128);
    row("http://me:p%40ss@proxy:80", QNetworkProxy::HttpProxy, "proxy", 80, "me:p@ss");
    row("socks5://[::1]:1080", QNetworkProxy::Socks5Proxy, "::1", 1080);
    for (const char* text : {"proxy.example", "http://proxy.example", "ftp://proxy:21", "http://:80", "proxy:99999", "a b:80"})
      row(text, -1);
  }
  void aProxyIsReadFromText() {
    QFETCH(const int, type);
    QFETCH(const QString, host);
    QFETCH(const int, port);
    QFETCH(const QString, user);
    const auto proxy = proxyFrom(QString::fromLatin1(QTest::currentDataTag()));
    QCOMPARE(proxy.has_value(), type >= 0);
    if (!proxy) {
      QCOMPARE(proxy.error().kind, minerva::ErrorKind::invalidArgument);
      return;
    }
    QCOMPARE(static_cast<int>(proxy->type()), type);
    QCOMPARE(proxy->hostName(), host);
    QCOMPARE(static_cast<int>(proxy->port()), port);
    QCOMPARE(proxy->user() + (user.isEmpty() ? QString() : u':' + proxy->password()), user);
  }

  void whatGoesWrongIsExplainedAndTriedAgain() {
    const FakeHub fake(twoFiles());
    QTemporaryDir folder;
    HubPage service(fake, folder.path());
    service.hub.open(QStringLiteral("org/mdoel"));
    QTRY_VERIFY(service.hub.error().isSet());
    QVERIFY(service.hub.error().details.contains(QLatin1String("no such model")));
    QVERIFY(!service.hub.isBusy());
    service.hub.retry();
    QVERIFY(service.hub.isBusy() && !service.hub.error().isSet());
    service.hub.back();
    QVERIFY(!service.hub.isBusy());
    QCOMPARE(service.hub.repository(), QString());
  }

  void aLinkToElsewhereIsNeitherOpenedNorSearchedFor() {
    const FakeHub fake(twoFiles());
    QTemporaryDir folder;
    HubPage service(fake, folder.path());
    service.hub.search(QStringLiteral("https://evil.example/org/model"));
    QVERIFY2(service.hub.error().details.contains(QLatin1String("evil.example")), qPrintable(service.hub.error().details));
    QVERIFY(!service.hub.isBusy() && service.hub.repository().isEmpty());
    QTest::qWait(200);
    QVERIFY(fake.stats()[QStringLiteral("asked")].toArray().isEmpty());
  }

  void whatIsWaitedForIsSaid() {
    QTemporaryDir folder;
    HubAccess access;
    access.endpoint = QUrl(QStringLiteral("http://127.0.0.1:9"));
    HubService hub(access, folder.filePath(QStringLiteral("requests.log")), folder.filePath(QStringLiteral("models")), {});
    hub.setPreferences({}, {});
    hub.open(QStringLiteral("org/model"));
    QVERIFY(hub.waiting().isEmpty());
    QTRY_VERIFY(hub.waiting().contains(QLatin1String("refused; next attempt in ")));
    QVERIFY2(hub.waiting().startsWith(QLatin1String("No connection: ")), qPrintable(hub.waiting()));
    QCOMPARE(hub.waitHint(), QStringLiteral("Check the internet connection; a download keeps the data received so far"));
    hub.back();
    QVERIFY(hub.waiting().isEmpty() && hub.waitHint().isEmpty());
  }

  // A search that is not answered is no search without results, and what was found before stays until another is answered.
  void aSearchThatIsCancelledHasFoundNothing() {
    const FakeHub fake(twoFiles(), {}, {{QStringLiteral("tags"), QJsonArray{QStringLiteral("gguf")}}});
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    hub.search(QStringLiteral("mod"));
    QCOMPARE(hub.query(), QStringLiteral("mod"));
    QCOMPARE(hub.searched(), QString());
    hub.cancel();
    QVERIFY(!hub.isBusy() && hub.query().isEmpty() && hub.searched().isEmpty());
    hub.search(QStringLiteral("mod"));
    QTRY_COMPARE(hub.searched(), QStringLiteral("mod"));
    hub.search(QStringLiteral("other"));
    QCOMPARE(hub.searched(), QStringLiteral("mod"));
    QCOMPARE(hub.hits().size(), 1);
    hub.cancel();
    QVERIFY(!hub.isBusy());
    QCOMPARE(hub.query(), QStringLiteral("mod"));
    QCOMPARE(hub.hits().size(), 1);
  }

  void filesAreStillListedIfTheirReadingIsCancelled() {
    const FakeHub fake(twoFiles());
    const QTemporaryDir folder;
    HubPage service(fake, folder.path());
    HubService& hub = service.hub;
    connect(&hub, &HubService::changed, this, [&hub] {
      if (hub.isReading()) hub.cancel();
    });
    hub.open(QStringLiteral("org/model"));
    QTRY_COMPARE(hub.choices().size(), 2);
    QVERIFY(!hub.isReading() && !hub.isBusy());
    QCOMPARE(hub.repository(), QStringLiteral("org/model"));
    hub.download(0);  // reads it after all
    QTRY_COMPARE(field(hub.choices(), 0, "fit").toString(), QStringLiteral("fits"));
    QTRY_COMPARE(field(hub.choices(), 0, "here").toString(), QStringLiteral("done"));
  }

  void aDownloadThatCannotBeReadIsSaid() {
    QTemporaryDir folder;
    const QString journal = folder.filePath(QStringLiteral("models/org/model/.incoming/Q8_0/minerva-download.journal"));
    QVERIFY(QDir().mkpath(QFileInfo(journal).path()));
    QFile file(journal);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"item\": {\"repository\": 7}}\n") > 0);
    file.close();
    const FakeHub fake(twoFiles());
    HubPage service(fake, folder.path());
    std::optional<minerva::Error> said;
    connect(&service.hub, &HubService::downloadUnreadable, this, [&](const minerva::Error& error) { said = error; });
    QTRY_VERIFY(said.has_value());
    QCOMPARE(QString::fromStdString(said->where), journal);
  }

  void theCatalogueIsWhole() {
    const auto file = minerva::findResource("catalogue.json");
    QVERIFY(file.has_value());
    const QVariantList catalogue = readCatalogue(QString::fromStdString(file->string()));
    QVERIFY(catalogue.size() >= 5);
    for (const QVariant& entry : catalogue)
      for (const char* key : {"name", "repository", "format", "why"})
        QVERIFY2(!entry.toMap()[QString::fromLatin1(key)].toString().isEmpty(), key);
  }
};

APP_TEST(DiscoverTest, "discover", QCoreApplication)
#include "tst_discover.moc"
