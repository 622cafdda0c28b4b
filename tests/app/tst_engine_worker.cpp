// The worker by itself, with the built-in model: work that it ends or refuses.
#include "app/inference/engine_worker.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"

#include <QSignalSpy>

#include <optional>

using namespace minerva::app;

class EngineWorkerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    m_coalescer.emplace();
    m_worker.emplace(minerva::BackendOptions{}, &*m_coalescer);
    QSignalSpy ended(&*m_worker, &EngineWorker::loadEnded);
    m_worker->load({.serial = 1, .target = {builtIn, {.device = QStringLiteral("cpu")}, false}, .name = {}, .builtIn = true, .stop = {}});
    QVERIFY(ended.wait(patienceMs));
    QVERIFY(!ended[0][0].value<LoadOutcome>().error);
  }
  void cleanup() {
    m_worker.reset();
    m_coalescer.reset();
  }

  // Even one that was ordered before the others began: a value that is too low would be kept.
  void aBandwidthMeasurementEndsWhereOthersCompute() {
    const QSignalSpy measured(&*m_worker, &EngineWorker::bandwidthMeasured);
    m_worker->setOthersBusy(true);
    m_worker->measureBandwidth();
    QCOMPARE(measured.count(), 1);
    QVERIFY(!measured[0][1].value<minerva::backend::BandwidthCurve>().isKnown());
  }

  // The first question takes so long that the others wait behind it.
  void moreQuestionsThanMayWaitAreRefusedInWords() {
    constexpr qsizetype mayWait = 64, asked = mayWait + 3;
    PromptQuestion small, large;
    small.request.prompt = "Once";
    for (int i = 0; i < 200'000; ++i) large.request.prompt += "one fox after another ";
    const QSignalSpy examined(&*m_worker, &EngineWorker::examined);
    for (qsizetype number = 1; number <= asked; ++number) m_worker->examine(static_cast<quint64>(number), number == 1 ? large : small);
    const qsizetype refused = examined.size();  // refusals are reported at once
    QVERIFY2(refused >= 1 && refused <= asked - mayWait, qPrintable(QString::number(refused)));
    QTRY_COMPARE(examined.size(), asked);
    for (qsizetype i = 0; i < asked; ++i) {
      const auto answer = examined[i][1].value<PromptAnswer>();
      const qsizetype number = examined[i][0].value<qsizetype>();
      if (i < refused) {
        QVERIFY(number > mayWait);
        QVERIFY(answer.error && answer.error->kind == minerva::ErrorKind::limit);
        QVERIFY2(answer.error->message().find("too many prompt queries are waiting") == 0, answer.error->message().c_str());
        QVERIFY2(answer.error->message().find("at most 64") != std::string::npos, answer.error->message().c_str());
      } else if (number > 1) {
        QVERIFY2(!answer.error, answer.error ? answer.error->message().c_str() : "");
        QVERIFY(answer.tokens > 0);
      }
    }
  }

 private:
  std::optional<FrameCoalescer> m_coalescer;
  std::optional<EngineWorker> m_worker;
};

APP_TEST(EngineWorkerTest, "engine_worker", QCoreApplication)
#include "tst_engine_worker.moc"
