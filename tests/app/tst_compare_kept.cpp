// Comparisons as they are kept and exported.
#include "app/compare/compare_store.h"
#include "app/compare/export.h"
#include "app_test.h"
#include "measured_run.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace minerva::app;

class CompareKeptTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void runsOfOneComparisonAreFoundTogether() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("runs.sqlite"));
    {  // a file of the previous version, which had no speeds per reply
      QSqlDatabase raw = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
      raw.setDatabaseName(file);
      QVERIFY(raw.open());
      QFile old(QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/compare/version-1.sql"));
      QVERIFY(old.open(QIODevice::ReadOnly));
      const auto statements = QString::fromUtf8(old.readAll()).split(QLatin1String(";\n"), Qt::SkipEmptyParts);
      for (const QString& statement : statements) QVERIFY2(QSqlQuery(raw).exec(statement), qPrintable(statement));
      raw.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
    auto store = CompareStore::open(file);
    QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
    CompareRun run = measured({100, 50});
    run.created = QDateTime::currentDateTime();
    run.repeats = 1;
    const qint64 second = *(*store)->add(run);
    run.repeats = second;
    const qint64 third = *(*store)->add(run);
    run.repeats = 0;
    const qint64 other = *(*store)->add(run);
    const auto same = (*store)->sameAs(second);
    QVERIFY(same.has_value());
    QCOMPARE(same->size(), 3U);
    QCOMPARE((*same)[0].id, 1);
    QCOMPARE((*same)[1].id, third);
    QCOMPARE((*same)[2].id, second);
    QVERIFY(std::isnan((*same)[0].columns[0].replies[0].decodeSpeed));
    QCOMPARE((*same)[2].columns[0].replies[1].decodeSpeed, 50.0);
    QCOMPARE((*store)->sameAs(other)->size(), 1U);
  }

  void exportsSayWhatTheTableSays() {
    CompareRun run;
    run.created = QDateTime(QDate(2026, 11, 21), QTime(12, 0));
    run.settings.prompts = {QStringLiteral("Say ```this```")};
    run.columns.resize(2);
    run.columns[0].model = {QStringLiteral("/m/a|b"), QStringLiteral("a|b \"c\""), QStringLiteral("GGUF"), QStringLiteral("Q4_0")};
    run.columns[0].figures.decodeSpeed = 123.456;
    run.columns[0].figures.kl = 0.03125;
    run.columns[0].replies.resize(1);
    run.columns[0].replies[0].tokens = {5, 6};
    run.columns[1].reference = true;
    const QString markdown = toMarkdown(run);
    QVERIFY2(markdown.contains(QStringLiteral("| a\\|b \"c\" | GGUF | Q4_0 |")), qPrintable(markdown));
    QVERIFY(markdown.contains(QStringLiteral(" 123 |")) && markdown.contains(QStringLiteral(" 0.03125 |")) &&
            markdown.contains(QStringLiteral(" - |")));
    QVERIFY(markdown.contains(QStringLiteral("````\nSay ```this```\n````")));
    CompareRun foreign = run;
    foreign.positions = 6;
    foreign.columns[0].model.name = QStringLiteral("<img src=x> *bold* [a](b)\n# c");
    foreign.columns[1].model.name = QStringLiteral("%6 & `Q4_K_M`");
    const QString escaped = toMarkdown(foreign);
    QVERIFY2(escaped.contains(QStringLiteral("| &lt;img src=x&gt; \\*bold\\* \\[a\\](b) \\# c |")), qPrintable(escaped));
    QVERIFY2(escaped.contains(QStringLiteral("\n&lt;img src=x&gt; \\*bold\\*")), qPrintable(escaped));  // above its reply
    QVERIFY2(escaped.contains(QStringLiteral("Distances from %6 &amp; \\`Q4_K_M\\`, means over 6 tokens")), qPrintable(escaped));
    const QStringList csv = toCsv(run).split(QStringLiteral("\r\n"));
    QCOMPARE(csv.size(), 4);
    QVERIFY(csv[1].startsWith(QStringLiteral("\"a|b \"\"c\"\"\",\"GGUF\",\"Q4_0\"")));
    QCOMPARE(csv[0].count(QLatin1Char(',')), csv[1].count(QLatin1Char(',')));
    const QJsonObject json = QJsonDocument::fromJson(toJson(run)).object();
    const QJsonObject column = json[QStringLiteral("columns")].toArray()[0].toObject();
    QCOMPARE(column[QStringLiteral("figures")].toObject()[QStringLiteral("decode")].toDouble(), 123.456);
    QVERIFY(column[QStringLiteral("figures")].toObject()[QStringLiteral("ttft")].isNull());
    QCOMPARE(column[QStringLiteral("replies")].toArray()[0].toObject()[QStringLiteral("tokens")].toArray().size(), 2);
  }

  void aDatabaseOfALaterVersionIsLeftAlone() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("comparisons.sqlite"));
    {
      QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("later"));
      database.setDatabaseName(file);
      QVERIFY(database.open());
      QSqlQuery(database).exec(QStringLiteral("PRAGMA user_version=99"));
      database.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("later"));
    const auto store = CompareStore::open(file);
    QVERIFY(!store);
    QCOMPARE(store.error().kind, minerva::ErrorKind::unsupported);
    QFile(file).remove();
    QFile other(file);
    QVERIFY(other.open(QIODevice::WriteOnly) && other.write(QByteArray(4096, 'x')) == 4096);
    other.close();
    const auto corrupt = CompareStore::open(file);
    QVERIFY(!corrupt);
    QCOMPARE(corrupt.error().kind, minerva::ErrorKind::corrupt);
  }
};

APP_TEST(CompareKeptTest, "compare_kept", QCoreApplication)
#include "tst_compare_kept.moc"
