// The list of models, and smaller copies of them: the built-in model's, on the real converter.
#include "app/library/copy_job.h"
#include "app/library/model_header.h"
#include "app/library/model_library.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace minerva::app;

namespace {

const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");

QStringList typesOf(const QVariantList& choices) {
  QStringList types;
  for (const QVariant& choice : choices) types << choice.toMap()[QStringLiteral("type")].toString();
  return types;
}

}  // namespace

class LibraryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aCopyIsWrittenWholeAndJoinsTheList() {
    QTemporaryDir folder;
    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("models.ini")), builtIn);
    CopyJob job;
    connect(&job, &CopyJob::finished, &library, &ModelLibrary::add);
    QSignalSpy finished(&job, &CopyJob::finished);
    const QString target = folder.filePath(QStringLiteral("small ü.gguf"));
    job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q8_0"), target);
    QCOMPARE(job.state(), CopyJob::Running);
    QVERIFY(finished.wait(60000));
    QCOMPARE(job.state(), CopyJob::Done);
    QCOMPARE(finished[0][0].toString(), target);
    const ModelHeader copy = readModelHeader(target), original = readModelHeader(builtIn);
    QCOMPARE(copy.format, QStringLiteral("GGUF"));
    QCOMPARE(copy.type, QStringLiteral("Q8_0"));
    QCOMPARE(copy.parameters, original.parameters);
    QVERIFY2(copy.sizeBytes < 0.62 * original.sizeBytes, qPrintable(QString::number(copy.sizeBytes)));
    QCOMPARE(library.count(), 2);
    QCOMPARE(library.index(1).data(ModelLibrary::PathRole).toString(), target);
    job.dismiss();
    QCOMPARE(job.state(), CopyJob::Idle);
  }

  void aCancelledCopyLeavesNothing() {
    QTemporaryDir folder;
    CopyJob job;
    QSignalSpy changed(&job, &CopyJob::changed);
    job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q4_k_m"), folder.filePath(QStringLiteral("a.gguf")));
    job.cancel();
    QTRY_COMPARE_WITH_TIMEOUT(job.state(), CopyJob::Idle, 60000);
    QVERIFY(QDir(folder.path()).isEmpty());
    QVERIFY(!job.error().isSet());
  }

  void closingTheAppLeavesNothing() {
    QTemporaryDir folder;
    {
      CopyJob job;
      job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q6_k"), folder.filePath(QStringLiteral("a.gguf")));
    }
    QVERIFY(QDir(folder.path()).isEmpty());
  }

  void whatCannotBeWrittenIsSaid() {
    CopyJob job;
    const QString target = QStringLiteral("/nowhere/at/all/a.gguf");
    job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q8_0"), target);
    QTRY_COMPARE_WITH_TIMEOUT(job.state(), CopyJob::Failed, 60000);
    QCOMPARE(job.error().headline, QStringLiteral("The copy could not be made"));
    QVERIFY2(job.error().details.contains(QStringLiteral("/nowhere/at/all")), qPrintable(job.error().details));
    job.start(QStringLiteral("/not/there"), QStringLiteral("gone"), QStringLiteral("q8_0"), target);
    QCOMPARE(job.state(), CopyJob::Running);
    QTRY_COMPARE_WITH_TIMEOUT(job.state(), CopyJob::Failed, 60000);
    QVERIFY2(job.error().details.contains(QStringLiteral("/not/there")), qPrintable(job.error().details));
  }

  void onlySmallerTypesAreOffered() {
    const CopyJob job;
    const double billion = 1e9;
    QCOMPARE(typesOf(job.choices(billion, 2 * billion)).first(), QStringLiteral("q8_0"));
    QCOMPARE(typesOf(job.choices(billion, 0.85 * billion)), QStringList({QStringLiteral("q5_k_m"), QStringLiteral("q4_k_m"), QStringLiteral("q4_0")}));
    QVERIFY(job.choices(billion, 0.5 * billion).isEmpty());
    QCOMPARE(job.choices(0, billion).size(), 5);  // not known how many parameters: all
  }

  void aNameThatIsTakenIsNotProposed() {
    QTemporaryDir folder;
    const CopyJob job;
    const QString model = folder.filePath(QStringLiteral("Tiny Llama.F16.gguf"));
    const QString first = job.proposeTarget(model, QStringLiteral("Tiny"), QStringLiteral("q4_k_m"));
    QCOMPARE(first, folder.filePath(QStringLiteral("Tiny-Llama.F16-Q4_K_M.gguf")));
    QFile taken(first);
    QVERIFY(taken.open(QIODevice::WriteOnly));
    QCOMPARE(job.proposeTarget(model, QStringLiteral("Tiny"), QStringLiteral("q4_k_m")), folder.filePath(QStringLiteral("Tiny-Llama.F16-Q4_K_M-2.gguf")));
  }
};

QTEST_GUILESS_MAIN(LibraryTest)
#include "tst_library.moc"
