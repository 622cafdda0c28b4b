// What the library does with files and shows about them: trash and restore, duplicates, twins, fit, unreadable folders.
#include "app/hub/kept_version.h"
#include "app/library/copy_job.h"
#include "app/library/duplicates.h"
#include "app/library/file_hashes.h"
#include "app/library/model_library.h"
#include "app/library/model_trash.h"
#include "app/library/models_folder.h"
#include "app/library/twins.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"
#include "test_files.h"
#include "tests/support/no_threads.h"

#include <QCryptographicHash>
#include <QDir>
#include <QDirIterator>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <unistd.h>

using namespace minerva::app;

namespace {

QStringList filesBelow(const QString& folder) {
  QStringList files;
  QDirIterator all(folder, QDir::Files, QDirIterator::Subdirectories);
  while (all.hasNext()) files << QDir(folder).relativeFilePath(all.next());
  files.sort();
  return files;
}

}  // namespace

class LibraryCareTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_home = std::make_unique<QTemporaryDir>();
    qputenv("HOME", m_home->path().toLocal8Bit());                                     // for the trash of the home disk
    qputenv("XDG_DATA_HOME", m_home->filePath(QStringLiteral("data")).toLocal8Bit());  // where the trash is created
    m_models = m_home->filePath(QStringLiteral("models"));
  }

  void aModelComesBackBesideWhatHasComeMeanwhile() {
    const QString path = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf"),
                  other = m_models + QStringLiteral("/org/tiny-GGUF/x");
    put(path, "model");
    const auto moved = trashModel(path, m_models);
    QVERIFY(moved.has_value());
    QVERIFY(!QFileInfo::exists(path));
    put(other, "other");
    QVERIFY(restore(*moved).has_value());
    QCOMPARE(contentOf(path), QByteArray("model"));
    QCOMPARE(contentOf(other), QByteArray("other"));
    const auto again = trashModel(path, m_models);
    QVERIFY(again.has_value());
    put(path, "a new one");
    const auto refused = restore(*again);
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().where.ends_with("tiny-Q4_K_M.gguf"), refused.error().where.c_str());
    QCOMPARE(contentOf(path), QByteArray("a new one"));
  }

  void filesBesideEachOtherAreModelsAsInARepository() {
    for (const char* name : {"big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "mmproj-f16.gguf", "small.gguf"})
      put(m_models + u'/' + QString::fromLatin1(name), "x");
    const QList<FolderModel> models = modelsIn(m_models);
    QCOMPARE(models.size(), 2);
    QCOMPARE(models[0].name, QStringLiteral("big"));
    QCOMPARE(models[0].path, m_models + QStringLiteral("/big-00001-of-00002.gguf"));
    QVERIFY(removeModel(models[0], m_models).has_value());
    QCOMPARE(filesBelow(m_models), (QStringList{QStringLiteral("mmproj-f16.gguf"), QStringLiteral("small.gguf")}));
    QVERIFY(trashModel(models[1].path, m_models).has_value());
    QCOMPARE(filesBelow(m_models), QStringList{QStringLiteral("mmproj-f16.gguf")});
  }

  void aReplacedFileIsReadAgain() {
    const QString path = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf");
    put(path, contentOf(gguf).left(64));
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.add(path);
    const auto problem = [&] { return library.index(rowOf(library, path)).data(ModelLibrary::ProblemRole).toString(); };
    QTRY_VERIFY(!problem().isEmpty());
    put(path, contentOf(gguf));
    library.add(path);
    QTRY_COMPARE(problem(), QString());
  }

  void aModelGoesToTheTrashAndComesBack() {
    const QByteArray bytes = contentOf(gguf);
    put(m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf"), bytes);
    put(m_models + QStringLiteral("/org/other/other-Q8_0.gguf"), bytes);
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.addFolder(m_models);
    QTRY_COMPARE(library.count(), 3);
    const QString path = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf");
    library.noteSpeed(path, 12.5);
    const int row = rowOf(library, path);
    QTRY_COMPARE(library.index(row).data(ModelLibrary::SizeBytesRole).toDouble(),
                 static_cast<double>(bytes.size()));  // the header was read
    QVERIFY(library.index(row).data(ModelLibrary::OwnRole).toBool());
    QVERIFY(!library.index(0).data(ModelLibrary::OwnRole).toBool());  // the built-in model
    const QStringList before = filesBelow(m_models);
    library.moveToTrash(row);
    QTRY_COMPARE(library.count(), 2);
    QCOMPARE(filesBelow(m_models), QStringList{QStringLiteral("org/other/other-Q8_0.gguf")});
    QVERIFY(!QFileInfo::exists(m_models + QStringLiteral("/org/tiny-GGUF")));  // no empty folder remains
    ModelTrash* trash = library.trash();
    QVERIFY(!trash->name().isEmpty());
    QCOMPARE(trash->bytes(), static_cast<double>(bytes.size()));
    QCOMPARE(contentOf(trash->place() + QStringLiteral("/tiny-GGUF/tiny-Q4_K_M.gguf")), bytes);
    const QString info = m_home->filePath(QStringLiteral("data/Trash/info/tiny-GGUF.trashinfo"));
    QVERIFY2(QFileInfo::exists(info), qPrintable(trash->place()));  // lets a file manager restore it, too
    trash->undo();
    QTRY_COMPARE(library.count(), 3);
    QCOMPARE(filesBelow(m_models), before);
    QCOMPARE(contentOf(path), bytes);
    QVERIFY(!QFileInfo::exists(info));
    QCOMPARE(library.index(rowOf(library, path)).data(ModelLibrary::MeasuredRole).toDouble(), 12.5);
    QVERIFY(trash->name().isEmpty());
  }

  void aModelThatAFileManagerBringsBackIsListedAgain() {
    const QString path = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf");
    put(path, contentOf(gguf));
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.addFolder(m_models);
    QTRY_COMPARE(library.count(), 2);
    library.moveToTrash(rowOf(library, path));
    QTRY_COMPARE(library.count(), 1);
    put(path, contentOf(gguf));
    library.refresh();
    QTRY_COMPARE(library.count(), 2);
  }

  // An obstacle to Undo is reported, and once it is gone Undo works.
  void anUndoThatFailedCanBeTriedAgain() {
    const QString path = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf");
    const QByteArray bytes = contentOf(gguf);
    put(path, bytes);
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.addFolder(m_models);
    QTRY_COMPARE(library.count(), 2);
    library.moveToTrash(rowOf(library, path));
    QTRY_COMPARE(library.count(), 1);
    put(QFileInfo(path).path(), "in the way");
    ModelTrash* trash = library.trash();
    trash->undo();
    QTRY_VERIFY(trash->error().isSet());
    QTRY_VERIFY(!trash->isBusy());
    QVERIFY(!trash->name().isEmpty());
    QVERIFY(QFile::remove(QFileInfo(path).path()));
    trash->undo();
    QTRY_COMPARE(library.count(), 2);
    QCOMPARE(contentOf(path), bytes);
    QVERIFY(trash->name().isEmpty() && !trash->error().isSet());
  }

  void onlyItsOwnFilesGo() {
    put(m_models + QStringLiteral("/org/two/two-Q4_0.gguf"), "a");
    put(m_models + QStringLiteral("/org/two/two-Q8_0.gguf"), "bb");
    const auto moved = trashModel(m_models + QStringLiteral("/org/two/two-Q4_0.gguf"), m_models);
    QVERIFY(moved && moved->size() == 1);
    QCOMPARE(filesBelow(m_models), QStringList{QStringLiteral("org/two/two-Q8_0.gguf")});
    put(m_models + QStringLiteral("/org/two/two-Q4_0.gguf"), "another");
    QVERIFY(!restore(*moved));  // never overwrites
    QCOMPARE(contentOf(m_models + QStringLiteral("/org/two/two-Q4_0.gguf")), QByteArray("another"));
    QCOMPARE(contentOf(moved->first().at), QByteArray("a"));
  }

  // Such as the copies that earlier versions of Minerva made beside a downloaded folder.
  void aFileAnywhereInTheFolderCanBeDeleted() {
    for (const char* name : {"org/copy-Q8_0.gguf", "org/a/b/c/s-00001-of-00002.gguf", "org/a/b/c/s-00002-of-00002.gguf", "own/config.json"})
      put(m_models + u'/' + QLatin1String(name), "x");
    QVERIFY(trashModel(m_models + QStringLiteral("/org/copy-Q8_0.gguf"), m_models).has_value());
    QVERIFY(trashModel(m_models + QStringLiteral("/org/a/b/c/s-00001-of-00002.gguf"), m_models).has_value());
    QVERIFY(!trashModel(m_models + QStringLiteral("/own"), m_models));
    QCOMPARE(filesBelow(m_models), QStringList{QStringLiteral("own/config.json")});
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), {});
    library.addFolder(m_models);
    library.add(m_models + QStringLiteral("/own"));
    library.add(m_models + QStringLiteral("/org/copy-Q8_0.gguf"));
    QVERIFY(!library.index(rowOf(library, m_models + QStringLiteral("/own"))).data(ModelLibrary::OwnRole).toBool());
    put(m_models + QStringLiteral("/My models/Qwen 3/config.json"), "{}");  // no repository's name, so it is not listed by itself
    library.add(m_models + QStringLiteral("/My models/Qwen 3"));
    QVERIFY(!library.index(rowOf(library, m_models + QStringLiteral("/My models/Qwen 3"))).data(ModelLibrary::OwnRole).toBool());
    QVERIFY(library.index(rowOf(library, m_models + QStringLiteral("/org/copy-Q8_0.gguf"))).data(ModelLibrary::OwnRole).toBool());
    // A folder that is not there holds nothing.
    const QString elsewhere = m_home->filePath(QStringLiteral("elsewhere.gguf"));
    put(elsewhere, "x");
    QVERIFY(!trashModel(elsewhere, m_home->filePath(QStringLiteral("gone"))));
  }

  void aModelTakesTheRecordOfItsDownloadAlong_data() {
    QTest::addColumn<bool>("alone");  // the only model in its repository's folder
    QTest::newRow("alone") << true;
    QTest::newRow("beside another") << false;
  }
  void aModelTakesTheRecordOfItsDownloadAlong() {
    QFETCH(const bool, alone);
    const QString record = QStringLiteral("/.cache/huggingface/download/%1.metadata");
    const QString folder = m_models + QStringLiteral("/org/two"), name = QStringLiteral("two-Q4_0.gguf"), path = folder + u'/' + name;
    const auto described = [](const QString& file, const QByteArray& content) {
      return HubFile{.path = file, .size = content.size(), .sha256 = QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex()};
    };
    put(path, "a");
    keepVersion(folder, described(name, "a"), QString(40, u'1'));
    const QString other = QStringLiteral("two-Q8_0.gguf");
    if (!alone) {
      put(folder + u'/' + other, "bb");
      keepVersion(folder, described(other, "bb"), QString(40, u'1'));
    }
    const auto moved = trashModel(path, m_models);
    QVERIFY(moved.has_value());
    QVERIFY(!QFileInfo::exists(folder + record.arg(name)));
    QCOMPARE(QFileInfo::exists(folder), !alone);  // no empty folder remains, nor one with records only
    QCOMPARE(QFileInfo::exists(folder + record.arg(other)), !alone);
    QVERIFY(restore(*moved).has_value());
    QCOMPARE(versionOnDisk(folder, described(name, "a")), OnDisk::same);
    QCOMPARE(versionOnDisk(folder, described(name, "b")), OnDisk::other);  // same size, but the record says another version
  }

  void withoutAPlaceForTheTrashNothingMoves() {
    const QString path = m_models + QStringLiteral("/org/two/two-Q4_0.gguf");
    put(path, "a");
    put(m_home->filePath(QStringLiteral("data")), "a file where the folder should be");
    const auto moved = trashModel(path, m_models);
    QVERIFY(!moved);
    QCOMPARE(moved.error().kind, minerva::ErrorKind::io);
    QCOMPARE(contentOf(path), QByteArray("a"));
  }

  void otherFoldersAreNotTouched() {
    const QString elsewhere = m_home->filePath(QStringLiteral("ollama/org/their/their-Q4_0.gguf"));
    put(elsewhere, "theirs");
    put(m_models + QStringLiteral("/org/own/own-Q4_0.gguf"), "own");
    const auto moved = trashModel(elsewhere, m_models);
    QVERIFY(!moved);
    QCOMPARE(moved.error().kind, minerva::ErrorKind::notFound);
    QCOMPARE(contentOf(elsewhere), QByteArray("theirs"));
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.addFolder(m_models);
    library.add(elsewhere);
    QTRY_COMPARE(library.count(), 3);
    const int row = rowOf(library, elsewhere);
    QVERIFY(!library.index(row).data(ModelLibrary::OwnRole).toBool());
    library.moveToTrash(row);
    QTest::qWait(100);
    QCOMPARE(library.count(), 3);
    QCOMPARE(contentOf(elsewhere), QByteArray("theirs"));
  }

  void duplicatesAreFoundByWhatIsInThem() {
    const QByteArray one(3'000'000, 'x'), same = one, other = QByteArray(2'999'999, 'x') + 'y';
    const QString a = m_home->filePath(QStringLiteral("a/one.gguf")), b = m_home->filePath(QStringLiteral("b/two.gguf"));
    const QString c = m_home->filePath(QStringLiteral("c/three.gguf")), d = m_home->filePath(QStringLiteral("d/four.gguf"));
    put(a, one);
    put(b, same);
    put(c, other);  // same size, differs at the end
    put(d, "short");
    const QString link = m_home->filePath(QStringLiteral("link.gguf"));
    QVERIFY(QFile::link(a, link));  // takes no space
    const QString kept = m_home->filePath(QStringLiteral("hashes.json"));
    Duplicates duplicates;
    duplicates.setHashFile(kept);
    const QList<LibraryModel> models{{a, QStringLiteral("One"), {}},
                                     {link, QStringLiteral("One"), {}},
                                     {b, QStringLiteral("Two"), QStringLiteral("Ollama")},
                                     {c, QStringLiteral("Three"), {}},
                                     {d, QStringLiteral("Four"), {}}};
    duplicates.look(models);
    QCOMPARE(duplicates.state(), Duplicates::Looking);
    QTRY_COMPARE(duplicates.state(), Duplicates::Done);
    QCOMPARE(duplicates.groups().size(), 1);
    const QVariantMap group = duplicates.groups()[0].toMap();
    QCOMPARE(group[QStringLiteral("sha256")].toString(),
             QString::fromLatin1(QCryptographicHash::hash(one, QCryptographicHash::Sha256).toHex()));
    QCOMPARE(group[QStringLiteral("places")].toList().size(), 2);
    QCOMPARE(duplicates.bytesSaved(), 3e6);
    QCOMPARE(contentOf(b), same);

    // The hashes are stored now, so only changed files are read again.
    FileHashes hashes(kept);
    int reads = 0;
    const auto count = [&](qint64) { ++reads; };
    QVERIFY(hashes.of(a, {}, count) && hashes.of(c, {}, count));
    QCOMPARE(reads, 0);
    QVERIFY(!hashes.knows(FileIdentity::of(d)));  // never read, because no other file has its size
    put(b, other);
    QVERIFY(hashes.of(b, {}, count));
    QVERIFY(reads > 0);
    duplicates.look(models);
    QTRY_COMPARE(duplicates.state(), Duplicates::Done);
    QCOMPARE(duplicates.groups().size(), 1);
    QCOMPARE(duplicates.groups()[0].toMap()[QStringLiteral("name")].toString(), QStringLiteral("Two"));
  }

  void aSystemWithoutAThreadIsSaid() {
    const minerva::tests::NoThreads none;
    Duplicates duplicates;
    duplicates.look({});
    QCOMPARE(duplicates.state(), Duplicates::Done);
    QVERIFY(duplicates.unread().value(0).contains(QStringLiteral("thread")));
    CopyJob copy;
    copy.start(gguf, {}, QStringLiteral("q4_0"), m_home->filePath(QStringLiteral("copy.gguf")));
    QCOMPARE(copy.state(), CopyJob::Failed);
    QVERIFY(copy.error().details.contains(QStringLiteral("thread")));
  }

  void aCancelledComparisonSaysNothing() {
    const QByteArray much(60'000'000, 'x');
    for (const char* name : {"a.gguf", "b.gguf"}) put(m_home->filePath(QString::fromLatin1(name)), much);
    Duplicates duplicates;
    duplicates.setHashFile(m_home->filePath(QStringLiteral("hashes.json")));
    duplicates.look({{m_home->filePath(QStringLiteral("a.gguf")), {}, {}}, {m_home->filePath(QStringLiteral("b.gguf")), {}, {}}});
    duplicates.cancel();
    QTRY_COMPARE(duplicates.state(), Duplicates::Idle);
    QVERIFY(duplicates.groups().isEmpty());
  }

  void splitModelsAndFoldersAreTheirFiles() {
    for (const char* name :
         {"s/big-00001-of-00002.gguf", "s/big-00002-of-00002.gguf", "s/big-00001-of-00003.gguf", "f/model.safetensors", "f/config.json"})
      put(m_home->filePath(QString::fromLatin1(name)), "x");
    const auto names = [&](const char* path) {
      QStringList list;
      for (const QString& file : weightFilesOf(m_home->filePath(QString::fromLatin1(path)))) list << QFileInfo(file).fileName();
      return list;
    };
    QCOMPARE(names("s/big-00001-of-00002.gguf"),
             (QStringList{QStringLiteral("big-00001-of-00002.gguf"), QStringLiteral("big-00002-of-00002.gguf")}));
    put(m_home->filePath(QStringLiteral("s/small[2]-00001-of-00001.gguf")), "x");
    QCOMPARE(names("s/small[2]-00001-of-00001.gguf"), QStringList{QStringLiteral("small[2]-00001-of-00001.gguf")});
    QCOMPARE(names("f"), QStringList{QStringLiteral("model.safetensors")});
  }

  void twinsAreToldByTheirNames() {
    const QString base = QStringLiteral("llama 3 2 1b instruct");
    for (const char* name : {"Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Llama-3.2-1B-Instruct-4bit", "Llama-3.2-1B-Instruct",
                             "bartowski/Llama-3.2-1B-Instruct-GGUF", "llama-3.2-1b-instruct.UD-Q4_K_XL.gguf",
                             "Llama-3.2-1B-Instruct-BF16-00001-of-00002.gguf", "mlx-community/Llama-3.2-1B-Instruct-bf16"})
      QCOMPARE(baseNameOf(QString::fromLatin1(name)), base);
    QVERIFY(baseNameOf(QStringLiteral("Llama-3.2-1B-Q4_K_M.gguf")) != base);
    QVERIFY(baseNameOf(QStringLiteral("Llama-3.2-3B-Instruct-Q4_K_M.gguf")) != base);
    QVERIFY(areTwins({base, QStringLiteral("llama"), 1.24e9}, {base, {}, 0}));
    QVERIFY(!areTwins({base, QStringLiteral("llama"), 1.24e9}, {base, QStringLiteral("qwen3"), 0}));
    QVERIFY(!areTwins({base, QStringLiteral("llama"), 1.24e9}, {base, QStringLiteral("llama"), 1.5e9}));
    QVERIFY(!areTwins({}, {}));
  }

  void theListNamesTwinsAndFit() {
    const QByteArray bytes = contentOf(gguf);
    put(m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf"), bytes);
    put(m_home->filePath(QStringLiteral("lm/tiny.Q8_0.gguf")), bytes);
    put(m_home->filePath(QStringLiteral("lm/other.gguf")), bytes);
    put(m_home->filePath(QStringLiteral("lm/broken.gguf")), "GGUF");
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.setPreferences({.device = QStringLiteral("cpu")}, {});
    library.addFolder(m_models);
    QTRY_COMPARE(library.count(), 2);
    for (const char* name : {"lm/other.gguf", "lm/tiny.Q8_0.gguf", "lm/broken.gguf"}) library.add(m_home->filePath(QLatin1String(name)));
    // Each added model comes to the top, and its twin is moved up below it.
    const auto names = [&library] {
      QStringList all;
      for (int i = 0; i < library.count(); ++i)
        all << (library.index(i).data(ModelLibrary::TwinAboveRole).toBool() ? QStringLiteral("+") : QString()) +
                   QFileInfo(library.index(i).data(ModelLibrary::PathRole).toString()).fileName();
      return all.mid(1).join(QLatin1Char(' '));
    };
    QTRY_COMPARE(names(), QStringLiteral("broken.gguf tiny.Q8_0.gguf +tiny-Q4_K_M.gguf other.gguf"));
    const int row = rowOf(library, m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf"));
    const QString about = library.index(row).data(ModelLibrary::SubtitleRole).toString();
    QVERIFY2(about.contains(QStringLiteral("bits per weight")) && about.contains(QStringLiteral("context ")), qPrintable(about));
    QVERIFY(!library.twinsOf(QStringLiteral("someone/tiny-GGUF")).isEmpty());
    QVERIFY(library.twinsOf(QStringLiteral("someone/large-GGUF")).isEmpty());
    QTRY_VERIFY(!library.index(rowOf(library, m_home->filePath(QStringLiteral("lm/broken.gguf"))))
                     .data(ModelLibrary::ProblemRole)
                     .toString()
                     .isEmpty());
    library.checkFits();
    QTRY_COMPARE(library.index(0).data(ModelLibrary::FitRole).toString(), QStringLiteral("fits"));
    QTRY_COMPARE(library.index(row).data(ModelLibrary::FitRole).toString(), QStringLiteral("fits"));
  }

  // Models deleted outside Minerva: one in the models folder leaves the list, one elsewhere is marked as missing, and neither
  // is shown as the parent of a twin.
  void whatIsGoneIsNobodysParent() {
    const QByteArray bytes = contentOf(gguf);
    const QString own = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q4_K_M.gguf"),
                  elsewhere = m_home->filePath(QStringLiteral("lm/tiny-Q8_0.gguf"));
    const QString ghost = m_home->filePath(QStringLiteral("lm/tiny-Q5_0.gguf")),
                  brought = m_models + QStringLiteral("/org/tiny-GGUF/tiny-Q6_K.gguf");
    for (const QString& path : {own, elsewhere, ghost}) put(path, bytes);
    ModelLibrary library(nullptr, m_home->filePath(QStringLiteral("models.ini")), builtIn);
    library.addFolder(m_models);
    QTRY_COMPARE(library.count(), 2);
    library.add(elsewhere);
    library.add(ghost);
    const auto of = [&](const QString& path, ModelLibrary::Role role) { return library.index(rowOf(library, path)).data(role); };
    QTRY_COMPARE(rowOf(library, ghost), 1);
    QTRY_VERIFY(of(own, ModelLibrary::TwinAboveRole).toBool());
    QVERIFY(QFile::remove(ghost));
    put(brought, bytes);
    QVERIFY(QFile::remove(own));
    library.refresh();
    QTRY_VERIFY(of(ghost, ModelLibrary::MissingRole).toBool());
    QTRY_COMPARE(rowOf(library, own), -1);
    QTRY_VERIFY(rowOf(library, brought) > 0);  // as if downloaded by `minerva get`
    QTRY_COMPARE(std::abs(rowOf(library, brought) - rowOf(library, elsewhere)), 1);
    const int first = std::min(rowOf(library, brought), rowOf(library, elsewhere));
    QTRY_VERIFY(library.index(first + 1).data(ModelLibrary::TwinAboveRole).toBool());
    QVERIFY(!library.index(first).data(ModelLibrary::TwinAboveRole).toBool());  // although another model is above it
    // A model removed from the list stays off it, although its file still exists.
    library.remove(rowOf(library, brought));
    library.refresh();
    QTest::qWait(200);
    QCOMPARE(rowOf(library, brought), -1);
  }

  void aFolderNobodyMayReadIsSaid() {
    const QString root = m_home->filePath(QStringLiteral("ollama"));
    put(root + QStringLiteral("/manifests/registry/library/tiny/1b"), "{}");
    const QList<OtherAppPlace> places{{QStringLiteral("Ollama"), root, OtherAppPlace::Layout::ollama},
                                      {QStringLiteral("Jan"), m_home->filePath(QStringLiteral("none")), OtherAppPlace::Layout::tree}};
    QVERIFY(unreadablePlaces(places).isEmpty());
    QVERIFY(QFile::setPermissions(m_home->path(), QFile::ReadOwner | QFile::ExeOwner | QFile::ReadGroup | QFile::ExeGroup |
                                                      QFile::ReadOther | QFile::ExeOther | QFile::WriteOwner));
    QVERIFY(QFile::setPermissions(root, {}));
    const bool asRoot = geteuid() == 0;  // root may read everything, so switch to the user nobody
    if (asRoot) QCOMPARE(seteuid(65534), 0);
    const QStringList notes = unreadablePlaces({places[0]});
    if (asRoot) QCOMPARE(seteuid(0), 0);
    QFile::setPermissions(root, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QCOMPARE(notes.size(), 1);
    QVERIFY2(notes[0].contains(root) && notes[0].contains(QStringLiteral("group")), qPrintable(notes[0]));
  }

 private:
  static int rowOf(const ModelLibrary& library, const QString& path) {
    for (int row = 0; row < library.count(); ++row)
      if (library.index(row).data(ModelLibrary::PathRole).toString() == path) return row;
    return -1;
  }
  std::unique_ptr<QTemporaryDir> m_home;
  QString m_models;
};

APP_TEST(LibraryCareTest, "library_care", QCoreApplication)
#include "tst_library_care.moc"
