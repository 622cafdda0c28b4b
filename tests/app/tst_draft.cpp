// The choice of a draft model: which models of the library can draft for another, what is kept, and what loading makes of it.
#include "app/inference/fit_check.h"
#include "app/inference/inference_controller.h"
#include "app/library/copy_job.h"
#include "app/library/draft_choice.h"
#include "app/library/load_forecast.h"
#include "app/library/model_library.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"

#include <QSignalSpy>
#include <QTemporaryDir>

using namespace minerva::app;

namespace {

const QString otherVocabulary = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/llama-gqa-bf16/hf");

QStringList pathsOf(const QVariantList& choices) {
  QStringList paths;
  for (const QVariant& choice : choices) paths << choice.toMap()[QStringLiteral("value")].toString();
  return paths;
}

FitQuestion fitWith(const QString& draft) {
  return {.path = builtIn,
          .preferences = {.device = QStringLiteral("cpu"), .contextLength = 512, .threads = 1},
          .backend = {},
          .held = 0,
          .draft = draft};
}

}  // namespace

class DraftTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    CopyJob job;
    job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q4_0"), small);
    QTRY_COMPARE(job.state(), CopyJob::Done);
  }

  void smallModelsOfTheSameVocabularyCanBeChosen() {
    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("models.ini")), builtIn);
    for (const QString& path : {small, otherVocabulary}) library.add(path);
    for (int row = 0; row < 3; ++row) QTRY_VERIFY(!library.index(row).data(ModelLibrary::FormatRole).toString().isEmpty());
    const QString file = folder.filePath(QStringLiteral("settings.ini"));
    {
      Settings settings(file);
      DraftChoice draft(&settings, &library);
      QVERIFY(draft.all().isEmpty());
      draft.setModel(builtIn);
      QVERIFY(draft.isLooking());
      QTRY_VERIFY(!draft.isLooking());
      QCOMPARE(pathsOf(draft.all()), (QStringList{QString(), small}));
      QCOMPARE(draft.chosen(), QString());
      QSignalSpy changed(&draft, &DraftChoice::changed);
      draft.choose(small);
      QCOMPARE(changed.count(), 1);
      QCOMPARE(draft.chosen(), small);
      draft.setModel(small);
      QTRY_VERIFY(!draft.isLooking());
      QVERIFY2(draft.all().isEmpty(), "no model here is so much smaller");
      draft.setModel(QString());
      draft.choose(small);
      QCOMPARE(draft.ofModel(QString()), QString());
    }
    Settings settings(file);
    DraftChoice draft(&settings, &library);
    QCOMPARE(draft.ofModel(builtIn), small);
    draft.setModel(builtIn);
    QCOMPARE(pathsOf(draft.all()), (QStringList{QString(), small}));  // the chosen one is there from the start
    draft.choose(QString());
    QCOMPARE(draft.ofModel(builtIn), QString());
    QCOMPARE(DraftChoice(&settings, &library).ofModel(builtIn), QString());
  }

  void theNextLoadTakesIt() {
    InferenceController inference;
    inference.setPreferences({.device = QStringLiteral("cpu"), .contextLength = 512, .threads = 1});
    QString chosen;
    inference.setDraftChoice([&chosen](const QString& model) { return model == builtIn ? chosen : QString(); });
    const auto load = [&inference](const QString& path) {
      QSignalSpy loaded(&inference, &InferenceController::loaded);
      inference.load(path);
      return loaded.wait(20000);
    };
    QVERIFY(load(builtIn));
    QCOMPARE(inference.model().draftBytes, 0.0);
    const double alone = inference.model().heldBytes;
    chosen = small;
    QVERIFY(load(builtIn));
    QVERIFY(inference.model().draftBytes > 0);
    QVERIFY(inference.model().heldBytes > alone);
    QVERIFY(inference.model().warnings.isEmpty());
    chosen = otherVocabulary;
    QVERIFY(load(builtIn));
    QCOMPARE(inference.model().draftBytes, 0.0);
    QCOMPARE(inference.model().warnings.size(), 1);
    QVERIFY2(inference.model().warnings.first().startsWith(QStringLiteral("Replies are written without the draft model")),
             qPrintable(inference.model().warnings.first()));
    inference.setPreferences({.device = QStringLiteral("cpu"), .contextLength = 512, .threads = 1, .drafts = false});
    QVERIFY(load(builtIn));
    QVERIFY2(inference.model().warnings.isEmpty(), "no drafts are wanted at all");
  }

  void theForecastIsWhatLoadingTakes() {
    for (const QString& draft : {QString(), small}) {
      const FitQuestion question = fitWith(draft);
      const FitVerdict verdict = checkFit(question);
      InferenceController inference;
      inference.setPreferences(question.preferences);
      inference.setDraftChoice([&draft](const QString&) { return draft; });
      QSignalSpy loaded(&inference, &InferenceController::loaded);
      inference.load(builtIn);
      QVERIFY(loaded.wait(20000));
      const ModelFacts& model = inference.model();
      QCOMPARE(static_cast<double>(verdict.placed), model.weightBytes);
      QCOMPARE(static_cast<double>(verdict.cache), model.kvBytes);
      QCOMPARE(static_cast<double>(verdict.beside - verdict.cache), model.scratchBytes);
      QCOMPARE(static_cast<double>(verdict.draftTotal()), model.draftBytes);
      QCOMPARE(verdict.draftName.isEmpty(), draft.isEmpty());
      QCOMPARE(verdict.draftLeft, QString());
      QCOMPARE(fitName(verdict.kind), QStringLiteral("fits"));
    }
  }

  void theForecastSaysWhyADraftIsLeft() {
    const FitVerdict alone = checkFit(fitWith({}));
    const auto left = [&](const FitQuestion& question, const FitVerdict& without, const char* why) {
      const FitVerdict verdict = checkFit(question);
      QCOMPARE(verdict.draftTotal(), 0);
      QCOMPARE(verdict.draftName, QString());
      QCOMPARE(verdict.placed, without.placed);
      QCOMPARE(verdict.beside, without.beside);
      QCOMPARE(fitName(verdict.kind), QStringLiteral("fits"));
      QVERIFY2(verdict.draftLeft.startsWith(QStringLiteral("Replies would be written without the draft model: ")),
               qPrintable(verdict.draftLeft));
      QVERIFY2(verdict.draftLeft.contains(QLatin1String(why)), qPrintable(verdict.draftLeft));
      QCOMPARE(verdict.words(), verdict.draftLeft);
    };
    left(fitWith(otherVocabulary), alone, "another vocabulary");
    left(fitWith(folder.filePath(QStringLiteral("gone.gguf"))), alone, "gone.gguf");
    FitQuestion unwanted = fitWith(small);
    unwanted.preferences.drafts = false;
    QCOMPARE(checkFit(unwanted).draftLeft, QString());
    QCOMPARE(checkFit(unwanted).draftTotal(), 0);
    // So many conversations that the model fits and both do not.
    FitQuestion many = fitWith({});
    many.preferences.sequences = many.preferences.contexts = 64;
    const FitVerdict some = checkFit(many);
    QVERIFY(some.room > 0);
    many.preferences.sequences = many.preferences.contexts =
        static_cast<int>(0.75 * 64 * static_cast<double>(some.room) / static_cast<double>(some.beside));
    const FitVerdict full = checkFit(many);
    QCOMPARE(fitName(full.kind), QStringLiteral("fits"));
    many.draft = small;
    left(many, full, "does not fit into memory");
    QVERIFY(checkFit(many).draftLeft.contains(QStringLiteral("the draft model included")));
    QVERIFY(!checkFit(many).refused);
    many.preferences.sequences = many.preferences.contexts = 2 * many.preferences.sequences;
    QVERIFY2(checkFit(many).refused, "not even alone");
    QVERIFY(!checkFit(many).draftLeft.isEmpty());
  }

  void anotherChoiceIsForecastAnew() {
    Settings settings(folder.filePath(QStringLiteral("again.ini")));
    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("again-models.ini")), builtIn);
    DraftChoice draft(&settings, &library);
    library.setPreferences(fitWith({}).preferences, {});
    library.setDraftChoice([&draft](const QString& model) { return draft.ofModel(model); });
    connect(&draft, &DraftChoice::chosenFor, &library, &ModelLibrary::forgetFit);
    QTRY_VERIFY(!library.index(0).data(ModelLibrary::FormatRole).toString().isEmpty());
    const auto words = [&library] {
      library.checkFits();
      const auto known = [&library] { return !library.index(0).data(ModelLibrary::FitRole).toString().isEmpty(); };
      return QTest::qWaitFor(known, patienceMs) ? library.index(0).data(ModelLibrary::FitReasonRole).toString()
                                                : QStringLiteral("not known");
    };
    QCOMPARE(words(), QString());
    draft.setModel(builtIn);
    draft.choose(otherVocabulary);
    QVERIFY(words().contains(QStringLiteral("another vocabulary")));
    draft.choose(QString());
    QCOMPARE(words(), QString());
  }

  void theForecastCountsIt() {
    LoadForecast forecast;
    forecast.setWanted(true);
    QSignalSpy changed(&forecast, &LoadForecast::changed);
    forecast.ask(QStringLiteral("both"), fitWith(small));
    QVERIFY(changed.wait(20000));
    QVERIFY(forecast.draftWeights() > 0 && forecast.draftCache() > 0 && forecast.draftScratch() > 0);
    QCOMPARE(forecast.total(), forecast.weights() + forecast.cache() + forecast.scratch() + forecast.draftWeights() +
                                   forecast.draftCache() + forecast.draftScratch());
    QVERIFY(!forecast.draftName().isEmpty());
    forecast.ask(QStringLiteral("both"), fitWith(small));
    QVERIFY2(!changed.wait(300), "the same question has its answer");
    forecast.setWanted(false);
    forecast.setWanted(true);
    QVERIFY2(changed.wait(20000), "a page that is opened again sees what is free now");
  }

 private:
  QTemporaryDir folder;
  const QString small = folder.filePath(QStringLiteral("small.gguf"));
};

APP_TEST(DraftTest, "draft", QGuiApplication)
#include "tst_draft.moc"
