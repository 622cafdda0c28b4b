// The choice of a draft model: which models of the library can draft for another, what is kept, and what loading makes of it.
#include "app/inference/inference_controller.h"
#include "app/library/copy_job.h"
#include "app/library/draft_choice.h"
#include "app/library/model_library.h"
#include "app/settings/settings.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace minerva::app;

namespace {

const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
const QString otherVocabulary = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/llama-gqa-bf16/hf");

QStringList pathsOf(const QVariantList& choices) {
  QStringList paths;
  for (const QVariant& choice : choices) paths << choice.toMap()[QStringLiteral("value")].toString();
  return paths;
}

}  // namespace

class DraftTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    CopyJob job;
    job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q4_0"), small);
    QTRY_COMPARE_WITH_TIMEOUT(job.state(), CopyJob::Done, 60000);
  }

  void smallModelsOfTheSameVocabularyCanBeChosen() {
    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("models.ini")), builtIn);
    for (const QString& path : {small, otherVocabulary}) library.add(path);
    for (int row = 0; row < 3; ++row)
      QTRY_VERIFY_WITH_TIMEOUT(!library.index(row).data(ModelLibrary::FormatRole).toString().isEmpty(), 20000);
    const QString file = folder.filePath(QStringLiteral("settings.ini"));
    {
      Settings settings(file);
      DraftChoice draft(&settings, &library);
      QVERIFY(draft.all().isEmpty());
      draft.setModel(builtIn);
      QVERIFY(draft.isLooking());
      QTRY_VERIFY_WITH_TIMEOUT(!draft.isLooking(), 20000);
      QCOMPARE(pathsOf(draft.all()), (QStringList{QString(), small}));
      QCOMPARE(draft.chosen(), QString());
      QSignalSpy changed(&draft, &DraftChoice::changed);
      draft.choose(small);
      QCOMPARE(changed.count(), 1);
      QCOMPARE(draft.chosen(), small);
      draft.setModel(small);
      QTRY_VERIFY_WITH_TIMEOUT(!draft.isLooking(), 20000);
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

 private:
  QTemporaryDir folder;
  const QString small = folder.filePath(QStringLiteral("small.gguf"));
};

QTEST_MAIN(DraftTest)
#include "tst_draft.moc"
