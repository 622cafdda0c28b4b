// The benchmark with charts: what is measured and kept, what the charts show, and the page by keyboard and for a screen reader.
//
// With MINERVA_PICTURES=FOLDER each screen is also saved as a PNG for inspection.
#include "app/metrics/figures.h"
#include "app/shell/language.h"
#include "app/speed/speed_benchmark.h"
#include "app/speed/speed_charts.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"
#include "sample_report.h"
#include "screen_checks.h"
#include "test_files.h"
#include "tests/support/no_threads.h"

#include <QAccessible>
#include <QDir>
#include <QFile>
#include <QSignalSpy>

using namespace minerva::app;

namespace {

namespace speed = minerva::speed;

ModelFacts builtInFacts(int context = 1024) {
  ModelFacts facts;
  facts.path = builtIn;
  facts.name = QStringLiteral("the one in the box");
  facts.modelContext = context;
  return facts;
}

const LoadPreferences onOneThread{.device = QStringLiteral("cpu"), .threads = 1};

QList<int> chosen(const QVariantList& choices) {
  QList<int> values;
  for (const QVariant& choice : choices)
    if (choice.toMap()[QStringLiteral("chosen")].toBool()) values << choice.toMap()[QStringLiteral("value")].toInt();
  return values;
}

QList<int> possible(const QVariantList& choices) {
  QList<int> values;
  for (const QVariant& choice : choices)
    if (choice.toMap()[QStringLiteral("possible")].toBool()) values << choice.toMap()[QStringLiteral("value")].toInt();
  return values;
}

QList<QPair<int, int>> measuredPairs(const QVariantList& table) {
  QList<QPair<int, int>> found;
  for (const QVariant& row : table)
    found.append({row.toMap()[QStringLiteral("batch")].toInt(), row.toMap()[QStringLiteral("depth")].toInt()});
  return found;
}

QStringList keysOf(const QVariantList& charts) {
  QStringList keys;
  for (const QVariant& chart : charts) keys << chart.toMap()[QStringLiteral("key")].toString();
  return keys;
}

QStringList fileNamesIn(const QString& folder) { return QDir(folder).entryList(QDir::Files); }

QQuickItem* found(MainWindow& minerva, const char* kind, int number = 0) {
  QQuickItem* item = nullptr;
  visit(minerva.window->contentItem(), [&](QQuickItem* each) {
    if (QByteArray(each->metaObject()->className()).startsWith(kind) && number-- == 0) item = each;
  });
  return item;
}

}  // namespace

class BenchmarkTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { useLanguage(QStringLiteral("en")); }

  void theChoiceIsBoundedByTheModelsContext() {
    QTemporaryDir folder;
    SpeedBenchmark benchmark(folder.path(), {});
    QVERIFY(!benchmark.canRun() && !benchmark.whyNot().isEmpty());
    benchmark.setModel(builtInFacts());
    QVERIFY2(benchmark.canRun(), qPrintable(benchmark.whyNot()));
    QCOMPARE(possible(benchmark.depths()), (QList<int>{0, 512}));
    QCOMPARE(chosen(benchmark.depths()), (QList<int>{0, 512}));
    QCOMPARE(possible(benchmark.batches()), (QList<int>{1, 2, 4, 8, 16, 20, 32}));
    QCOMPARE(benchmark.measurements(), 5);
    for (const int batch : {2, 4, 8}) benchmark.toggleBatch(batch);
    benchmark.toggleBatch(32);
    QCOMPARE(chosen(benchmark.batches()), (QList<int>{1, 32}));
    QCOMPARE(benchmark.measurements(), 3);
    for (const int batch : {1, 32, 3}) benchmark.toggleBatch(batch);
    QCOMPARE(chosen(benchmark.batches()), QList<int>{32});  // the last one stays, and 3 is no choice
    benchmark.toggleDepth(0);
    benchmark.toggleDepth(512);
    benchmark.toggleDepth(4096);
    QCOMPARE(chosen(benchmark.depths()), QList<int>{512});
    benchmark.setModel(builtInFacts(512));
    QCOMPARE(chosen(benchmark.depths()), QList<int>{0});  // something is always measured
    benchmark.setModel(builtInFacts(131072));
    QCOMPARE(possible(benchmark.depths()).last(), 16384);
    ModelFacts elsewhere = builtInFacts();
    elsewhere.server = QStringLiteral("a server");
    benchmark.setModel(elsewhere);
    QVERIFY(!benchmark.canRun() && benchmark.whyNot().contains(QStringLiteral("a server")));
    benchmark.setModel(builtInFacts());
    benchmark.setBusy(QStringLiteral("Something else is running."));
    QCOMPARE(benchmark.whyNot(), QStringLiteral("Something else is running."));
    benchmark.run();
    QVERIFY(!benchmark.isRunning());
  }

  void whatItTakesIsForecast() {
    QTemporaryDir folder;
    SpeedBenchmark benchmark(folder.path(), {});
    benchmark.setPreferences(onOneThread);
    benchmark.setModel(builtInFacts());
    benchmark.forecast()->setWanted(true);
    QTRY_COMPARE(benchmark.forecast()->model(), builtIn);
    const double some = benchmark.forecast()->cache();
    QVERIFY(some > 0 && benchmark.forecast()->room() > benchmark.forecast()->total());
    benchmark.toggleBatch(32);
    QTRY_VERIFY(benchmark.forecast()->cache() > some);
    QVERIFY(!benchmark.forecast()->isRefused());
  }

  void itMeasuresWhatWasChosenAndKeepsIt() {
    QTemporaryDir folder;
    const QString kept = folder.filePath(QStringLiteral("benchmarks"));
    SpeedBenchmark benchmark(kept, {});
    benchmark.setPreferences(onOneThread);
    benchmark.setModel(builtInFacts());
    for (const int batch : {4, 8}) benchmark.toggleBatch(batch);
    double last = 0;
    bool rising = true;
    QStringList stages;
    connect(&benchmark, &SpeedBenchmark::changed, this, [&] {
      rising = rising && benchmark.progress() >= last;
      last = benchmark.progress();
      if (!stages.contains(benchmark.stage())) stages << benchmark.stage();
    });
    QSignalSpy running(&benchmark, &SpeedBenchmark::runningChanged);
    benchmark.run();
    QVERIFY(benchmark.isRunning() && !benchmark.canRun());
    benchmark.toggleBatch(16);
    QCOMPARE(chosen(benchmark.batches()), (QList<int>{1, 2}));  // not during a run
    QTRY_VERIFY(!benchmark.isRunning());
    QVERIFY2(!benchmark.error().isSet(), qPrintable(benchmark.error().details));
    QCOMPARE(running.count(), 2);
    QVERIFY(rising);
    QCOMPARE(last, 1.0);
    QVERIFY2(stages.size() > 1, qPrintable(stages.join(QLatin1Char('|'))));
    const QList<QPair<int, int>> expected{{1, 0}, {2, 0}, {1, 512}};
    QCOMPARE(measuredPairs(benchmark.table()), expected);
    for (const QVariant& row : benchmark.table())
      for (const char* figure : {"prefill", "decode", "ttft", "tpot", "tpot95"})
        QVERIFY2(row.toMap()[QLatin1String(figure)].toDouble() > 0, figure);
    QCOMPARE(keysOf(benchmark.charts()), (QStringList{QStringLiteral("decodeByBatch"), QStringLiteral("prefillByBatch"),
                                                      QStringLiteral("decodeByDepth"), QStringLiteral("prefillByDepth")}));
    QCOMPARE(benchmark.subject()[QStringLiteral("prompt")].toInt(), SpeedBenchmark::promptTokens);
    QCOMPARE(benchmark.subject()[QStringLiteral("repetitions")].toInt(), SpeedBenchmark::repetitions);
    QTRY_COMPARE(benchmark.kept().size(), 1);
    QVERIFY(benchmark.kept().first().toMap()[QStringLiteral("shown")].toBool());
    QCOMPARE(fileNamesIn(kept).size(), 1);
    const auto report =
        speed::readReport(contentOf(benchmark.kept().first().toMap()[QStringLiteral("file")].toString()).toStdString(), "kept");
    QVERIFY2(report.has_value(), report ? "" : report.error().message().c_str());
    QCOMPARE(report->rows.size(), std::size_t{3});
    QCOMPARE(report->machine.commit, std::string(speed::commitOfBuild()));
    QVERIFY(report->rows[0]["read_bytes_per_second"].get<double>() > 0);
    SpeedBenchmark later(kept, {});  // after a restart
    QTRY_COMPARE(later.kept().size(), 1);
    QCOMPARE(measuredPairs(later.table()), expected);
    QCOMPARE(later.charts(), benchmark.charts());
  }

  // By a reply in the window, for instance: its figures are no measure of the model, also when the report is read later.
  void aDisturbedRunSaysSo() {
    QTemporaryDir folder;
    SpeedBenchmark benchmark(folder.path(), {});
    benchmark.setPreferences(onOneThread);
    benchmark.setModel(builtInFacts());
    for (const int batch : {2, 4, 8}) benchmark.toggleBatch(batch);
    benchmark.toggleDepth(512);
    const auto disturbed = [&benchmark] { return benchmark.subject()[QStringLiteral("disturbed")].toBool(); };
    for (const bool other : {true, false}) {
      benchmark.run();
      QVERIFY(benchmark.isRunning());
      if (other) benchmark.setBusy(QStringLiteral("The model is working."));
      benchmark.setBusy({});
      QTRY_VERIFY(!benchmark.isRunning());
      QVERIFY2(!benchmark.error().isSet(), qPrintable(benchmark.error().details));
      QCOMPARE(disturbed(), other);
      QCOMPARE(benchmark.subject()[QStringLiteral("machine")].toString().contains(QStringLiteral("other work meanwhile")), other);
    }
    QTRY_COMPARE(benchmark.kept().size(), 2);
    SpeedBenchmark later(folder.path(), {});
    QTRY_COMPARE(later.kept().size(), 2);
    QList<bool> kept;
    for (const QVariant& report : later.kept()) kept << report.toMap()[QStringLiteral("disturbed")].toBool();
    QCOMPARE(kept.count(true), 1);
  }

  void aCancelledRunIsNotKept() {
    QTemporaryDir folder;
    SpeedBenchmark benchmark(folder.path(), {});
    benchmark.setPreferences(onOneThread);
    benchmark.setModel(builtInFacts());
    for (const int batch : {16, 20, 32}) benchmark.toggleBatch(batch);
    benchmark.run();
    QTRY_VERIFY(!benchmark.table().isEmpty() || !benchmark.isRunning());
    QVERIFY2(benchmark.isRunning(), "it was over before it could be cancelled");
    benchmark.cancel();
    QTRY_VERIFY(!benchmark.isRunning());
    QVERIFY(!benchmark.error().isSet());
    QVERIFY(!benchmark.table().isEmpty());
    QTest::qWait(200);
    QVERIFY(fileNamesIn(folder.path()).isEmpty() && benchmark.kept().isEmpty());
    QVERIFY(benchmark.canRun());
  }

  void aSystemWithoutAThreadIsSaid() {
    const minerva::tests::NoThreads none;
    SpeedJob job;
    job.start({.path = builtIn, .preferences = onOneThread, .backend = {}, .tasks = {}});
    QVERIFY(!job.isRunning() && !job.state().running);
    QVERIFY(job.state().error && !job.state().finished);
  }

  void whatCannotBeMeasuredIsSaid() {
    QTemporaryDir folder;
    SpeedBenchmark benchmark(folder.path(), {});
    ModelFacts gone = builtInFacts();
    gone.path = folder.filePath(QStringLiteral("gone.gguf"));
    benchmark.setModel(gone);
    benchmark.run();
    QTRY_VERIFY(!benchmark.isRunning());
    QVERIFY(benchmark.error().isSet() && benchmark.error().details.contains(QStringLiteral("gone.gguf")));
    QVERIFY(benchmark.table().isEmpty() && fileNamesIn(folder.path()).isEmpty());
    benchmark.dismissError();
    QVERIFY(!benchmark.error().isSet());
    const QString noFolder = folder.filePath(QStringLiteral("file"));
    put(noFolder, "not a folder");
    SpeedBenchmark other(noFolder, {});
    other.setPreferences(onOneThread);
    other.setModel(builtInFacts());
    for (const int batch : {2, 4, 8}) other.toggleBatch(batch);
    other.toggleDepth(512);
    other.run();
    QTRY_VERIFY(!other.isRunning() && other.error().isSet());
    QCOMPARE(other.error().headline, QStringLiteral("The benchmark could not be kept"));
    QCOMPARE(other.table().size(), 1);  // it is shown nevertheless
  }

  void chartsShowTheFigures() {
    const QVariantList charts = speedCharts(sampleReport({{1, 0}, {8, 0}, {2, 0}, {1, 4000}, {1, 2000}}));
    QCOMPARE(charts.size(), 4);
    const QVariantMap byBatch = charts[0].toMap(), byDepth = charts[3].toMap();
    QCOMPARE(byBatch[QStringLiteral("line")].value<QList<QPointF>>(), (QList<QPointF>{{1, 10}, {2, 20}, {8, 80}}));
    QCOMPARE(byDepth[QStringLiteral("line")].value<QList<QPointF>>(), (QList<QPointF>{{0, 1000}, {2000, 800}, {4000, 600}}));
    const QVariantMap last = byBatch[QStringLiteral("points")].toList().last().toMap();
    QVERIFY(qFuzzyCompare(last[QStringLiteral("low")].toDouble(), 72) && qFuzzyCompare(last[QStringLiteral("high")].toDouble(), 88));
    QCOMPARE(last[QStringLiteral("words")].toString(), QStringLiteral("8 conversations: 80.0 tok/s (72.0 to 88.0)"));
    QCOMPARE(byBatch[QStringLiteral("ticks")].toList().last().toDouble(), 100.0);
    QCOMPARE(byBatch[QStringLiteral("most")].toDouble(), 100.0);
    QCOMPARE(byBatch[QStringLiteral("mostX")].toDouble(), 8.0);
    QVERIFY(byDepth[QStringLiteral("words")].toString().contains(QStringLiteral("2,000 tokens in the context: 800 tok/s")));
    QVERIFY(speedCharts(sampleReport({{4, 0}})).isEmpty());
    QCOMPARE(keysOf(speedCharts(sampleReport({{4, 0}, {4, 100}}))),
             (QStringList{QStringLiteral("decodeByDepth"), QStringLiteral("prefillByDepth")}));
    QVERIFY(speedCharts({}).isEmpty() && speedTable({}).isEmpty() && speedSubject({}).isEmpty());
  }

  void keptOnesAreListedOpenedExportedAndRemoved() {
    QTemporaryDir folder, elsewhere;
    const speed::SpeedReport one = sampleReport({{1, 0}, {2, 0}}, "One"), two = sampleReport({{1, 0}, {4, 0}}, "<b>Two</b>");
    put(folder.filePath(QStringLiteral("2026-11-25T100000-One.json")), QByteArray::fromStdString(speed::toDocument(one)));
    put(folder.filePath(QStringLiteral("2026-11-26T100000-Two.json")), QByteArray::fromStdString(speed::toDocument(two)));
    put(folder.filePath(QStringLiteral("2026-11-27T100000-nonsense.json")), "{\"rows\": [1, 2]}");
    put(folder.filePath(QStringLiteral("2026-11-28T100000-long.json")), QByteArray((4 << 20) + 10, '['));
    SpeedBenchmark benchmark(folder.path(), {});
    QTRY_COMPARE(benchmark.kept().size(), 2);
    const auto model = [&benchmark](int row) { return benchmark.kept()[row].toMap()[QStringLiteral("model")].toString(); };
    QCOMPARE(model(0), QStringLiteral("<b>Two</b>"));
    QCOMPARE(benchmark.subject()[QStringLiteral("model")].toString(), QStringLiteral("<b>Two</b>"));  // the newest
    benchmark.open(benchmark.kept()[1].toMap()[QStringLiteral("file")].toString());
    QCOMPARE(benchmark.subject()[QStringLiteral("model")].toString(), QStringLiteral("One"));
    QVERIFY(benchmark.kept()[1].toMap()[QStringLiteral("shown")].toBool());
    const auto exported = [&](const char* kind) {
      const QString file = elsewhere.filePath(QStringLiteral("out.") + QLatin1String(kind));
      return benchmark.exportTo(QUrl::fromLocalFile(file), QLatin1String(kind)) ? contentOf(file).toStdString() : std::string();
    };
    QCOMPARE(exported("md"), speed::speedMarkdown(one.rows, one.machine));
    QCOMPARE(exported("svg"), speed::speedSvg(one.rows, one.machine));
    QCOMPARE(exported("json"), speed::toDocument(one));
    QVERIFY(benchmark.said().contains(QStringLiteral("out.json")));
    benchmark.open(benchmark.kept()[0].toMap()[QStringLiteral("file")].toString());
    QCOMPARE(benchmark.said(), QString());  // it was of the other one
    QVERIFY(!benchmark.exportTo(QUrl::fromLocalFile(folder.filePath(QStringLiteral("no/such/folder.md"))), QStringLiteral("md")));
    QVERIFY(benchmark.error().isSet());
    const QString first = folder.filePath(QStringLiteral("2026-11-25T100000-One.json"));
    benchmark.remove(benchmark.kept()[1].toMap()[QStringLiteral("file")].toString());
    QTRY_COMPARE(benchmark.kept().size(), 1);
    QVERIFY2(benchmark.removedName().startsWith(QStringLiteral("One, ")), qPrintable(benchmark.removedName()));
    QVERIFY(QFile::exists(first));
    benchmark.undoRemove();
    QTRY_COMPARE(benchmark.kept().size(), 2);
    QCOMPARE(benchmark.removedName(), QString());
    benchmark.remove(benchmark.kept()[1].toMap()[QStringLiteral("file")].toString());
    benchmark.dismissUndo();
    QTRY_COMPARE(benchmark.kept().size(), 1);
    QTRY_VERIFY(!QFile::exists(first));
    QVERIFY2(QFile::exists(folder.filePath(QStringLiteral("2026-11-27T100000-nonsense.json"))), "what is no report is left");
    QCOMPARE(benchmark.subject()[QStringLiteral("model")].toString(), QStringLiteral("<b>Two</b>"));
  }

  void theKeyboardReachesEverything() {
    MainWindow minerva(QStringLiteral("metrics"));
    keepSample(minerva);
    QVERIFY(minerva.start());
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.charts"))));
    QTRY_VERIFY(found(minerva, "SpeedChart_QMLTYPE") != nullptr);
    QQuickItem* chart = found(minerva, "SpeedChart_QMLTYPE");
    const auto nameOf = [](QQuickItem* item) { return QAccessible::queryAccessibleInterface(item)->text(QAccessible::Name); };
    QVERIFY2(nameOf(chart).contains(QStringLiteral("8 conversations: 80.0 tok/s (72.0 to 88.0)")), qPrintable(nameOf(chart)));
    QCOMPARE(QAccessible::queryAccessibleInterface(chart)->role(), QAccessible::Chart);
    QStringList passed;
    for (int press = 0; press < 60 && minerva.focused() != chart; ++press) {
      QTest::keyClick(minerva.window, Qt::Key_Tab);
      if (minerva.focused() != nullptr) passed << nameOf(minerva.focused());
    }
    QCOMPARE(minerva.focused(), chart);
    QVERIFY2(passed.contains(QStringLiteral("Conversations at the same time 32")), qPrintable(passed.join(QLatin1Char('|'))));
    QTest::keyClick(minerva.window, Qt::Key_Right);
    QTest::keyClick(minerva.window, Qt::Key_Right);
    QCOMPARE(chart->property("said").toString(), QStringLiteral("2 conversations: 20.0 tok/s (18.0 to 22.0)"));
    save(minerva, QStringLiteral("charts-focus"));
    QVERIFY(nameOf(chart).endsWith(QStringLiteral("2 conversations: 20.0 tok/s (18.0 to 22.0)")));
    QTest::keyClick(minerva.window, Qt::Key_Left);
    QTest::keyClick(minerva.window, Qt::Key_Left);
    QVERIFY(chart->property("said").toString().startsWith(QStringLiteral("1 conversation: ")));
  }

  void aChosenNumberKeepsTheFocus() {
    MainWindow minerva(QStringLiteral("metrics"));
    QVERIFY(minerva.start());
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.charts"))));
    SpeedBenchmark* benchmark = minerva.services->speed();
    QTRY_VERIFY(benchmark->canRun());
    QQuickItem* four = nullptr;
    visit(minerva.window->contentItem(), [&](QQuickItem* item) {
      if (four == nullptr && item->inherits("QQuickAbstractButton") && item->property("text").toString() == QLatin1String("4")) four = item;
    });
    QVERIFY(four != nullptr);
    four->forceActiveFocus(Qt::TabFocusReason);
    for (const bool isChosen : {false, true}) {
      QTest::keyClick(minerva.window, Qt::Key_Space);
      QCOMPARE(chosen(benchmark->batches()).contains(4), isChosen);
      QVERIFY(minerva.focused() == four);
      QCOMPARE(four->property("checked").toBool(), isChosen);
    }
  }

  // Enter shows the current benchmark, Delete removes it, and the next one is current; one that is new does not take its place.
  void theCurrentBenchmarkStaysCurrent() {
    MainWindow minerva(QStringLiteral("metrics"));
    const QString folder = minerva.folder() + QStringLiteral("/benchmarks");
    QVERIFY(QDir().mkpath(folder));
    for (int day = 1; day <= 4; ++day)
      put(folder + QStringLiteral("/2026-11-0%1T100000-Day.json").arg(day),
          QByteArray::fromStdString(speed::toDocument(sampleReport({{1, 0}, {2, 0}}, "Day " + std::to_string(day)))));
    minerva.open(QStringLiteral("metrics"));
    SpeedBenchmark* benchmark = minerva.services->speed();
    QTRY_COMPARE(benchmark->kept().size(), 4);
    QVERIFY(minerva.start());
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.charts"))));
    QTRY_VERIFY(found(minerva, "SpeedList_QMLTYPE") != nullptr);
    QQuickItem* list = found(minerva, "SpeedList_QMLTYPE");
    list->forceActiveFocus(Qt::TabFocusReason);
    const auto current = [&] {
      return benchmark->kept().value(list->property("currentIndex").toInt()).toMap()[QStringLiteral("model")].toString();
    };
    QTest::keyClick(minerva.window, Qt::Key_Down);
    QTest::keyClick(minerva.window, Qt::Key_Down);
    QCOMPARE(current(), QStringLiteral("Day 2"));
    QTest::keyClick(minerva.window, Qt::Key_Return);
    QCOMPARE(benchmark->subject()[QStringLiteral("model")].toString(), QStringLiteral("Day 2"));
    QCOMPARE(current(), QStringLiteral("Day 2"));
    QTest::keyClick(minerva.window, Qt::Key_Delete);
    QTRY_COMPARE(benchmark->kept().size(), 3);
    QCOMPARE(current(), QStringLiteral("Day 1"));
    benchmark->undoRemove();
    QTRY_COMPARE(benchmark->kept().size(), 4);
    QCOMPARE(current(), QStringLiteral("Day 1"));
    QTest::keyClick(minerva.window, Qt::Key_Delete);
    QTRY_COMPARE(benchmark->kept().size(), 3);
    QCOMPARE(current(), QStringLiteral("Day 2"));  // there is none after it
  }

  // As during a run, which adds one after another.
  void aChartKeepsTheFocusWhenItsFiguresChange() {
    MainWindow minerva(QStringLiteral("metrics"));
    const QString folder = minerva.folder() + QStringLiteral("/benchmarks");
    QVERIFY(QDir().mkpath(folder));
    for (const int day : {1, 2})
      put(folder + QStringLiteral("/2026-11-0%1T100000-Day.json").arg(day),
          QByteArray::fromStdString(speed::toDocument(sampleReport({{1, 0}, {2 * day, 0}}))));
    minerva.open(QStringLiteral("metrics"));
    SpeedBenchmark* benchmark = minerva.services->speed();
    QTRY_COMPARE(benchmark->kept().size(), 2);
    QVERIFY(minerva.start());
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.charts"))));
    QTRY_VERIFY(found(minerva, "SpeedChart_QMLTYPE") != nullptr);
    QQuickItem* chart = found(minerva, "SpeedChart_QMLTYPE");
    const auto mostX = [&chart] { return chart->property("facts").toMap()[QStringLiteral("mostX")].toDouble(); };
    QCOMPARE(mostX(), 4.0);
    chart->forceActiveFocus(Qt::TabFocusReason);
    benchmark->open(benchmark->kept()[1].toMap()[QStringLiteral("file")].toString());
    QVERIFY(minerva.focused() == chart);
    QCOMPARE(mostX(), 2.0);
  }

  // Where the figures say, within half a pixel.
  void dotsLieAtTheirFigures() {
    MainWindow minerva(QStringLiteral("metrics"));
    keepSample(minerva);
    QVERIFY(minerva.start());
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.charts"))));
    QTRY_VERIFY(found(minerva, "SpeedChart_QMLTYPE") != nullptr);
    QQuickItem* chart = found(minerva, "SpeedChart_QMLTYPE");
    QTest::qWait(200);
    auto* dots = chart->property("dots").value<QObject*>();
    const auto dot = [dots](int index) {
      QQuickItem* item = nullptr;
      QMetaObject::invokeMethod(dots, "itemAt", Q_RETURN_ARG(QQuickItem*, item), Q_ARG(int, index));
      return item;
    };
    const QQuickItem *plot = dot(0)->parentItem(), *line = found(minerva, "minerva::app::SeriesLine");
    const QVariantMap facts = chart->property("facts").toMap();
    const QVariantList points = facts[QStringLiteral("points")].toList();
    QCOMPARE(points.size(), 4);
    for (int i = 0; i < points.size(); ++i) {
      const QVariantMap point = points[i].toMap();
      const double x = plot->width() * point[QStringLiteral("x")].toDouble() / facts[QStringLiteral("mostX")].toDouble();
      const double y = plot->height() * (1 - point[QStringLiteral("value")].toDouble() / facts[QStringLiteral("most")].toDouble());
      QVERIFY(std::abs(dot(i)->x() - x) < 0.5 && std::abs(dot(i)->y() - y) < 0.5);
    }
    QVERIFY(line != nullptr && line->parentItem() == plot);
    QVERIFY(std::abs(line->x() - dot(0)->x()) < 3 && std::abs(line->x() + line->width() - dot(3)->x()) < 3);
  }

  void itFits_data() { addScreenRows(); }

  // Before any benchmark, with a kept one, during a run, and with an error.
  void itFits() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("metrics"), size, theme);
    const auto look = [&](const char* screen) {
      QTest::qWait(250);
      save(minerva, QStringLiteral("%1-%2-%3-%4-%5").arg(QLatin1String(screen), language, theme).arg(scale).arg(size.width()));
      QStringList wrong = overlaps(minerva.window->contentItem());
      scrollThrough(minerva.window->contentItem(), [&] { wrong << overlaps(minerva.window->contentItem()); });
      wrong << misplaced(minerva.window->contentItem(), minerva.window);
      QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(screen) + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    };
    const auto begin = [&] {
      minerva.window->resize(size);
      minerva.services->settings()->set_uiScale(scale);
      return minerva.start() &&
             QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.charts")));
    };
    QVERIFY(begin());
    look("charts-none");
    if (QTest::currentTestFailed()) return;
    keepSample(minerva);
    QVERIFY(begin());
    QTRY_VERIFY(found(minerva, "SpeedChart_QMLTYPE") != nullptr);
    look("charts");
    if (QTest::currentTestFailed()) return;
    QQuickItem* scroll = nullptr;
    visit(minerva.window->contentItem(), [&](QQuickItem* item) {
      if (scroll == nullptr && item->inherits("QQuickFlickable") && item->property("contentHeight").toDouble() > item->height() + 1)
        scroll = item;
    });
    if (scroll != nullptr) scroll->setProperty("contentY", scroll->property("contentHeight").toDouble() - scroll->height());
    look("charts-below");
    if (QTest::currentTestFailed()) return;
    SpeedBenchmark* benchmark = minerva.services->speed();
    QTRY_VERIFY(benchmark->canRun());
    for (const int batch : {16, 20, 32}) benchmark->toggleBatch(batch);
    if (scroll != nullptr) scroll->setProperty("contentY", 0);
    benchmark->run();
    QTRY_VERIFY(benchmark->table().size() > 2);
    look("charts-run");
    benchmark->cancel();
    QTRY_VERIFY(!benchmark->isRunning());
  }

 private:
  // Starts the application anew with a benchmark that was kept.
  static void keepSample(MainWindow& minerva) {
    const QString folder = minerva.folder() + QStringLiteral("/benchmarks");
    QVERIFY(QDir().mkpath(folder));
    const speed::SpeedReport report =
        sampleReport({{1, 0}, {2, 0}, {4, 0}, {8, 0}, {1, 512}, {1, 2048}, {1, 4096}}, "Sample-1B-Instruct-with-a-long-name");
    put(folder + QStringLiteral("/2026-11-26T100000-Sample.json"), QByteArray::fromStdString(speed::toDocument(report)));
    minerva.open(QStringLiteral("metrics"));
    QTRY_COMPARE(minerva.services->speed()->kept().size(), 1);
  }
  void save(const MainWindow& minerva, const QString& name) const {
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (!folder.isEmpty()) QVERIFY(minerva.window->grabWindow().save(QDir(folder).filePath(name + QStringLiteral(".png"))));
  }
};

APP_TEST(BenchmarkTest, "benchmark", QGuiApplication)
#include "tst_benchmark.moc"
