// Several models in memory: replies of the earlier ones go on, changing back takes no time, and memory is given up where it is needed.
#include "app/inference/inference_controller.h"
#include "app_test.h"
#include "inference_bench.h"
#include "long_winded.h"
#include "patience.h"
#include "sample_models.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace minerva::app;
namespace engine = minerva::engine;

class ModelsInMemoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_controller = std::make_unique<InferenceController>();
    prefer({});
    m_heard.clear();
    connect(m_controller.get(), &ReplySource::updated, this, [this](const ReplyUpdate& update) {
      Heard& heard = m_heard[update.request];
      heard.tokens += static_cast<int>(update.tokens.size());
      heard.done = heard.done || update.isLast();
      if (update.isLast())
        heard.cancelled = update.failed ? update.failed->error.kind == minerva::ErrorKind::cancelled
                                        : update.finished->reason == engine::FinishReason::cancelled;
    });
  }
  void cleanup() { m_controller.reset(); }

  void aReplyGoesOnBesideOneOfTheNextModel() {
    const QTemporaryDir folder;
    const QString first = longWindedModel(folder.path(), QStringLiteral("first")),
                  second = longWindedModel(folder.path(), QStringLiteral("second"));
    QVERIFY(load(first));
    const quint64 story = m_controller->submit(question("Tell me a long story", 60000));
    QTRY_VERIFY(m_heard[story].tokens > 3);
    QVERIFY(load(second));
    QCOMPARE(kept(), QStringList{first});
    QVERIFY(m_controller->kept()[0].toMap()[QStringLiteral("bytes")].toDouble() > 1e6);
    QVERIFY(m_controller->hostBytes() > static_cast<quint64>(m_controller->model().heldBytes) + 1'000'000);
    const int before = m_heard[story].tokens;
    const quint64 other = m_controller->submit(question("Tell me a long story", 300));
    QTRY_VERIFY(m_heard[other].done);
    QCOMPARE(m_heard[other].tokens, 300);
    QVERIFY2(m_heard[story].tokens > before + 100, "both are written in turns");
    QVERIFY(!m_heard[story].done);
    // Back to the first, which is there: no phase of loading is reported.
    const QSignalSpy progress(m_controller.get(), &InferenceController::loadProgressChanged);
    QVERIFY(load(first));
    QCOMPARE(progress.count(), 1);  // the order itself
    QCOMPARE(kept(), QStringList{second});
    QVERIFY(!m_heard[story].done);
    m_controller->cancel(story);
    QTRY_VERIFY(m_heard[story].done);
    QVERIFY(m_heard[story].cancelled);
  }

  void theModelInUseIsNotLoadedAgain() {
    const QTemporaryDir folder;
    const QString first = longWindedModel(folder.path(), QStringLiteral("first"));
    QVERIFY(load(first));
    const quint64 story = m_controller->submit(question("Tell me a long story", 60000));
    QTRY_VERIFY(m_heard[story].tokens > 3);
    const QSignalSpy progress(m_controller.get(), &InferenceController::loadProgressChanged);
    QVERIFY(load(first));
    QCOMPARE(progress.count(), 1);  // the order itself
    QCOMPARE(m_controller->state(), InferenceController::Generating);
    const int before = m_heard[story].tokens;
    QTRY_VERIFY(m_heard[story].tokens > before || m_heard[story].done);
    QVERIFY(!m_heard[story].done);
    prefer({.contextLength = 512});
    QVERIFY(load(first));
    QVERIFY2(progress.count() > 2, "other settings");
    QCOMPARE(m_controller->model().contextLength, 512);
    QTRY_VERIFY(m_heard[story].done);
  }

  void theOneUsedLongestAgoGoesFirst() {
    const QTemporaryDir folder;
    const QString first = longWindedModel(folder.path(), QStringLiteral("first")),
                  second = longWindedModel(folder.path(), QStringLiteral("second"));
    prefer({.models = 3});
    QVERIFY(load(first));
    const quint64 story = m_controller->submit(question("Tell me a long story", 60000));
    QVERIFY(load(second) && load(anotherModel));
    QCOMPARE(kept(), (QStringList{first, second}));
    QVERIFY(load(second));
    QCOMPARE(kept(), (QStringList{first, anotherModel}));
    QVERIFY(load(builtIn));
    QCOMPARE(kept(), (QStringList{anotherModel, second}));
    QTRY_VERIFY(m_heard[story].done);
    QVERIFY(m_heard[story].cancelled);
    prefer({.models = 1});
    QVERIFY(load(first));
    QCOMPARE(kept(), QStringList());
  }

  void oneIsUnloadedByItself() {
    const QTemporaryDir folder;
    const QString first = longWindedModel(folder.path(), QStringLiteral("first"));
    QVERIFY(load(first));
    const quint64 story = m_controller->submit(question("Tell me a long story", 60000));
    QVERIFY(load(anotherModel));
    m_controller->unloadKept(QStringLiteral("/no/such/model"));
    m_controller->unloadKept(first);
    QTRY_COMPARE(kept(), QStringList());
    QTRY_VERIFY(m_heard[story].done);
    QVERIFY(m_heard[story].cancelled);
    QCOMPARE(m_controller->model().path, anotherModel);
    QVERIFY(load(first));
    m_controller->unload();
    QCOMPARE(m_controller->state(), InferenceController::NoModel);
    QCOMPARE(kept(), QStringList{anotherModel});
    QVERIFY(load(anotherModel));
    QCOMPARE(kept(), QStringList());
  }

  void otherSettingsOrAnotherFileLoadItAnew() {
    const QTemporaryDir folder;
    const QString first = longWindedModel(folder.path(), QStringLiteral("first"));
    QVERIFY(load(first) && load(anotherModel));
    prefer({.contextLength = 512});
    QVERIFY(load(first));
    QCOMPARE(m_controller->model().contextLength, 512);
    QCOMPARE(kept(), QStringList{anotherModel});
    QVERIFY(load(anotherModel));
    QFile added(first + QStringLiteral("/note.txt"));
    QVERIFY(added.open(QIODevice::WriteOnly));
    added.close();
    const QSignalSpy progress(m_controller.get(), &InferenceController::loadProgressChanged);
    QTest::qWait(20);
    QVERIFY(load(first));
    QVERIFY(progress.count() > 1);
  }

  // The KV cache does not fit, whatever is unloaded; with "load anyway" the others make room.
  void theyMakeRoomOnlyForOneThatCanBeLoaded() {
    const QTemporaryDir folder;
    const QString first = longWindedModel(folder.path(), QStringLiteral("first")),
                  large = copyOfBuiltIn(folder.path(), QStringLiteral("large"), 1 << 24);
    QVERIFY(load(first) && load(anotherModel));
    QVERIFY(load(first));
    const quint64 story = m_controller->submit(question("Tell me a long story", 60000));
    QTRY_VERIFY(m_heard[story].tokens > 3);
    prefer({.contextLength = 1 << 24});
    QSignalSpy failed(m_controller.get(), &InferenceController::loadFailed);
    QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    m_controller->load(large);
    QVERIFY(failed.wait(patienceMs));
    QVERIFY(m_controller->isTooLarge());
    QCOMPARE(m_controller->state(), InferenceController::Generating);
    QCOMPARE(m_controller->model().path, first);
    QCOMPARE(kept(), QStringList{anotherModel});
    QVERIFY(!m_heard[story].done);
    m_controller->loadAnyway();
    QVERIFY(loaded.wait(patienceMs));
    QCOMPARE(m_controller->model().path, large);
    QCOMPARE(kept(), QStringList());
    QTRY_VERIFY(m_heard[story].done);
    QVERIFY(m_heard[story].cancelled);
  }

  void allOfThemRest() {
    QVERIFY(load(builtIn) && load(anotherModel));
    m_controller->setRestAfter(std::chrono::milliseconds(50));
    QTRY_COMPARE(m_controller->state(), InferenceController::Resting);
    QTRY_COMPARE(kept(), QStringList());
    QCOMPARE(m_controller->hostBytes(), quint64{0});
  }

 private:
  struct Heard {
    int tokens = 0;
    bool done = false, cancelled = false;
  };
  struct Wish {
    int contextLength = longWindedContext, models = 2;
  };
  void prefer(const Wish& wish) {
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .contextLength = wish.contextLength, .models = wish.models});
  }
  // Loads a model and waits until it is in use.
  bool load(const QString& path) {
    QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    m_controller->load(path);
    return (loaded.count() > 0 || loaded.wait(patienceMs)) && m_controller->model().path == path;
  }
  QStringList kept() const {
    QStringList paths;
    for (const QVariant& model : m_controller->kept()) paths << model.toMap()[QStringLiteral("path")].toString();
    return paths;
  }
  std::unique_ptr<InferenceController> m_controller;
  QHash<quint64, Heard> m_heard;
};

APP_TEST(ModelsInMemoryTest, "models_in_memory", QCoreApplication)
#include "tst_models_in_memory.moc"
