// The list of models, and smaller copies of them: the built-in model's, on the real converter.
#include "app/library/copy_job.h"
#include "app/library/model_details.h"
#include "app/library/model_header.h"
#include "app/library/model_library.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

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

  void aModelsPageSaysWhatItIsAndWhyItCannotRun() {
    const ModelDetails::Content good = ModelDetails::read(builtIn);
    QVERIFY(!good.error.isSet());
    QVERIFY(good.problems.isEmpty());
    QCOMPARE(good.format, QStringLiteral("SafeTensors"));
    double share = 0, bytes = 0;
    for (const QVariant& part : good.parts) {
      share += part.toMap()[QStringLiteral("share")].toDouble();
      bytes += part.toMap()[QStringLiteral("bytes")].toDouble();
    }
    QVERIFY(std::abs(share - 1) < 1e-9);
    QCOMPARE(bytes, good.memory[0].toMap()[QStringLiteral("bytes")].toDouble());
    QVERIFY(good.context > 0);

    // The same folder as a family nobody knows.
    QTemporaryDir folder;
    for (const QFileInfo& file : QDir(builtIn).entryInfoList(QDir::Files)) QVERIFY(QFile::copy(file.filePath(), folder.filePath(file.fileName())));
    QFile config(folder.filePath(QStringLiteral("config.json")));
    QVERIFY(config.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && config.open(QIODevice::ReadWrite));
    QByteArray text = config.readAll();
    text.replace("\"model_type\": \"llama\"", "\"model_type\": \"unheard-of\"");
    text.replace("LlamaForCausalLM", "UnheardOfForCausalLM");
    config.resize(0);
    config.write(text);
    config.close();
    const ModelDetails::Content strange = ModelDetails::read(folder.path());
    QVERIFY(!strange.error.isSet());
    QCOMPARE(strange.problems.size(), 1);
    QVERIFY2(strange.problems[0].contains(QStringLiteral("unheard-of")), qPrintable(strange.problems[0]));
    QVERIFY(!strange.types.isEmpty());
    QVERIFY(strange.memory.isEmpty());

    QVERIFY(ModelDetails::read(QStringLiteral("/not/there")).error.isSet());
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
