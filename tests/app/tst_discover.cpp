// The hub as the window sees it: search, one repository with what fits, downloads; against a hub on the loopback.
#include "app/hub/hub_service.h"
#include "app/library/model_library.h"
#include "core/base/resource_paths.h"
#include "fake_hub.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <cmath>

using namespace minerva::app;

namespace {

constexpr int patienceMs = 30000;
const QString gguf = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/q-llama/gguf/q-llama-Q4_K_M.gguf");

QJsonObject files() {
  const QJsonObject model{{QStringLiteral("path"), gguf}, {QStringLiteral("lfs"), true}};
  return {{QStringLiteral("q-llama-Q4_K_M.gguf"), model},
          {QStringLiteral("q-llama-Q8_0.gguf"), QJsonObject{{QStringLiteral("size"), 2'000'000}}}};
}

QVariant field(const QVariantList& list, int row, const char* key) { return list[row].toMap()[QString::fromLatin1(key)]; }

struct Service {
  explicit Service(const FakeHub& hub, const QString& folder)
      : hub(hub.access(), folder + QStringLiteral("/requests.log"), folder + QStringLiteral("/models"), {}) {
    this->hub.setPreferences(false, 0, {.device = QStringLiteral("cpu")});
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
    const FakeHub fake(files());
    QTemporaryDir folder;
    const QString there = folder.filePath(QStringLiteral("models/org/model/q-llama-Q4_K_M.gguf"));
    Service service(fake, folder.path());
    HubService& hub = service.hub;
    hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY_WITH_TIMEOUT(!hub.isBusy() && !hub.isReading(), patienceMs);
    QCOMPARE(hub.choices().size(), 2);
    QCOMPARE(field(hub.choices(), 0, "here").toString(), QString());
    QCOMPARE(field(hub.choices(), 0, "expected").toDouble(), 0.0);  // nothing was measured yet
    // The same file's bytes a token, from the engine's own plan; the larger one reads in proportion to its size.
    const FitQuestion asked{.path = gguf, .preferences = {.device = QStringLiteral("cpu")}};
    const double bandwidth = 1e9, perToken = checkFit(asked).bytesPerToken;
    QVERIFY(perToken > 0 && perToken < static_cast<double>(QFileInfo(gguf).size()));
    hub.setBandwidth(bandwidth);
    const double size = field(hub.choices(), 0, "bytes").toDouble();
    const double weights = static_cast<double>(checkFit(asked).weights);
    QCOMPARE(field(hub.choices(), 0, "expected").toDouble(), bandwidth / (perToken * size / weights));
    const double ratio = field(hub.choices(), 0, "expected").toDouble() / field(hub.choices(), 1, "expected").toDouble();
    QVERIFY(std::abs(ratio - field(hub.choices(), 1, "bytes").toDouble() / size) < 1e-6);

    hub.download(0);
    QTRY_COMPARE_WITH_TIMEOUT(field(hub.choices(), 0, "here").toString(), QStringLiteral("done"), patienceMs);
    QCOMPARE(field(hub.choices(), 0, "path").toString(), there);
    QCOMPARE(field(hub.choices(), 1, "here").toString(), QString());
    Service later(fake, folder.path());  // another start of the program
    later.hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY_WITH_TIMEOUT(!later.hub.isBusy(), patienceMs);
    QCOMPARE(field(later.hub.choices(), 0, "here").toString(), QStringLiteral("done"));
    QVERIFY(QFile::resize(there, 1000));
    later.hub.open(QStringLiteral("org/model"));
    QTRY_VERIFY_WITH_TIMEOUT(!later.hub.isBusy(), patienceMs);
    QCOMPARE(field(later.hub.choices(), 0, "here").toString(), QString());  // not whole
  }

  void aModelIsFoundLookedAtDownloadedAndListed() {
    const FakeHub fake(files(), {}, {{QStringLiteral("tags"), QJsonArray{QStringLiteral("gguf")}}});
    QTemporaryDir folder;
    Service service(fake, folder.path());
    HubService& hub = service.hub;
    QTest::qWait(200);
    QVERIFY(fake.stats()[QStringLiteral("asked")].toArray().isEmpty());  // nobody is asked at the start

    hub.search(QStringLiteral("mod"));
    QVERIFY(hub.isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!hub.isBusy(), patienceMs);
    QCOMPARE(hub.hits().size(), 1);
    QCOMPARE(field(hub.hits(), 0, "name").toString(), QStringLiteral("org/model"));
    QCOMPARE(field(hub.hits(), 0, "formats").toStringList(), QStringList{QStringLiteral("GGUF")});

    hub.open(QStringLiteral("org/model"));
    QTRY_COMPARE_WITH_TIMEOUT(hub.choices().size(), 2, patienceMs);
    QVERIFY(field(hub.choices(), 0, "recommended").toBool() && !field(hub.choices(), 1, "recommended").toBool());
    QTRY_VERIFY_WITH_TIMEOUT(!hub.isReading(), patienceMs);
    QVERIFY2(!hub.error().isSet(), qPrintable(hub.error().details));
    QVERIFY2(hub.about().startsWith(QStringLiteral("llama · ")), qPrintable(hub.about()));
    QCOMPARE(field(hub.choices(), 0, "fit").toString(), QStringLiteral("fits"));
    QCOMPARE(field(hub.choices(), 1, "fit").toString(), QStringLiteral("fits"));
    QVERIFY(fake.file(QStringLiteral("q-llama-Q8_0.gguf"))[QStringLiteral("sent")].toInt() == 0);

    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("models.ini")), {});
    connect(hub.downloads(), &DownloadsModel::finished, &library, &ModelLibrary::add);
    hub.download(0);
    QTRY_COMPARE_WITH_TIMEOUT(library.count(), 1, patienceMs);
    QCOMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Done));
    QCOMPARE(library.index(0).data(ModelLibrary::PathRole).toString(), service.of(0, DownloadsModel::PathRole).toString());
    QTRY_COMPARE(library.index(0).data(ModelLibrary::FormatRole).toString(), QStringLiteral("GGUF"));
    hub.downloads()->cancel(0);  // takes it off the list only
    QTRY_COMPARE(hub.downloads()->count(), 0);
    ModelLibrary another(nullptr, folder.filePath(QStringLiteral("other.ini")), {});
    another.addFolder(folder.filePath(QStringLiteral("models")));
    QTRY_COMPARE(another.count(), 1);
    QVERIFY(hub.requests().size() >= 8);
  }

  void aLinkOpensItsRepositoryAndADownloadIsPausedResumedAndCancelled() {
    const FakeHub fake({{QStringLiteral("big-Q8_0.gguf"), QJsonObject{{QStringLiteral("size"), 12'000'000}}}},
                       {{QStringLiteral("rate"), 4e6}});
    QTemporaryDir folder;
    {
      Service service(fake, folder.path());
      HubService& hub = service.hub;
      hub.search(fake.access().endpoint.toString() + QStringLiteral("/org/model/blob/main/big-Q8_0.gguf"));
      QCOMPARE(hub.repository(), QStringLiteral("org/model"));
      QTRY_VERIFY_WITH_TIMEOUT(hub.error().isSet() || !hub.problem().isEmpty(),
                               patienceMs);  // random bytes are no model
      QCOMPARE(hub.choices().size(), 1);
      hub.download(0);
      QTRY_VERIFY_WITH_TIMEOUT(service.of(0, DownloadsModel::ShareRole).toDouble() > 0.2, patienceMs);
      hub.downloads()->pause(0);
      QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Paused));
    }
    Service service(fake, folder.path());  // the next start: there, paused, and nobody is asked
    QTRY_COMPARE(service.hub.downloads()->count(), 1);
    QCOMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Paused));
    QVERIFY(service.of(0, DownloadsModel::ShareRole).toDouble() > 0.2);
    service.hub.downloads()->resume(0);
    QTRY_COMPARE_WITH_TIMEOUT(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Running), patienceMs);
    service.hub.setPreferences(true, 0, {});  // offline stops it
    QTRY_COMPARE(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Paused));
    service.hub.downloads()->resume(0);
    QTRY_COMPARE_WITH_TIMEOUT(service.of(0, DownloadsModel::StateRole).toInt(), static_cast<int>(DownloadsModel::Failed), patienceMs);
    QVERIFY(service.of(0, DownloadsModel::ErrorRole).value<ErrorInfo>().detail.contains(QLatin1String("offline")));
    service.hub.downloads()->cancel(0);
    QTRY_COMPARE(service.hub.downloads()->count(), 0);
    QVERIFY(QDir(folder.filePath(QStringLiteral("models"))).isEmpty());
  }

  void whatGoesWrongIsExplainedAndTriedAgain() {
    const FakeHub fake(files());
    QTemporaryDir folder;
    Service service(fake, folder.path());
    service.hub.open(QStringLiteral("org/mdoel"));
    QTRY_VERIFY_WITH_TIMEOUT(service.hub.error().isSet(), patienceMs);
    QVERIFY(service.hub.error().details.contains(QLatin1String("no such model")));
    QVERIFY(!service.hub.isBusy());
    service.hub.retry();
    QVERIFY(service.hub.isBusy() && !service.hub.error().isSet());
    service.hub.back();
    QVERIFY(!service.hub.isBusy());
    QCOMPARE(service.hub.repository(), QString());
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

QTEST_GUILESS_MAIN(DiscoverTest)
#include "tst_discover.moc"
