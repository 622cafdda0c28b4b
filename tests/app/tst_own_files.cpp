// The program's own files: only the owner can read them, and unreadable ones are preserved.
#include "app/hub/request_log.h"
#include "app/shell/single_instance.h"
#include "app/storage/own_files.h"
#include "app/storage/sqlite_file.h"
#include "app_test.h"
#include "test_files.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace minerva::app;

namespace {

int rightsOf(const QString& file) {
  struct stat about {};
  return ::stat(QFile::encodeName(file).constData(), &about) == 0 ? static_cast<int>(about.st_mode & 0777) : -1;
}

void putWithRights(const QString& path, const QByteArray& bytes, mode_t rights = 0644) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
  file.close();
  QCOMPARE(::chmod(QFile::encodeName(path).constData(), rights), 0);
}

const SqliteFile::Migrations table{{QStringLiteral("CREATE TABLE notes (text TEXT)")}};

}  // namespace

class OwnFilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    ::umask(022);
  }

  void aDatabaseIsItsOwnersOnly() {
    const QString file = m_folder->filePath(QStringLiteral("a.sqlite"));
    const auto database = SqliteFile::open(file, "the notes", table);
    QVERIFY(database.has_value());
    QVERIFY((*database)->run(QStringLiteral("INSERT INTO notes VALUES ('x')")).has_value());
    for (const char* suffix : {"", "-wal", "-shm"}) QCOMPARE(rightsOf(file + QString::fromLatin1(suffix)), 0600);
  }

  void oneOfAnEarlierVersionIsMended() {
    const QString file = m_folder->filePath(QStringLiteral("a.sqlite")), copy = file + QStringLiteral(".before-version-2");
    putWithRights(file, {});
    putWithRights(copy, "an earlier version", 0664);
    const QString other = m_folder->filePath(QStringLiteral("b.gguf"));
    putWithRights(other, "a model", 0644);
    QVERIFY(SqliteFile::open(file, "the notes", table).has_value());
    QCOMPARE(rightsOf(file), 0600);
    QCOMPARE(rightsOf(copy), 0600);
    QCOMPARE(rightsOf(other), 0644);  // not private
  }

  void settingsAreTheirOwnersOnly() {
    const QString file = m_folder->filePath(QStringLiteral("settings.ini"));
    putWithRights(file, "a=1\n");
    {
      QSettings settings(ownersOnly(file), QSettings::IniFormat);
      settings.setValue(QStringLiteral("b"), 2);
    }
    QVERIFY(contentOf(file).contains("b=2"));
    QCOMPARE(rightsOf(file), 0600);
    const QString fresh = m_folder->filePath(QStringLiteral("models.ini"));
    { QSettings(ownersOnly(fresh), QSettings::IniFormat).setValue(QStringLiteral("b"), 2); }
    QCOMPARE(rightsOf(fresh), 0600);
  }

  void theLogOfRequestsIsItsOwnersOnlyAndRotates() {
    const QString file = m_folder->filePath(QStringLiteral("requests.log"));
    putWithRights(file, "2026-11-21T22:33:16.123Z 1.1 GET https://earlier.example (x)\n");
    RequestLog log(file);
    const QString why(2000, QLatin1Char('x'));
    log.made("GET", QUrl(QStringLiteral("https://first.example")), why);
    QCOMPARE(rightsOf(file), 0600);
    for (int i = 0; i < 3000; ++i) log.made("GET", QUrl(QStringLiteral("https://host.example/%1").arg(i)), why);
    QVERIFY(QFileInfo(file).size() < RequestLog::mostBytes);
    QVERIFY(QFileInfo(file + QStringLiteral(".1")).size() >= RequestLog::mostBytes);
    QCOMPARE(rightsOf(file), 0600);
    const auto last = log.last(2);
    QVERIFY(last.has_value() && last->size() == 2);
    QVERIFY(last->first().contains(QStringLiteral("host.example/2999 ")));
    // Continues with the earlier file.
    QVERIFY(QFile::resize(file, 0));
    QVERIFY(log.last(2).value().first().contains(QStringLiteral("host.example/")));
  }

  void aLogThatCannotBeReadIsNoEmptyOne() {
    const QString file = m_folder->filePath(QStringLiteral("requests.log"));
    QVERIFY(QDir().mkpath(file));  // a folder in place of the file cannot be read, not even by root
    const auto lines = RequestLog(file).last(10);
    QVERIFY(!lines.has_value());
    QCOMPARE(lines.error().where, file.toStdString());
  }

  void settingsThatCannotBeReadAreKept() {
    const QString file = m_folder->filePath(QStringLiteral("settings.ini"));
    QVERIFY(!keepUnreadable(file, "the settings"));  // there is no file yet
    putWithRights(file, "a=1\n");
    QVERIFY(!keepUnreadable(file, "the settings"));
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files).size(), 1);

    const QByteArray damaged = "[presets]\nkeep=me\n[broken\n\x01\x02\n";
    putWithRights(file, damaged);
    // QSettings still reads what comes before the damage.
    QCOMPARE(QSettings(file, QSettings::IniFormat).value(QStringLiteral("presets/keep")).toString(), QStringLiteral("me"));
    const auto partly = keepUnreadable(file, "the settings");
    QVERIFY(partly && partly->kind == minerva::ErrorKind::corrupt);
    QVERIFY2(partly->what.starts_with("the settings are damaged"), partly->message().c_str());
    const QStringList kept = QDir(m_folder->path()).entryList({QStringLiteral("settings.ini.unreadable-*")}, QDir::Files);
    QCOMPARE(kept.size(), 1);
    QCOMPARE(contentOf(m_folder->filePath(kept.first())), damaged);
    QVERIFY(!keepUnreadable(file, "the settings"));  // reported only once
    const QString anew = m_folder->filePath(QStringLiteral("anew.ini"));
    QVERIFY(QFile::copy(file, anew));
    QCOMPARE(QSettings(anew, QSettings::IniFormat).status(), QSettings::NoError);  // because the file itself is valid now
    QCOMPARE(QSettings(file, QSettings::IniFormat).value(QStringLiteral("presets/keep")).toString(), QStringLiteral("me"));
    QVERIFY(partly->hint.find(kept.first().toStdString()) != std::string::npos);
  }

  void settingsNobodyMayReadAreKept() {
    const QString file = m_folder->filePath(QStringLiteral("settings.ini"));
    putWithRights(file, "a=1\n", 0);
    QCOMPARE(::chmod(QFile::encodeName(m_folder->path()).constData(), 0777), 0);
    const bool asRoot = geteuid() == 0;  // root may read everything, so switch to the user nobody
    if (asRoot) QCOMPARE(seteuid(65534), 0);
    if (::faccessat(AT_FDCWD, QFile::encodeName(m_folder->path()).constData(), W_OK | X_OK, AT_EACCESS) != 0) {
      QCOMPARE(seteuid(0), 0);
      QSKIP("skipped: a folder above the test's is closed to the user nobody");
    }
    const auto problem = keepUnreadable(file, "the settings");
    { QSettings(file, QSettings::IniFormat).setValue(QStringLiteral("c"), 3); }
    if (asRoot) QCOMPARE(seteuid(0), 0);
    QVERIFY(problem && problem->kind == minerva::ErrorKind::io);
    const QStringList kept = QDir(m_folder->path()).entryList({QStringLiteral("settings.ini.unreadable-*")}, QDir::Files);
    QCOMPARE(kept.size(), 1);
    QCOMPARE(::chmod(QFile::encodeName(m_folder->filePath(kept.first())).constData(), 0600), 0);
    QCOMPARE(contentOf(m_folder->filePath(kept.first())), QByteArray("a=1\n"));
  }

  void theSocketIsItsOwnersOnly() {
    qputenv("TMPDIR", m_folder->path().toLocal8Bit());
    SingleInstance instance(m_folder->filePath(QStringLiteral("data")));
    QVERIFY(instance.claim());
    QStringList sockets;
    QDirIterator all(m_folder->path(), QDir::System, QDirIterator::NoIteratorFlags);
    while (all.hasNext()) sockets << all.next();
    QCOMPARE(sockets.size(), 1);
    QCOMPARE(rightsOf(sockets.first()) & 077, 0);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

APP_TEST(OwnFilesTest, "own_files", QCoreApplication)
#include "tst_own_files.moc"
