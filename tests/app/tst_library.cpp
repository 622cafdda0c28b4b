// The list of models, and quantized copies of them: the built-in model's, with the real converter.
#include "app/inference/model_names.h"
#include "app/library/copy_job.h"
#include "app/library/foreign_models.h"
#include "app/library/model_details.h"
#include "app/library/model_header.h"
#include "app/library/model_library.h"
#include "app/library/other_apps.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <cmath>

using namespace minerva::app;

namespace {

QStringList typesOf(const QVariantList& choices) {
  QStringList types;
  for (const QVariant& choice : choices) types << choice.toMap()[QStringLiteral("type")].toString();
  return types;
}

void writeFile(const QString& path, const QByteArray& bytes) {
  QVERIFY(QDir().mkpath(QFileInfo(path).path()));
  QFile out(path);
  QVERIFY(out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size());
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
    QVERIFY(finished.wait(patienceMs));
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
    QTRY_COMPARE(job.state(), CopyJob::Idle);
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
    QTRY_COMPARE(job.state(), CopyJob::Failed);
    QCOMPARE(job.error().headline, QStringLiteral("The copy could not be made"));
    QVERIFY2(job.error().details.contains(QStringLiteral("/nowhere/at/all")), qPrintable(job.error().details));
    job.start(QStringLiteral("/not/there"), QStringLiteral("gone"), QStringLiteral("q8_0"), target);
    QCOMPARE(job.state(), CopyJob::Running);
    QTRY_COMPARE(job.state(), CopyJob::Failed);
    QVERIFY2(job.error().details.contains(QStringLiteral("/not/there")), qPrintable(job.error().details));
  }

  void modelsOfOneNameAreToldApart() {
    const auto names = [](const std::vector<NamedModel>& models) { return tellApart(models); };
    const auto s = [](const char* text) { return QString::fromUtf8(text); };
    QCOMPARE(names({{s("A"), s("/m/x.gguf")}, {s("B"), s("/m/y.gguf")}}), (QStringList{s("A"), s("B")}));
    QCOMPARE(names({{s("A"), s("/m/x.gguf")}, {s("a"), s("/m/y.gguf")}, {s("B"), s("/m/z.gguf")}}),
             (QStringList{s("A · x"), s("a · y"), s("B")}));
    // The file's name, because it contains the model's name.
    QCOMPARE(names({{s("My Model"), s("/m/my-model-Q4_0.gguf")}, {s("My Model"), s("/m/other")}}),
             (QStringList{s("my-model-Q4_0"), s("My Model · other")}));
    // As much more as needed: the file extension, folders.
    QCOMPARE(names({{s("A"), s("/m/x.gguf")}, {s("A"), s("/m/x.safetensors")}}), (QStringList{s("A · x.gguf"), s("A · x.safetensors")}));
    QCOMPARE(names({{s("A"), s("/one/v1/x.gguf")}, {s("A"), s("/two/v1/x.gguf")}}),
             (QStringList{s("A · one/v1/x.gguf"), s("A · two/v1/x.gguf")}));
    QCOMPARE(names({{s("A"), s("/m/x-00001-of-00002.gguf")}, {s("A"), s("/m/y.gguf")}}), (QStringList{s("A · x"), s("A · y")}));
    // Names that become equal in one pass are made different in the next.
    QStringList three = names({{s("A"), s("/m/A-b.gguf")}, {s("A"), s("/m/c.gguf")}, {s("A-b"), s("/n/A-b.gguf")}});
    QCOMPARE(three.removeDuplicates(), 0);
    QCOMPARE(names({{s("A"), s("/m/x.gguf")}, {s("A"), s("/m/x.gguf")}}), (QStringList{s("A"), s("A (2)")}));
    QCOMPARE(names({{s(""), s("/m/x.gguf")}, {s(" "), s("/m/y")}}), (QStringList{s("x"), s("y")}));

    // Three copies of one model state the same name.
    QTemporaryDir folder;
    QStringList paths;
    for (const char* file : {"mine.gguf", "yours.gguf"}) {
      paths << folder.filePath(QString::fromLatin1(file));
      CopyJob job;
      job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q8_0"), paths.last());
      QTRY_COMPARE(job.state(), CopyJob::Done);
    }
    ModelLibrary library(nullptr, folder.filePath(QStringLiteral("models.ini")), {});
    QAbstractItemModelTester tester(&library, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const QString& path : std::as_const(paths)) library.add(path);
    const auto shown = [&](int row) { return library.index(row).data(ModelLibrary::NameRole).toString(); };
    QTRY_COMPARE(library.index(0).data(ModelLibrary::FormatRole).toString(), QStringLiteral("GGUF"));
    QTRY_COMPARE(library.index(1).data(ModelLibrary::FormatRole).toString(), QStringLiteral("GGUF"));
    QVERIFY2(shown(0).endsWith(QStringLiteral(" · yours")) && shown(1).endsWith(QStringLiteral(" · mine")),
             qPrintable(shown(0) + shown(1)));
    library.remove(0);
    QVERIFY2(!shown(0).contains(QStringLiteral("mine")), qPrintable(shown(0)));
  }

  void aCopyNeverReplacesTheModel() {
    QTemporaryDir folder;
    for (const QFileInfo& file : QDir(builtIn).entryInfoList(QDir::Files))
      QVERIFY(QFile::copy(file.filePath(), folder.filePath(file.fileName())));
    const QString weights = folder.filePath(QStringLiteral("model.safetensors"));
    const QString link = folder.filePath(QStringLiteral("link.gguf"));
    QVERIFY(QFile::link(weights, link));
    const auto read = [&] {
      QFile file(weights);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray before = read();
    QVERIFY(!before.isEmpty());
    for (const QString& target : {weights, link, folder.filePath(QStringLiteral("config.json"))}) {
      CopyJob job;
      job.start(folder.path(), QStringLiteral("built-in"), QStringLiteral("q4_0"), target);
      QTRY_COMPARE(job.state(), CopyJob::Failed);
      QVERIFY2(job.error().details.contains(QStringLiteral("would overwrite a file of the model")), qPrintable(job.error().details));
      QVERIFY(read() == before);
    }
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

    // The same folder with an unknown family.
    QTemporaryDir folder;
    for (const QFileInfo& file : QDir(builtIn).entryInfoList(QDir::Files))
      QVERIFY(QFile::copy(file.filePath(), folder.filePath(file.fileName())));
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
    QCOMPARE(typesOf(job.choices(billion, 0.85 * billion)),
             QStringList({QStringLiteral("q5_k_m"), QStringLiteral("q4_k_m"), QStringLiteral("q4_0")}));
    QVERIFY(job.choices(billion, 0.5 * billion).isEmpty());
    QCOMPARE(job.choices(0, billion).size(), 5);  // all, because the number of parameters is unknown
  }

  // Folders as laid out by other programs, containing the built-in model's GGUF and placeholder files.
  void modelsOfOtherProgramsAreListedInPlace() {
    QTemporaryDir home;
    const auto put = [&](const QByteArray& path, const QByteArray& bytes) {
      const QString file = home.filePath(QString::fromUtf8(path));
      QVERIFY(QDir().mkpath(QFileInfo(file).path()));
      QFile out(file);
      QVERIFY(out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size());
    };
    CopyJob job;
    QSignalSpy finished(&job, &CopyJob::finished);
    job.start(builtIn, QStringLiteral("built-in"), QStringLiteral("q4_0"), home.filePath(QStringLiteral("model.gguf")));
    QVERIFY(finished.wait(patienceMs));
    QFile made(home.filePath(QStringLiteral("model.gguf")));
    QVERIFY(made.open(QIODevice::ReadOnly));
    const QByteArray gguf = made.readAll();
    const QByteArray digest(64, 'a');
    put("lmstudio/org/repo/Tiny-Q4_0.gguf", gguf);
    put("lmstudio/org/repo/mmproj-Tiny.gguf", gguf);
    put("lmstudio/org/repo/imatrix-Tiny.gguf", gguf);
    put("lmstudio/org/split/Big-00001-of-00002.gguf", gguf);
    put("lmstudio/org/split/Big-00002-of-00002.gguf", gguf);
    put("lmstudio/org/mlx/config.json", "{}");
    put("lmstudio/org/mlx/model.safetensors", "x");
    put("jan/org/some-model/model.gguf", gguf);
    put("ollama/blobs/sha256-" + digest, gguf);
    const auto layer = [](const char* kind, const QByteArray& hash) {
      return "{\"mediaType\":\"application/vnd.ollama.image." + QByteArray(kind) + "\",\"digest\":\"sha256:" + hash + "\"}";
    };
    const auto manifest = [&](const char* tag, const QByteArray& layers) {
      put("ollama/manifests/registry.ollama.ai/" + QByteArray(tag), "{\"layers\":[" + layers + "]}");
    };
    manifest("library/tiny/1b", layer("license", "1") + "," + layer("model", digest));
    manifest("someone/gone/latest", layer("model", QByteArray(64, 'b')));
    manifest("someone/evil/latest", layer("model", "../../../etc/passwd"));
    put("ollama/manifests/registry.ollama.ai/someone/broken/latest", "{");
    put("hub/models--org--weights/refs/main", "c1\n");
    put("hub/models--org--weights/snapshots/c0/Small.gguf", gguf);  // the version before
    put("hub/models--org--weights/blobs/b1", gguf);
    QVERIFY(QDir().mkpath(home.filePath(QStringLiteral("hub/models--org--weights/snapshots/c1"))));
    QVERIFY(
        QFile::link(QStringLiteral("../../blobs/b1"), home.filePath(QStringLiteral("hub/models--org--weights/snapshots/c1/Small.gguf"))));
    QVERIFY(
        QFile::link(QStringLiteral("../../blobs/none"), home.filePath(QStringLiteral("hub/models--org--weights/snapshots/c1/Gone.gguf"))));
    put("hub/models--org--folder/snapshots/c2/config.json", "{}");
    put("hub/models--org--folder/snapshots/c2/model.safetensors", "x");
    using Layout = OtherAppPlace::Layout;
    const QList<OtherAppPlace> places{{QStringLiteral("Hub"), home.filePath(QStringLiteral("hub")), Layout::hubCache},
                                      {QStringLiteral("LM Studio"), home.filePath(QStringLiteral("lmstudio")), Layout::tree},
                                      {QStringLiteral("LM Studio"), home.filePath(QStringLiteral("lmstudio/org")), Layout::tree},
                                      {QStringLiteral("Jan"), home.filePath(QStringLiteral("jan")), Layout::tree},
                                      {QStringLiteral("Ollama"), home.filePath(QStringLiteral("ollama")), Layout::ollama},
                                      {QStringLiteral("None"), home.filePath(QStringLiteral("none")), Layout::tree}};
    QStringList found;
    for (const OtherAppModel& model : modelsOfOtherApps(places))
      found << model.app + QLatin1Char('|') + model.name + QLatin1Char('|') + QDir(home.path()).relativeFilePath(model.path);
    QCOMPARE(found,
             (QStringList{QStringLiteral("Hub|folder|hub/models--org--folder/snapshots/c2"),
                          QStringLiteral("Hub||hub/models--org--weights/snapshots/c1/Small.gguf"),
                          QStringLiteral("Jan|some-model|jan/org/some-model/model.gguf"), QStringLiteral("LM Studio||lmstudio/org/mlx"),
                          QStringLiteral("LM Studio||lmstudio/org/repo/Tiny-Q4_0.gguf"),
                          QStringLiteral("LM Studio||lmstudio/org/split/Big-00001-of-00002.gguf"),
                          QStringLiteral("Ollama|tiny:1b|ollama/blobs/sha256-") + QString::fromLatin1(digest)}));

    const QString kept = home.filePath(QStringLiteral("models.ini"));
    const QString blob = home.filePath(QStringLiteral("ollama/blobs/sha256-") + QString::fromLatin1(digest));
    {
      ModelLibrary library(nullptr, kept, builtIn);
      QAbstractItemModelTester tester(&library, QAbstractItemModelTester::FailureReportingMode::QtTest);
      library.setOtherApps(places);
      QTRY_COMPARE(library.count(), 8);
      QTRY_COMPARE(library.index(7).data(ModelLibrary::FormatRole).toString(), QStringLiteral("GGUF"));
      QCOMPARE(library.index(7).data(ModelLibrary::NameRole).toString(), QStringLiteral("tiny:1b"));
      QCOMPARE(library.index(7).data(ModelLibrary::SourceRole).toString(), QStringLiteral("Ollama"));
      QVERIFY(library.index(7).data(ModelLibrary::SubtitleRole).toString().contains(QStringLiteral("from Ollama")));
      library.openPath(library.index(2).data(ModelLibrary::PathRole).toString());  // a link to a listed model adds no row
      QCOMPARE(library.count(), 8);
      library.noteSpeed(blob, 12);
      QVERIFY(!library.index(2).data(ModelLibrary::NameRole).toString().contains(QStringLiteral("b1")));
      library.setOtherApps({});
      QCOMPARE(library.count(), 2);  // models that were used here stay listed
      library.setOtherApps(places);
      QTRY_COMPARE(library.count(), 8);
      put("lmstudio/org/later/Later-Q4_0.gguf", gguf);  // downloaded meanwhile
      library.refresh();
      QTRY_COMPARE(library.count(), 9);
      QVERIFY(QFile::remove(home.filePath(QStringLiteral("lmstudio/org/later/Later-Q4_0.gguf"))));
      library.refresh();
      QTRY_COMPARE(library.count(), 8);
    }
    ModelLibrary library(nullptr, kept, builtIn);
    QCOMPARE(library.count(), 2);
    const QString link = home.filePath(QStringLiteral("hub/../hub/models--org--weights/snapshots/c1/Small.gguf"));
    library.openPath(link);  // as with the last model at startup, before folders are scanned
    QCOMPARE(library.index(1).data(ModelLibrary::PathRole).toString(), QDir::cleanPath(link));
    library.setOtherApps(places);
    QTRY_COMPARE(library.count(), 8);
    QCOMPARE(library.index(1).data(ModelLibrary::SourceRole).toString(), QStringLiteral("Hub"));
    library.openPath(blob);  // already known
    QCOMPARE(library.count(), 8);
    QCOMPARE(library.index(2).data(ModelLibrary::SourceRole).toString(), QStringLiteral("Ollama"));
    QCOMPARE(library.index(2).data(ModelLibrary::MeasuredRole).toDouble(), 12.0);
  }

  // llama.cpp writes refs/main before it downloads, and then only the file that is asked for.
  void everySnapshotOfTheHubsCacheIsRead() {
    const QTemporaryDir home;
    const auto put = [&](const QString& path) { writeFile(home.filePath(path), "x"); };
    const auto found = [&] {
      QStringList paths;
      const QList<OtherAppPlace> places{{QStringLiteral("Hub"), home.path(), OtherAppPlace::Layout::hubCache}};
      for (const OtherAppModel& model : modelsOfOtherApps(places))
        paths << QDir(home.path()).relativeFilePath(model.path).section(QStringLiteral("snapshots/"), -1) + QLatin1Char(' ') + model.name;
      return paths;
    };
    const QString repository = QStringLiteral("models--org--m/"), snapshots = repository + QStringLiteral("snapshots/");
    writeFile(home.filePath(repository + QStringLiteral("refs/main")), "c2");
    put(snapshots + QStringLiteral("c1/A.gguf"));
    put(snapshots + QStringLiteral("c1/B.gguf"));
    put(snapshots + QStringLiteral("c2/B.gguf"));
    QCOMPARE(found(), QStringList({QStringLiteral("c1/A.gguf "), QStringLiteral("c2/B.gguf ")}));
    writeFile(home.filePath(repository + QStringLiteral("refs/main")), "c3");  // of which nothing is there
    QCOMPARE(found().size(), 2);
    // A folder whose new version has not all its files yet is the earlier one.
    QVERIFY(QDir(home.filePath(repository)).removeRecursively());
    writeFile(home.filePath(repository + QStringLiteral("refs/main")), "c2");
    for (const char* commit : {"c1", "c2"})
      for (const char* name : {"config.json", "model-00001-of-00002.safetensors"})
        put(snapshots + QLatin1String(commit) + QLatin1Char('/') + QLatin1String(name));
    put(snapshots + QStringLiteral("c1/model-00002-of-00002.safetensors"));
    QCOMPARE(found(), QStringList{QStringLiteral("c1 m")});
    put(snapshots + QStringLiteral("c2/model-00002-of-00002.safetensors"));
    QCOMPARE(found(), QStringList{QStringLiteral("c2 m")});
  }

  void partsOfADiffusionModelAreNoModels() {
    const QTemporaryDir home;
    const QString snapshot = home.filePath(QStringLiteral("models--org--pictures/snapshots/c1/"));
    for (const char* name : {"model_index.json", "unet/config.json", "unet/diffusion_pytorch_model.safetensors"})
      writeFile(snapshot + QLatin1String(name), "{}");
    QVERIFY(modelsOfOtherApps({{QStringLiteral("Hub"), home.path(), OtherAppPlace::Layout::hubCache}}).isEmpty());
  }

  // The first start offers models to chat with.
  void modelsThatDoNotChatAreNotOffered() {
    const QTemporaryDir home;
    const QString models = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/");
    const auto link = [&](const QString& target, const char* name) { QVERIFY(QFile::link(target, home.filePath(QLatin1String(name)))); };
    link(models + QStringLiteral("q-llama/gguf/q-llama-Q4_K_M.gguf"), "chats.gguf");
    link(QStringLiteral(MINERVA_REFERENCE_DIR "/oracle/malformed/gguf/architecture-unknown.gguf"), "unknown.gguf");
    ModelLibrary library(nullptr, home.filePath(QStringLiteral("models.ini")), {});
    ForeignModels offered;
    const QSignalSpy counted(&offered, &ForeignModels::countChanged);
    offered.setLibrary(&library);
    const QString embeds = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/embedding/gte");
    library.setOtherApps({{QStringLiteral("Other"), home.path(), OtherAppPlace::Layout::tree},
                          {QStringLiteral("Another"), embeds, OtherAppPlace::Layout::tree}});
    QTRY_COMPARE(library.count(), 3);
    QTRY_COMPARE(offered.count(), 1);
    QCOMPARE(offered.index(0, 0).data(ModelLibrary::PathRole).toString(), placeOf(home.filePath(QStringLiteral("chats.gguf"))));
    QTest::qWait(300);
    QCOMPARE(offered.count(), 1);
    QVERIFY(!counted.isEmpty());
  }

  void foldersThatWereMovedAreFound() {
    const QTemporaryDir home;
    const auto in = [&](const char* path) { return home.filePath(QLatin1String(path)); };
    const QByteArray before = qgetenv("HOME");
    const auto after = qScopeGuard([&] {
      qputenv("HOME", before);
      for (const char* name : {"XDG_DATA_HOME", "JAN_DATA_FOLDER"}) qunsetenv(name);
    });
    qputenv("HOME", home.path().toUtf8());
    qputenv("XDG_DATA_HOME", in("data").toUtf8());
    const auto placesOf = [](const char* app) {
      QStringList folders;
      for (const OtherAppPlace& place : otherAppPlaces())
        if (place.app == QLatin1String(app)) folders << place.folder;
      return folders;
    };
    QVERIFY(placesOf("LM Studio").contains(in(".lmstudio/models")) && placesOf("LM Studio").contains(in(".cache/lm-studio/models")));
    QVERIFY(placesOf("Jan").contains(in("data/Jan/data/llamacpp/models")));
    writeFile(in(".lmstudio-home-pointer"), in("disk/studio").toUtf8());
    writeFile(in("data/Jan/settings.json"), "{\"data_folder\": \"" + in("disk/jan").toUtf8() + "\"}");
    QVERIFY(placesOf("LM Studio").contains(in("disk/studio/models")));
    QVERIFY(placesOf("Jan").contains(in("disk/jan/llamacpp/models")));
    writeFile(in("disk/studio/settings.json"), "{\"downloadsFolder\": \"" + in("disk/lots").toUtf8() + "\"}");
    QVERIFY(placesOf("LM Studio").contains(in("disk/lots")));
    qputenv("JAN_DATA_FOLDER", in("disk/other").toUtf8());
    QVERIFY(placesOf("Jan").contains(in("disk/other/llamacpp/models")) && !placesOf("Jan").contains(in("disk/jan/llamacpp/models")));
  }

  void everyModelThatWasListedIsListedAgain() {
    const QTemporaryDir folder;
    const QString kept = folder.filePath(QStringLiteral("models.ini"));
    {
      ModelLibrary library(nullptr, kept, builtIn);
      for (int i = 0; i < 60; ++i) library.add(QStringLiteral("/models/number-%1.gguf").arg(i));
      QCOMPARE(library.count(), 61);
    }
    const ModelLibrary again(nullptr, kept, builtIn);
    QCOMPARE(again.count(), 61);
  }

  // Ollama deletes what it does not know in its folder of blobs; a file in the cache would be found by nobody.
  void aCopyOfWhatAnotherProgramKeepsGoesToMinervasFolder() {
    const QTemporaryDir folder;
    const QString models = folder.filePath(QStringLiteral("models"));
    CopyJob job;
    job.setModelsFolder(models);
    const auto proposed = [&](const char* path) {
      return job.proposeTarget(folder.filePath(QString::fromLatin1(path)), QStringLiteral("llama3.2:3b"), QStringLiteral("q4_0"));
    };
    const QString there = models + QStringLiteral("/llama3.2-3b-Q4_0.gguf");
    QCOMPARE(proposed("ollama/blobs/sha256-0123"), there);
    QCOMPARE(proposed("hub/models--o--x/snapshots/abc/x.gguf"), there);
    QCOMPARE(proposed("models/org/repo/tiny-F16.gguf"), models + QStringLiteral("/tiny-F16-Q4_0.gguf"));
    QCOMPARE(proposed("tiny.gguf"), folder.filePath(QStringLiteral("tiny-Q4_0.gguf")));
  }

  void aNameThatIsTakenIsNotProposed() {
    QTemporaryDir folder;
    const CopyJob job;
    const QString model = folder.filePath(QStringLiteral("Tiny Llama.F16.gguf"));
    const QString first = job.proposeTarget(model, QStringLiteral("Tiny"), QStringLiteral("q4_k_m"));
    QCOMPARE(first, folder.filePath(QStringLiteral("Tiny-Llama.F16-Q4_K_M.gguf")));
    QFile taken(first);
    QVERIFY(taken.open(QIODevice::WriteOnly));
    QCOMPARE(job.proposeTarget(model, QStringLiteral("Tiny"), QStringLiteral("q4_k_m")),
             folder.filePath(QStringLiteral("Tiny-Llama.F16-Q4_K_M-2.gguf")));
  }
};

APP_TEST(LibraryTest, "library", QCoreApplication)
#include "tst_library.moc"
