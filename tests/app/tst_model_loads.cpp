// Loads that fail, are cancelled or do not fit: what is said, and what goes on meanwhile.
#include "app/library/load_forecast.h"
#include "app/library/model_library.h"
#include "gpu/available.h"
#include "app_test.h"
#include "inference_bench.h"
#include "long_winded.h"
#include "patience.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>

using namespace minerva::app;
namespace engine = minerva::engine;

class ModelLoadsTest : public InferenceBench {
  Q_OBJECT
 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { m_controller.reset(); }

  void aFileThatIsNotThereIsAnError() {
    m_controller->load(QStringLiteral("/no/such/model.gguf"));
    QTRY_COMPARE(m_controller->state(), InferenceController::Failed);
    const ErrorInfo& error = m_controller->error();
    QCOMPARE(error.headline, QStringLiteral("model.gguf could not be loaded"));
    QCOMPARE(error.kind, QStringLiteral("not found"));
    QVERIFY(!error.detail.isEmpty());
    QVERIFY(!m_controller->model().isSet());
    QCOMPARE(m_controller->submit({}), 0U);
    m_controller->dismissError();
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    load(builtIn);
  }

  // The reply continues, and so does the conversation.
  void aFileThatCannotBeLoadedLeavesTheModelThatReplies() {
    QTemporaryDir folder;
    const QString damaged = copyOfBuiltIn(folder.path());
    QFile weights(damaged + QStringLiteral("/model.safetensors"));
    QVERIFY(weights.resize(weights.size() / 2));
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = longWindedContext});
    load(longWindedModel(folder.path()));
    const ModelFacts before = m_controller->model();
    HeardUpdates heard(*m_controller);
    const quint64 request = m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    QSignalSpy failed(m_controller.get(), &InferenceController::loadFailed);
    QSignalSpy changed(m_controller.get(), &InferenceController::modelChanged);
    m_controller->load(damaged);
    QVERIFY(m_controller->model() == before);
    QVERIFY(failed.wait(patienceMs));
    QCOMPARE(failed[0][0].toString(), damaged);
    QCOMPARE(m_controller->error().kind, QStringLiteral("corrupt"));
    QVERIFY(m_controller->model() == before);
    QCOMPARE(changed.count(), 0);
    QCOMPARE(m_controller->state(), InferenceController::Generating);
    const int soFar = heard.tokens;
    QTRY_VERIFY(heard.tokens > soFar + 10 || heard.done());
    QVERIFY(!heard.done());
    m_controller->cancel(request);
    QTRY_VERIFY(heard.done());
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
    QVERIFY(m_controller->error().isSet());  // until it is dismissed
    m_controller->dismissError();
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QVERIFY(!m_controller->error().isSet());
    const HeardUpdates again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
    QVERIFY(again.finished);
  }

  // One that had to go for a load that one insisted on, which then failed.
  void aModelThatHadToMakeRoomComesBack() {
    QTemporaryDir folder;
    const QString longWinded = longWindedModel(folder.path());
    const QString large = copyOfBuiltIn(folder.path(), QStringLiteral("large"), 1 << 24);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = longWindedContext});
    load(longWinded);
    const HeardUpdates heard(*m_controller);
    m_controller->submit(question("Tell me a long story", 100000));
    QTRY_VERIFY(heard.tokens > 3);
    QSignalSpy loaded(m_controller.get(), &InferenceController::loaded), failed(m_controller.get(), &InferenceController::loadFailed);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 1 << 24});
    m_controller->load(large);
    QVERIFY(failed.wait(patienceMs));
    QVERIFY(m_controller->isTooLarge());
    QVERIFY(!heard.done());
    const QString weights = large + QStringLiteral("/model.safetensors"), aside = folder.filePath(QStringLiteral("aside"));
    QVERIFY(QFile::rename(weights, aside));
    m_controller->loadAnyway();
    QVERIFY(loaded.wait(patienceMs));
    QCOMPARE(loaded[0][0].toString(), longWinded);
    QCOMPARE(m_controller->model().path, longWinded);
    QCOMPARE(m_controller->model().contextLength, longWindedContext);  // as loaded before
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QVERIFY(heard.done());
    QVERIFY2(m_controller->error().headline.startsWith(QFileInfo(large).fileName()), qPrintable(m_controller->error().headline));
    const HeardUpdates again(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(again.done());
    QVERIFY(again.finished);
    QVERIFY(QFile::rename(aside, weights));
    m_controller->loadAnyway();  // loads the one that failed
    QTRY_COMPARE(m_controller->model().path, large);
  }

  void aLongerContextThatDoesNotFitKeepsTheShorterOne() {
    QTemporaryDir folder;
    const QString large = copyOfBuiltIn(folder.path(), QStringLiteral("large"), 1 << 24);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 512});
    load(large);
    QSignalSpy failed(m_controller.get(), &InferenceController::loadFailed),
        changed(m_controller.get(), &InferenceController::modelChanged);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 1 << 24});
    m_controller->reload();
    QVERIFY(failed.wait(patienceMs));
    QVERIFY(m_controller->isTooLarge());
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QCOMPARE(m_controller->model().contextLength, 512);
    QCOMPARE(changed.count(), 0);  // it was not unloaded meanwhile
  }

  void aModelThatRestsStillRestsAfterAFailedLoad() {
    load(builtIn);
    m_controller->setRestAfter(std::chrono::milliseconds(50));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    m_controller->setRestAfter({});
    const double freed = m_controller->freedBytes();
    QSignalSpy failed(m_controller.get(), &InferenceController::loadFailed);
    m_controller->load(QStringLiteral("/no/such/model.gguf"));
    QVERIFY(failed.wait(patienceMs));
    QCOMPARE(m_controller->state(), InferenceController::Resting);
    QCOMPARE(m_controller->freedBytes(), freed);
    const HeardUpdates heard(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.finished);
  }

  void malformedFilesEachSayWhatIsWrong() {
    const QString corpus = QStringLiteral(MINERVA_REFERENCE_DIR "/oracle/malformed/gguf");
    QVERIFY(QDir(corpus).exists());
    int failures = 0;
    for (const QString& name : QDir(corpus).entryList(QDir::Files)) {
      m_controller->load(corpus + QLatin1Char('/') + name);
      QTRY_VERIFY(m_controller->state() != InferenceController::Loading);
      if (!m_controller->error().isSet()) continue;
      ++failures;
      QVERIFY2(!m_controller->error().detail.isEmpty(), qPrintable(name));
      QVERIFY2(!m_controller->error().details.contains(QLatin1String("unknown error"), Qt::CaseInsensitive), qPrintable(name));
    }
    QVERIFY(failures > 20);
    load(builtIn);
  }

  void aModelThatIsDeletedIsNotLoadedAnyMore() {
    const QTemporaryDir home;
    qputenv("HOME", home.path().toLocal8Bit());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("data")).toLocal8Bit());
    QStringList paths;
    for (const char* name : {"first", "second"}) paths << copyOfBuiltIn(home.filePath(QStringLiteral("models/org")), QLatin1String(name));
    ModelLibrary library(m_controller.get(), home.filePath(QStringLiteral("models.ini")), {});
    library.addFolder(home.filePath(QStringLiteral("models")));
    QTRY_COMPARE(library.count(), 2);
    const auto rowOf = [&](const QString& path) {
      int row = library.count() - 1;
      while (row >= 0 && library.index(row).data(ModelLibrary::PathRole).toString() != path) --row;
      return row;
    };
    load(builtIn);
    const QSignalSpy cancelled(m_controller.get(), &InferenceController::loadCancelled),
        loaded(m_controller.get(), &InferenceController::loaded);
    library.openPath(paths[0]);
    QCOMPARE(m_controller->state(), InferenceController::Loading);
    library.moveToTrash(rowOf(paths[0]));
    QCOMPARE(cancelled.count(), 1);
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QCOMPARE(m_controller->model().path, builtIn);
    QTRY_COMPARE(library.count(), 1);
    // While one is on its way to the trash, no other follows it, and none is unloaded for that.
    library.trash()->undo();
    QTRY_COMPARE(library.count(), 2);
    load(paths[1]);
    library.moveToTrash(rowOf(paths[0]));
    library.moveToTrash(rowOf(paths[1]));
    QCOMPARE(m_controller->model().path, paths[1]);
    QTRY_COMPARE(library.count(), 1);
    QTRY_VERIFY(!library.trash()->isBusy());
    QVERIFY(QFile::exists(paths[1] + QStringLiteral("/config.json")) && !QFile::exists(paths[0] + QStringLiteral("/config.json")));
    QVERIFY(m_controller->isReady());
    QCOMPARE(loaded.count(), 1);
  }

  void aLoadIsCancelled() {
    const QSignalSpy cancelled(m_controller.get(), &InferenceController::loadCancelled);
    m_controller->cancelLoad();  // no load is in progress
    QCOMPARE(cancelled.count(), 0);
    m_controller->load(builtIn);
    QElapsedTimer clock;
    clock.start();
    m_controller->cancelLoad();
    QCOMPARE(cancelled.count(), 1);
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    QTest::qWait(200);
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    QVERIFY(!m_controller->model().isSet());
    load(builtIn);
    QTemporaryDir folder;
    m_controller->load(copyOfBuiltIn(folder.path()));
    m_controller->cancelLoad();
    QCOMPARE(m_controller->state(), InferenceController::Ready);
    QTest::qWait(200);
    QCOMPARE(m_controller->model().path, builtIn);
    const HeardUpdates heard(*m_controller);
    m_controller->submit(question("Hi", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY(heard.finished);
    QCOMPARE(cancelled.count(), 2);
    m_controller->unload();
    QCOMPARE(cancelled.count(), 2);
    m_controller->load(builtIn);
    m_controller->unload();
    QCOMPARE(cancelled.count(), 3);
  }

  void aDeviceThatIsNotThereFallsBackAndSaysWhy() {
    m_controller->setPreferences({.device = QStringLiteral("vulkan:99")});
    load(builtIn);
    QVERIFY(m_controller->device().fallback);
    QVERIFY(!m_controller->device().reason.isEmpty());
    QVERIFY(m_controller->device().text.startsWith(QLatin1String("CPU")));
  }

  // If a GPU has too little memory, its layers are split with the CPU; if not even one fits, the CPU gets all of them. The
  // badge says so.
  void aGpuThatIsTooSmallSharesTheModelAndSaysWhy() {
    const auto all = minerva::availableDevices();
    const auto gpu = std::ranges::find(all.devices, "Vulkan", &minerva::backend::DeviceInfo::kind);
    if (gpu == all.devices.end()) QSKIP("skipped: no Vulkan device here");
    const QString id = QString::fromStdString(gpu->id);
    load(builtIn);
    const quint64 needed = static_cast<quint64>(m_controller->model().weightBytes + m_controller->model().kvBytes);
    LoadForecast forecast;
    forecast.setWanted(true);
    forecast.ask(QStringLiteral("M"), {.path = builtIn, .preferences = {.device = id, .gpuMemory = needed}});
    QTRY_VERIFY(!forecast.fit().isEmpty());
    QVERIFY(forecast.fit() != QLatin1String("fits"));
    QCOMPARE(forecast.room(), static_cast<double>(needed));
    m_controller->setPreferences({.device = id, .gpuMemory = needed});  // leaves no room for scratch memory
    load(builtIn);
    QCOMPARE(m_controller->device().id, id + QLatin1String("+cpu"));
    QVERIFY2(m_controller->device().detail.contains(QLatin1String(" layers on ") + id), qPrintable(m_controller->device().detail));
    QVERIFY(m_controller->device().fallback);
    QVERIFY2(m_controller->device().reason.contains(QLatin1String("does not fit into memory")), qPrintable(m_controller->device().reason));
    HeardUpdates heard(*m_controller);
    m_controller->submit(question("Tell me a story", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY2(heard.finished.has_value(), heard.failed ? heard.failed->error.message().c_str() : "");
    m_controller->setPreferences({.device = id, .gpuMemory = 100'000});
    load(builtIn);
    QCOMPARE(m_controller->device().id, QStringLiteral("cpu"));
    QVERIFY(m_controller->device().fallback);
    m_controller->setPreferences({.device = id});
    load(builtIn);
    QCOMPARE(m_controller->device().id, id);
    // There is room for one model, but not for two: the first is unloaded instead of splitting the second with the CPU.
    const auto held = static_cast<quint64>(m_controller->model().heldBytes);
    m_controller->setPreferences({.device = id, .gpuMemory = held + held / 2});
    load(builtIn);
    const QTemporaryDir folder;
    const QString second = copyOfBuiltIn(folder.path());
    QSignalSpy changed(m_controller.get(), &InferenceController::modelChanged);
    load(second);
    QCOMPARE(m_controller->device().id, id);
    QCOMPARE(changed.count(), 2);  // unloaded, then loaded
  }

  // 3 TB of KV cache, of which a short conversation touches only a little.
  void whatDoesNotFitIsLoadedWhereOneInsists() {
    QTemporaryDir folder;
    const QString large = copyOfBuiltIn(folder.path(), QStringLiteral("large"), 1 << 24);
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = 1 << 24});
    m_controller->load(large);
    QTRY_COMPARE(m_controller->state(), InferenceController::Failed);
    QVERIFY(m_controller->isTooLarge());
    QVERIFY2(m_controller->error().hint.contains(QLatin1String("What would fit: ")), qPrintable(m_controller->error().hint));
    m_controller->loadAnyway();
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
    QCOMPARE(m_controller->model().contextLength, 1 << 24);
    QVERIFY2(m_controller->model().warnings.join(u' ').contains(QLatin1String("loaded anyway")), "no warning");
    HeardUpdates heard(*m_controller);
    m_controller->submit(question("Tell me a story", 5));
    QTRY_VERIFY(heard.done());
    QVERIFY2(heard.finished.has_value(), heard.failed ? heard.failed->error.message().c_str() : "");
    // This is not permanent: the next load checks again, and keeps the model that is loaded.
    m_controller->retry();
    QTRY_VERIFY(m_controller->isTooLarge());
    QTRY_COMPARE(m_controller->state(), InferenceController::Ready);
  }
};

APP_TEST(ModelLoadsTest, "model_loads", QCoreApplication)
#include "tst_model_loads.moc"
