// Updates of an installed model: the working version stays untouched until the new one is complete.
#include "app/hub/choices.h"
#include "app/hub/hub_worker.h"
#include "app/library/models_folder.h"
#include "app_test.h"
#include "hub_runs.h"
#include "patience.h"

#include <QDir>
#include <QDirIterator>
#include <QSignalSpy>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

using namespace minerva::app;

namespace {

bool hardLinks = true;  // false: as on a disk without them

}  // namespace

// Instead of the C library's.
extern "C" int link(const char* from, const char* to) noexcept {
  if (hardLinks) return ::linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  errno = EPERM;
  return -1;
}

namespace {

using Files = QMap<QString, QByteArray>;  // path below the repository's folder: sha256

QJsonObject random(int seed, qint64 size, const QStringList& faults = {}) {
  return {{QStringLiteral("size"), size}, {QStringLiteral("seed"), seed}, {QStringLiteral("faults"), QJsonArray::fromStringList(faults)}};
}
QJsonObject textFile(const QString& content) { return {{QStringLiteral("text"), content}}; }

QString shard(int number, int count) {
  return QStringLiteral("model-%1-of-%2.safetensors").arg(number, 5, 10, QLatin1Char('0')).arg(count, 5, 10, QLatin1Char('0'));
}

// A repository whose shards are generated from these seeds, in order.
QJsonObject folderOf(const QList<int>& seeds, const QString& about, qint64 size = 400'000) {
  QJsonObject files{{QStringLiteral("config.json"), textFile(QStringLiteral("{\"model_type\": \"llama\"}"))},
                    {QStringLiteral("tokenizer.json"), textFile(QStringLiteral("{}"))},
                    {QStringLiteral("model.safetensors.index.json"), textFile(about)}};
  for (int i = 0; i < seeds.size(); ++i) files[shard(i + 1, static_cast<int>(seeds.size()))] = random(seeds[i], size);
  return files;
}

QJsonObject oneFile(int seed, qint64 size = 1'000'000, const QStringList& faults = {}) {
  return {{QStringLiteral("model-Q8_0.gguf"), random(seed, size, faults)}};
}

// The files that a user would find there; hidden folders are excluded.
Files filesIn(const QString& folder) {
  Files files;
  QDirIterator all(folder, QDir::Files, QDirIterator::Subdirectories);
  while (all.hasNext()) {
    const QString path = all.next();
    files[QDir(folder).relativeFilePath(path)] = sha256Of(path);
  }
  return files;
}

Files filesOf(const QJsonObject& stats) {
  Files files;
  const QJsonObject listed = stats[QStringLiteral("files")].toObject();
  for (auto file = listed.begin(); file != listed.end(); ++file)
    files[file.key()] = file.value()[QStringLiteral("sha256")].toString().toLatin1();
  return files;
}

}  // namespace

class HubUpdatesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void init() {
    hardLinks = true;
    m_home = std::make_unique<QTemporaryDir>();
    qputenv("HOME", m_home->path().toLocal8Bit());
    qputenv("XDG_DATA_HOME", m_home->filePath(QStringLiteral("data")).toLocal8Bit());  // location of the trash
    m_models = m_home->filePath(QStringLiteral("models"));
    m_place = m_models + QStringLiteral("/org/model");
  }

  void whatIsGivenUpTouchesNothing_data() {
    QTest::addColumn<QJsonObject>("first");
    QTest::addColumn<QJsonObject>("second");
    QTest::addColumn<QString>("how");
    for (const char* how : {"queued", "running", "paused", "failed", "after a restart", "removed in the terminal"}) {
      const bool fails = qstrcmp(how, "failed") == 0;
      const QStringList faults = fails ? QStringList{QStringLiteral("always status 503")} : QStringList{};
      QJsonObject shards = folderOf({21, 22, 23}, QStringLiteral("new"), 2'000'000);
      if (fails) shards[shard(3, 3)] = random(23, 2'000'000, faults);
      QTest::addRow("a file, %s", how) << oneFile(1) << oneFile(2, 4'000'000, faults) << QString::fromLatin1(how);
      QTest::addRow("a folder, %s", how) << folderOf({11, 12, 13}, QStringLiteral("old"), 2'000'000) << shards << QString::fromLatin1(how);
    }
  }
  void whatIsGivenUpTouchesNothing() {
    QFETCH(const QJsonObject, first);
    QFETCH(const QJsonObject, second);
    QFETCH(const QString, how);
    const Files before = install(first);
    const FakeHub hub(second, {{QStringLiteral("rate"), 6e6}});
    Hurry hurry(hub.access());
    const DownloadItem item = itemOf(hurry);
    auto download = std::make_unique<Download>(&hurry.network, item, m_models);
    if (how == QLatin1String("failed")) {
      QCOMPARE(run(*download).state, DownloadStatus::Failed);
    } else if (how != QLatin1String("queued")) {
      download->start();
      // Up to the last file: the earlier files of the new version are complete by then.
      QVERIFY(QTest::qWaitFor([&] { return download->status().received > item.bytes() * 7 / 10; }, patienceMs));
    }
    QCOMPARE(filesIn(m_place), before);
    if (how == QLatin1String("paused")) download->pause();
    if (how == QLatin1String("after a restart")) {
      download.reset();
      QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>{item});
      download = std::make_unique<Download>(&hurry.network, Download::unfinished(m_models).first(), m_models);
    }
    if (how == QLatin1String("removed in the terminal")) {
      download.reset();
      const QList<FolderModel> listed = modelsIn(m_models);
      QCOMPARE(listed.size(), 2);
      QVERIFY(listed.first().complete() && !listed.last().complete());
      QVERIFY(removeModel(listed.last(), m_models).has_value());
    } else {
      download->cancel();
    }
    QCOMPARE(filesIn(m_place), before);
    QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>());
    QCOMPARE(QDir(m_place).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).filter(QStringLiteral("incoming")),
             QStringList());
  }

  void anUpdateThatArrivesDamagedTwiceLeavesTheOldVersion_data() {
    QTest::addColumn<QJsonObject>("first");
    QTest::addColumn<QJsonObject>("second");
    QTest::addColumn<QString>("damaged");
    const QStringList wrong{QStringLiteral("always wrong")};
    QTest::newRow("a file") << oneFile(1) << oneFile(2, 1'200'000, wrong) << QStringLiteral("model-Q8_0.gguf");
    QJsonObject shards = folderOf({21, 22, 23}, QStringLiteral("new"));
    shards[shard(3, 3)] = random(23, 400'000, wrong);
    QTest::newRow("the last shard of a folder") << folderOf({11, 12, 13}, QStringLiteral("old")) << shards << shard(3, 3);
  }
  void anUpdateThatArrivesDamagedTwiceLeavesTheOldVersion() {
    QFETCH(const QJsonObject, first);
    QFETCH(const QJsonObject, second);
    QFETCH(const QString, damaged);
    const Files before = install(first);
    const FolderModel old = modelsIn(m_models).first();
    const FakeHub hub(second);
    Hurry hurry(hub.access());
    const DownloadItem item = itemOf(hurry);
    Download download(&hurry.network, item, m_models);
    const DownloadStatus status = run(download);
    QCOMPARE(status.state, DownloadStatus::Failed);
    QCOMPARE(status.error->kind, minerva::ErrorKind::corrupt);
    QCOMPARE(hub.file(damaged)[QStringLiteral("requests")].toInt(), 2);
    const QString said = QString::fromStdString(status.error->message());
    const QString hash = QString::fromStdString(status.error->actual).section(u' ', 1, 1);  // "sha256 HASH both times"
    QVERIFY2(said.contains(QString::fromLatin1(filesOf(hub.stats())[damaged])), qPrintable(said));
    QVERIFY2(hash.size() == 64 && hash != QString::fromLatin1(filesOf(hub.stats())[damaged]) && said.contains(hash), qPrintable(said));
    QVERIFY(!status.replaced);
    // At once, and after a restart, every byte of the old version is where it was, and it is the one that is listed as complete.
    for (const bool restarted : {false, true}) {
      if (restarted) finishSwaps(m_models);
      QCOMPARE(filesIn(m_place), before);
      const QList<FolderModel> listed = modelsIn(m_models);
      QCOMPARE(listed.size(), 2);
      QVERIFY(listed.first().complete() && !listed.last().complete());
      QCOMPARE(listed.first().name, old.name);
      QCOMPARE(listed.first().path, old.path);
      QCOMPARE(Download::onDisk(item, m_models), OnDisk::other);  // the record of the files' origin names the old version
    }
    QVERIFY(!QFileInfo::exists(m_home->filePath(QStringLiteral("data/Trash"))));
    download.cancel();
    QCOMPARE(filesIn(m_place), before);
    QCOMPARE(modelsIn(m_models).size(), 1);
  }

  void anUpdateTakesTheOldOnesPlaceAndTheOldOneIsInTheTrash_data() {
    QTest::addColumn<QJsonObject>("first");
    QTest::addColumn<QJsonObject>("second");
    QTest::addColumn<QStringList>("unchanged");
    QTest::addColumn<bool>("links");
    QTest::newRow("a file") << oneFile(1) << oneFile(2, 1'200'000) << QStringList{} << true;
    const QStringList small{QStringLiteral("config.json"), QStringLiteral("tokenizer.json")};
    for (const bool links : {true, false})
      QTest::newRow(links ? "a folder" : "a folder on a disk without hard links")
          << folderOf({11, 12}, QStringLiteral("old")) << folderOf({11, 22}, QStringLiteral("new")) << small + QStringList{shard(1, 2)}
          << links;
    QTest::newRow("a folder of other shards") << folderOf({11, 12, 13}, QStringLiteral("old")) << folderOf({21, 22}, QStringLiteral("new"))
                                              << small << true;
  }
  void anUpdateTakesTheOldOnesPlaceAndTheOldOneIsInTheTrash() {
    QFETCH(const QJsonObject, first);
    QFETCH(const QJsonObject, second);
    QFETCH(const QStringList, unchanged);
    QFETCH(const bool, links);
    const Files before = install(first);
    hardLinks = links;
    const FakeHub hub(second);
    Hurry hurry(hub.access());
    Download download(&hurry.network, itemOf(hurry), m_models);
    const DownloadStatus status = run(download);
    QVERIFY2(status.state == DownloadStatus::Done, status.error ? status.error->message().c_str() : "");
    QCOMPARE(filesIn(m_place), filesOf(hub.stats()));
    for (const QString& path : unchanged) QCOMPARE(hub.file(path)[QStringLiteral("sent")].toInt(), 0);
    QCOMPARE(Download::onDisk(download.item(), m_models), OnDisk::same);
    QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>());
    QCOMPARE(modelsIn(m_models).size(), 1);
    // The old version is in the trash, complete with the record of its origin, under a name that is not used when it is
    // restored.
    const QString trash = m_home->filePath(QStringLiteral("data/Trash/files"));
    const QStringList old = QDir(trash).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(old.size(), 1);
    QCOMPARE(filesIn(trash + u'/' + old.first()), before);
    for (const QString& path : before.keys())
      QVERIFY2(QFileInfo::exists(trash + u'/' + old.first() + QStringLiteral("/.cache/huggingface/download/") + path +
                                 QStringLiteral(".metadata")),
               qPrintable(path));
    QFile info(m_home->filePath(QStringLiteral("data/Trash/info/")) + old.first() + QStringLiteral(".trashinfo"));
    QVERIFY(info.open(QIODevice::ReadOnly));
    QVERIFY(info.readAll().contains("models/org/model.replaced-"));
  }

  void whatHasNotChangedIsNotReplaced_data() {
    QTest::addColumn<bool>("links");
    QTest::newRow("a disk with hard links") << true;
    QTest::newRow("a disk without them") << false;
  }
  void whatHasNotChangedIsNotReplaced() {
    QFETCH(const bool, links);
    const QJsonObject files = folderOf({11, 12}, QStringLiteral("old"));
    const Files before = install(files);
    hardLinks = links;
    const FakeHub hub(files);
    Hurry hurry(hub.access());
    Download download(&hurry.network, itemOf(hurry), m_models);
    const DownloadStatus status = run(download);
    QCOMPARE(status.state, DownloadStatus::Done);
    QVERIFY(!status.replaced);
    QCOMPARE(status.received, 0);
    QCOMPARE(filesIn(m_place), before);
    QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>());
    QVERIFY(!QFileInfo::exists(m_home->filePath(QStringLiteral("data/Trash"))));
  }

  void aFileOfAnotherNameIsNoEarlierVersion() {
    const Files before = install({{QStringLiteral("first-Q8_0.gguf"), random(1, 300'000)}});
    const FakeHub hub({{QStringLiteral("second-Q8_0.gguf"), random(2, 300'000)}});
    Hurry hurry(hub.access());
    Download download(&hurry.network, itemOf(hurry), m_models);
    QCOMPARE(run(download).state, DownloadStatus::Done);
    QCOMPARE(filesIn(m_place).size(), 2);
    QCOMPARE(filesIn(m_place)[before.firstKey()], before.first());
  }

  // As left by versions without staging: verified files at their final place, a partial file next to them, and a journal.
  void aDownloadOfAnEarlierMinervaGoesOn() {
    const FakeHub hub(folderOf({11, 12}, QStringLiteral("one"), 3'000'000), {{QStringLiteral("rate"), 6e6}});
    Hurry hurry(hub.access());
    const DownloadItem item = itemOf(hurry);
    {
      Download download(&hurry.network, item, m_models);
      download.start();
      QVERIFY(QTest::qWaitFor([&] { return download.status().received > item.bytes() * 7 / 10; }, patienceMs));
      download.pause();
    }
    const QString staged = item.stagingFolder(m_models) + QStringLiteral("/new/");
    for (const QFileInfo& file : QDir(staged).entryInfoList(QDir::Files))
      QVERIFY(QFile::rename(file.filePath(), m_place + u'/' + file.fileName()));
    QVERIFY(QFile::rename(item.journalPath(m_models), m_place + QStringLiteral("/SafeTensors.download")));
    QVERIFY(QDir(item.stagingFolder(m_models)).removeRecursively());
    finishSwaps(m_models);
    QCOMPARE(filesIn(m_place), Files());  // no partial model is visible any more
    QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>{item});
    Download again(&hurry.network, item, m_models);
    QCOMPARE(run(again).state, DownloadStatus::Done);
    QCOMPARE(filesIn(m_place), filesOf(hub.stats()));
    QVERIFY(hub.file(shard(1, 2))[QStringLiteral("requests")].toInt() == 1);  // it was complete before
  }

  void withoutATrashTheOldVersionStaysAsAModelOfItsOwn() {
    const Files before = install(oneFile(1));
    QFile blocked(m_home->filePath(QStringLiteral("data")));
    QVERIFY(blocked.open(QIODevice::WriteOnly));
    const FakeHub hub(oneFile(2));
    Hurry hurry(hub.access());
    Download download(&hurry.network, itemOf(hurry), m_models);
    QCOMPARE(run(download).state, DownloadStatus::Done);
    QCOMPARE(filesIn(m_place), filesOf(hub.stats()));
    const QList<FolderModel> listed = modelsIn(m_models);
    QCOMPARE(listed.size(), 2);
    const FolderModel& old = listed.first();  // sorted by name
    QVERIFY2(old.complete() && old.name.startsWith(QLatin1String("org/model.replaced-")), qPrintable(old.name));
    QCOMPARE(sha256Of(old.path), before.first());
  }

  // The old files are set aside, and moving the new ones in has stopped halfway.
  void anUpdateThatStoppedHalfwayKeepsTheOldVersion_data() {
    QTest::addColumn<QString>("then");
    for (const char* then : {"tried again", "the hub has a newer one", "cancelled", "removed in the terminal"})
      QTest::newRow(then) << QString::fromLatin1(then);
  }
  void anUpdateThatStoppedHalfwayKeepsTheOldVersion() {
    QFETCH(const QString, then);
    const Files before = install(folderOf({11, 12}, QStringLiteral("old")));
    const FakeHub hub(folderOf({21, 22}, QStringLiteral("new")));
    Hurry hurry(hub.access());
    const DownloadItem item = itemOf(hurry);
    stopHalfway(hurry, item);
    const Files second = filesOf(hub.stats());
    QList<Files> trashed{before};
    if (then == QLatin1String("the hub has a newer one")) {
      const FakeHub newer(folderOf({31, 32}, QStringLiteral("newest")));
      Hurry again(newer.access());
      Download download(&again.network, itemOf(again), m_models);
      const DownloadStatus status = run(download);
      QVERIFY2(status.state == DownloadStatus::Done, status.error ? status.error->message().c_str() : "");
      QCOMPARE(filesIn(m_place), filesOf(newer.stats()));
      trashed << second;
    } else if (then == QLatin1String("removed in the terminal")) {
      QVERIFY(removeModel(modelsIn(m_models).last(), m_models).has_value());
      QCOMPARE(filesIn(m_place), second);
    } else {
      Download download(&hurry.network, item, m_models);
      if (then == QLatin1String("cancelled")) download.cancel();  // too late for that
      else run(download);
      QVERIFY2(download.status().state == DownloadStatus::Done, download.status().error ? download.status().error->message().c_str() : "");
      QVERIFY(download.status().replaced && !download.status().replaced->place.at.isEmpty());
      QCOMPARE(filesIn(m_place), second);
    }
    const QDir trash(m_home->filePath(QStringLiteral("data/Trash/files")));
    QList<Files> found;
    for (const QFileInfo& folder : trash.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) found << filesIn(folder.filePath());
    QCOMPARE(found.size(), trashed.size());
    for (const Files& version : trashed) QVERIFY(found.contains(version));
    QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>());
  }

  void aRowStaysIfItsDownloadCouldNotBeCancelled() {
    const FakeHub hub(oneFile(2, 1'000'000, {QStringLiteral("always status 503")}));
    Hurry hurry(hub.access());
    const DownloadItem item = itemOf(hurry);
    Download failed(&hurry.network, item, m_models);
    QCOMPARE(run(failed).state, DownloadStatus::Failed);
    HubWorker worker(hub.access(), nullptr, m_models, {});
    DownloadStatus last;
    connect(&worker, &HubWorker::downloadChanged, this, [&](const DownloadItem&, const DownloadStatus& status) { last = status; });
    const QSignalSpy removed(&worker, &HubWorker::downloadRemoved);
    worker.findUnfinished();
    {
      const auto locked = Journal::open(item.journalPath(m_models));  // as by another process
      QVERIFY(locked.has_value());
      worker.cancel(item.name());
      QCOMPARE(last.state, DownloadStatus::Failed);
      QVERIFY(last.error.has_value());
      QCOMPARE(removed.size(), 0);
    }
    worker.cancel(item.name());
    QCOMPARE(removed.size(), 1);
    QCOMPARE(Download::unfinished(m_models), QList<DownloadItem>());
  }

  void aCancelThatCameTooLateIsListedAsInstalled() {
    const Files before = install(folderOf({11, 12}, QStringLiteral("old")));
    const FakeHub hub(folderOf({21, 22}, QStringLiteral("new")));
    Hurry hurry(hub.access());
    const DownloadItem item = itemOf(hurry);
    stopHalfway(hurry, item);
    HubWorker worker(hub.access(), nullptr, m_models, {});
    DownloadStatus last;
    connect(&worker, &HubWorker::downloadChanged, this, [&](const DownloadItem&, const DownloadStatus& status) { last = status; });
    const QSignalSpy removed(&worker, &HubWorker::downloadRemoved);
    worker.findUnfinished();
    worker.cancel(item.name());
    QCOMPARE(last.state, DownloadStatus::Done);
    QVERIFY(last.replaced.has_value());
    QCOMPARE(filesIn(last.replaced->place.at), before);
    QCOMPARE(removed.size(), 0);
    worker.cancel(item.name());  // a finished download is only removed from the list
    QCOMPARE(removed.size(), 1);
    QCOMPARE(filesIn(m_place), filesOf(hub.stats()));
  }

  // The old version cannot be renamed from there to a folder beside it.
  void aRepositoryOnAnotherDiskKeepsItsOldVersion() {
    const QTemporaryDir disk(QStringLiteral("/dev/shm/minerva-test-XXXXXX"));
    struct stat here {
    }, there{};
    const bool other = disk.isValid() && ::stat(QFile::encodeName(m_home->path()).constData(), &here) == 0 &&
                       ::stat(QFile::encodeName(disk.path()).constData(), &there) == 0 && here.st_dev != there.st_dev;
    if (!other) QSKIP("there is no second file system");
    QVERIFY(QDir().mkpath(QFileInfo(m_place).path()) && QFile::link(disk.path(), m_place));
    const Files before = install(oneFile(1));
    QFile blocked(m_home->filePath(QStringLiteral("data")));  // no trash
    QVERIFY(blocked.open(QIODevice::WriteOnly));
    const FakeHub hub(oneFile(2));
    Hurry hurry(hub.access());
    Download download(&hurry.network, itemOf(hurry), m_models);
    const DownloadStatus status = run(download);
    QVERIFY2(status.state == DownloadStatus::Done, status.error ? status.error->message().c_str() : "");
    QCOMPARE(sha256Of(download.modelPath()), filesOf(hub.stats()).first());
    QVERIFY(status.replaced && status.replaced->place.at.isEmpty() && status.replaced->bytes > 0);
    QCOMPARE(filesIn(status.replaced->place.from), before);
    QCOMPARE(modelsIn(m_models).size(), 2);  // the old version is listed
  }

 private:
  // Leaves the update as a swap that could not move in its last file.
  void stopHalfway(Hurry& hurry, const DownloadItem& item) const {
    const QString staging = item.stagingFolder(m_models);
    QFile blocker(staging + QStringLiteral("/old"));
    if (!QDir().mkpath(staging) || !blocker.open(QIODevice::WriteOnly)) qFatal("no staging folder");
    Download download(&hurry.network, item, m_models);
    if (run(download).state != DownloadStatus::Failed || !blocker.remove()) qFatal("the swap was not stopped");
    QDir old(blocker.fileName()), fresh(staging + QStringLiteral("/new"));
    bool moved = old.mkpath(QStringLiteral("."));
    for (const HubFile& file : item.files) {
      moved = moved && QFile::rename(m_place + u'/' + file.path, old.filePath(file.path));
      if (file != item.files.last()) moved = moved && QFile::rename(fresh.filePath(file.path), m_place + u'/' + file.path);
    }
    if (!moved) qFatal("the files were not moved");
  }
  static DownloadItem itemOf(Hurry& hurry) { return choicesOf(*minerva::app::filesOf(hurry.network)).first(); }
  // Downloads the repository's first version.
  Files install(const QJsonObject& files) const {
    const FakeHub hub(files);
    Hurry hurry(hub.access());
    Download download(&hurry.network, itemOf(hurry), m_models);
    if (run(download).state != DownloadStatus::Done) qFatal("not installed");
    return filesIn(m_place);
  }
  std::unique_ptr<QTemporaryDir> m_home;
  QString m_models, m_place;
};

APP_TEST(HubUpdatesTest, "hub_updates", QCoreApplication)
#include "tst_hub_updates.moc"
