// Stored figures of replies: phases that add up, stalls, the database, the list, the export, a real reply.
#include "app/inference/engine_worker.h"
#include "app/inference/inference_controller.h"
#include "app/metrics/history_export.h"
#include "app/metrics/metrics_controller.h"
#include "app/metrics/panel_model.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"
#include "scripted_source.h"

#include <QAbstractItemModelTester>
#include <QDeadlineTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QThread>

#include <cmath>

using namespace minerva::app;
namespace engine = minerva::engine;
using minerva::Clock;
using minerva::TimePoint;

namespace {

ReplyRecord sample(const QString& model, double decode) {
  ReplyRecord r;
  r.message = 42;
  r.created = QDateTime::fromMSecsSinceEpoch(1700000000123);
  r.model = model;
  r.path = QStringLiteral("/models/a, \"b\".gguf");
  r.format = QStringLiteral("GGUF");
  r.type = QStringLiteral("Q4_K");
  r.device = QStringLiteral("CPU · AVX2");
  r.deviceId = QStringLiteral("cpu");
  r.end = QStringLiteral("stop");
  r.promptTokens = 100;
  r.reusedTokens = 20;
  r.generatedTokens = 5;
  r.decodeSpeed = decode;
  r.ttftMs = 198.25;
  r.phases = {.queueMs = 1,
              .loadMs = 0,
              .templateMs = 2,
              .tokenizeMs = 3,
              .prefillMs = 100,
              .firstTokenMs = 4,
              .decodeMs = 200,
              .detokenizeMs = 5,
              .renderMs = 6,
              .wallMs = 322};
  r.intervals = {10.5F, 11.25F, 300.0F, 10.0F};
  return r;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

void compare(const ReplyRecord& a, const ReplyRecord& b) {
  QCOMPARE(a.message, b.message);
  QCOMPARE(a.created, b.created);
  QVERIFY(a.kind == b.kind);
  QCOMPARE(a.model, b.model);
  QCOMPARE(a.path, b.path);
  QCOMPARE(a.deviceId, b.deviceId);
  QCOMPARE(a.end, b.end);
  QCOMPARE(a.promptTokens, b.promptTokens);
  QCOMPARE(a.generatedTokens, b.generatedTokens);
  for (const RecordFigure& figure : recordFigures) QVERIFY2(same(a.*figure.value, b.*figure.value), figure.key);
  for (const PhaseRow& phase : phaseTable) QCOMPARE(a.phases.*phase.value, b.phases.*phase.value);
  QCOMPARE(a.phases.wallMs, b.phases.wallMs);
}

}  // namespace

class HistoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aStallIsMoreThanFourTimesTheMedianAndThanFiftyMilliseconds() {
    QVERIFY(stallsIn({}).empty());
    QVERIFY(stallsIn({10, 10, 49, 10}).empty());  // more than four times as long, but too short
    QVERIFY(stallsIn({20, 20, 80, 20}).empty());  // exactly four times is not a stall
    QCOMPARE(stallsIn({20, 20, 81, 20}), std::vector<int>{2});
    QVERIFY(stallsIn({100, 120, 390, 100, 110}).empty());  // a slow model, not a stall
    // A single stall of 200 ms among many intervals is marked once, at its position, for any number of points in the graph.
    std::vector<float> intervals(3000, 12.0F);
    intervals[1777] = 200;
    QCOMPARE(stallsIn(intervals), std::vector<int>{1777});
    const QList<QPointF> points = intervalPoints(intervals, 400);
    QVERIFY(points.size() <= 400 && points.size() > 300);
    QCOMPARE(std::count_if(points.begin(), points.end(), [](const QPointF& p) { return p.y() > 100; }), 1);
    QVERIFY(points.contains(QPointF(1778, 200)));
  }

  void phasesAndWhatIsUnaccountedAddUpToTheWholeTime() {
    const TimePoint sent = Clock::now();
    const auto after = [sent](double ms) {
      return sent + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms));
    };
    engine::Timings t;
    t.arrival = after(112);
    t.phases = {.queueMs = 1, .templateMs = 2, .tokenizeMs = 3, .prefillMs = 50, .firstTokenMs = 4, .decodeMs = 400, .detokenizeMs = 10};
    const ReplyPhases p = phasesOf(t, sent, 100, after(590), after(606));
    QVERIFY(std::abs(p.queueMs - 13) < 1e-3);  // 12 before the engine, 1 in its queue
    QCOMPARE(p.loadMs, 100.0);
    QVERIFY(std::abs(p.renderMs - 16) < 1e-3);
    QVERIFY(std::abs(p.wallMs - 606) < 1e-3);
    QVERIFY(std::abs(p.unaccountedMs() - 8) < 1e-3);
    double sum = p.unaccountedMs();
    for (const PhaseRow& phase : phaseTable) sum += p.*phase.value;
    QVERIFY(std::abs(sum - p.wallMs) < 1e-9);
  }

  void whatIsKeptComesBack() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("metrics.sqlite"));
    ReplyRecord second = sample(QStringLiteral("Second"), 50);
    second.kind = ReplyRecord::Kind::benchmark;
    second.repetitions = 5;
    second.decodeLow = 48;
    second.decodeHigh = 51;
    second.message = 0;
    second.phases = {};
    {
      auto store = MetricsStore::open(file);
      QVERIFY(store.has_value());
      QCOMPARE((*store)->add(sample(QStringLiteral("First"), 39.5)).value_or(-1), 1);
      QCOMPARE((*store)->add(second).value_or(-1), 2);
    }
    auto store = MetricsStore::open(file);
    QVERIFY(store.has_value());
    const auto all = (*store)->newest(10);
    QCOMPARE(all->size(), 2U);
    compare(all->at(0), second);
    compare(all->at(1), sample(QStringLiteral("First"), 39.5));
    QVERIFY(all->at(1).intervals.empty());
    const auto whole = (*store)->ofMessage(42);
    QVERIFY(whole->has_value());
    QVERIFY((*whole)->intervals == sample({}, 0).intervals);
    QVERIFY(!(*store)->ofMessage(43)->has_value());
    QVERIFY(!(*store)->read(77)->has_value());
    QCOMPARE((*store)->newest(1)->size(), 1U);
  }

  void aFileOfANewerMinervaIsLeftAlone() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("metrics.sqlite"));
    {
      QSqlDatabase newer = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("newer"));
      newer.setDatabaseName(file);
      QVERIFY(newer.open());
      QSqlQuery(newer).exec(QStringLiteral("PRAGMA user_version=99"));
      newer.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("newer"));
    QFile bytes(file);
    QVERIFY(bytes.open(QIODevice::ReadOnly));
    const QByteArray before = bytes.readAll();
    ScriptedSource source;
    ReplyRecorder recorder(&source, nullptr);
    MetricsController metrics(&source, &recorder, file);
    QTRY_VERIFY(metrics.error().isSet());
    QVERIFY(metrics.error().details.contains(QStringLiteral("version 99")));
    metrics.keep(sample(QStringLiteral("In memory"), 10));  // kept in memory until the program ends
    QTRY_COMPARE(metrics.history()->count(), 1);
    bytes.seek(0);
    QVERIFY(bytes.readAll() == before);
  }

  void theHistoryIsFilteredByModelAndDevice() {
    HistoryModel history;
    const QAbstractItemModelTester tester(&history);
    ReplyRecord gpu = sample(QStringLiteral("A"), 200);
    gpu.id = 1;
    gpu.deviceId = QStringLiteral("0123");
    gpu.device = QStringLiteral("Vulkan · G");
    ReplyRecord cpu = sample(QStringLiteral("A"), 20);
    cpu.id = 2;
    ReplyRecord other = sample(QStringLiteral("B"), 30);
    other.id = 3;
    other.kind = ReplyRecord::Kind::benchmark;
    history.reset({cpu, gpu});
    history.add(other);
    QCOMPARE(history.count(), 3);
    QCOMPARE(history.models().size(), 3);  // all, A, B
    QCOMPARE(history.devices().size(), 3);
    history.setModel(history.models()[2].toMap()[QStringLiteral("value")].toString());
    QCOMPARE(history.count(), 2);
    QCOMPARE(history.medians()[QStringLiteral("decode")].toDouble(), 20.0);
    QCOMPARE(history.points()[0].toMap()[QStringLiteral("recordId")].toLongLong(), 1);  // oldest first
    history.setDevice(QStringLiteral("0123"));
    QCOMPARE(history.count(), 1);
    QCOMPARE(history.data(history.index(0), HistoryModel::RecordIdRole).toLongLong(), 1);
    history.add(cpu);  // does not match the filter
    QCOMPARE(history.count(), 1);
    QCOMPARE(history.total(), 4);
    history.setDevice({});
    history.setModel({});
    history.setBenchmarksOnly(true);
    QCOMPARE(history.count(), 1);
    QCOMPARE(history.data(history.index(0), HistoryModel::BenchmarkRole).toBool(), true);
  }

  void exportsHaveEveryFigureAndUnknownOnesAreEmpty() {
    const std::vector<ReplyRecord> records{sample(QStringLiteral("First"), 39.5)};
    const QStringList lines = QString::fromUtf8(historyAsCsv(records)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 2);
    const QStringList names = lines[0].split(QLatin1Char(','));
    QVERIFY(lines[1].contains(QStringLiteral("\"/models/a, \"\"b\"\".gguf\"")));
    QStringList cells =
        QString(lines[1]).replace(QStringLiteral("\"/models/a, \"\"b\"\".gguf\""), QStringLiteral("path")).split(QLatin1Char(','));
    QCOMPARE(cells.size(), names.size());
    const auto cell = [&](const char* name) { return cells[names.indexOf(QString::fromLatin1(name))]; };
    QCOMPARE(cell("decode_tokens_per_second"), QStringLiteral("39.5"));
    QCOMPARE(cell("bits_per_weight"), QString());
    QCOMPARE(cell("unaccounted_ms"), QStringLiteral("1"));
    QCOMPARE(cell("time"), QStringLiteral("2023-11-14T22:13:20.123Z"));
    const QJsonObject object = QJsonDocument::fromJson(historyAsJson(records)).array()[0].toObject();
    QCOMPARE(object.size(), names.size());
    for (const QString& name : names) QVERIFY2(object.contains(name), qPrintable(name));
    QVERIFY(object[QStringLiteral("bits_per_weight")].isNull());
    QCOMPARE(object[QStringLiteral("wall_ms")].toDouble(), 322.0);
  }

  void whatWasSavedIsSaidOfTheRowsThatAreShown() {
    QTemporaryDir folder;
    InferenceController inference;
    ReplyRecorder recorder(&inference, &inference);
    MetricsController metrics(&inference, &recorder, folder.filePath(QStringLiteral("metrics.sqlite")));
    metrics.history()->reset({sample(QStringLiteral("First"), 39.5)});
    QVERIFY(metrics.exportTo(QUrl::fromLocalFile(folder.filePath(QStringLiteral("out.csv"))), QStringLiteral("csv")));
    QVERIFY2(metrics.said().contains(QStringLiteral("out.csv")), qPrintable(metrics.said()));
    metrics.history()->setBenchmarksOnly(true);
    QCOMPARE(metrics.said(), QString());
  }

  // The whole path: the built-in model, its events, the recorder, the database.
  void aRealReplyIsAccountedForToTwoPercent() {
    QTemporaryDir folder;
    InferenceController inference;
    ReplyRecorder recorder(&inference, &inference);
    MetricsController metrics(&inference, &recorder, folder.filePath(QStringLiteral("metrics.sqlite")));
    const ReplyRecord r = reply(inference, recorder, 256);
    QCOMPARE(r.message, 7);
    QCOMPARE(r.generatedTokens, 256);
    QCOMPARE(r.intervals.size(), 255U);
    QCOMPARE(r.end, QStringLiteral("length"));
    QCOMPARE(r.deviceId, QStringLiteral("cpu"));
    QVERIFY(r.bitsPerWeight > 1 && r.modelLoadMs > 0 && r.promptTokens > 0 && r.ttftMs > 0);
    QCOMPARE(static_cast<float>(r.p50), static_cast<float>(percentile(r.intervals, 50)));
    QCOMPARE(static_cast<float>(r.p99), static_cast<float>(percentile(r.intervals, 99)));
    const ReplyPhases& p = r.phases;
    for (const PhaseRow& phase : phaseTable) QVERIFY2(p.*phase.value >= 0, phase.key);
    for (const char* key : {"template", "tokenize", "prefill", "first_token", "decode", "detokenize"})
      for (const PhaseRow& phase : phaseTable)
        if (QLatin1String(phase.key) == QLatin1String(key)) QVERIFY2(p.*phase.value > 0, key);
    QVERIFY2(std::abs(p.wallMs - m_outsideMs) < 1, qPrintable(QStringLiteral("%1 %2").arg(p.wallMs).arg(m_outsideMs)));
    QVERIFY2(p.unaccountedMs() > -0.01 && p.unaccountedMs() < 0.02 * p.wallMs,
             qPrintable(QStringLiteral("%1 of %2 ms").arg(p.unaccountedMs()).arg(p.wallMs)));
    qInfo("unaccounted %.3f of %.1f ms (%.2f %%)", p.unaccountedMs(), p.wallMs, 100 * p.unaccountedMs() / p.wallMs);
    QTRY_COMPARE(metrics.history()->count(), 1);
    QTRY_COMPARE(metrics.shown()[QStringLiteral("wall")].toDouble(), p.wallMs);
    metrics.openMessage(8);
    QTRY_VERIFY(metrics.isMissing());
    metrics.openMessage(7);
    QTRY_VERIFY(!metrics.isMissing());
    QCOMPARE(metrics.intervals().size(), 255);
  }

  void aWindowThatIsLateIsSeenInRenderOnly() {
    InferenceController inference;
    connect(&inference, &ReplySource::updated, this, [](const ReplyUpdate& update) {
      if (update.isLast()) QThread::msleep(300);
    });
    ReplyRecorder recorder(&inference, &inference);
    const ReplyPhases late = reply(inference, recorder, 8).phases;
    QVERIFY(late.renderMs >= 300);
    for (const PhaseRow& phase : phaseTable)
      if (phase.value != &ReplyPhases::renderMs) QVERIFY2(late.*phase.value < 150, phase.key);
    QVERIFY(late.unaccountedMs() < 150);
  }

  void waitingForAModelIsSeenInLoadOnly() {
    FrameCoalescer coalescer;
    EngineWorker worker({}, &coalescer);
    std::optional<ReplyUpdate> last;
    connect(&coalescer, &FrameCoalescer::delivered, this, [&](const ReplyUpdate& update) {
      if (update.isLast()) last = update;
    });
    engine::Request request;
    request.prompt = "Once";
    request.maxTokens = 4;
    TimePoint ready{};
    connect(&worker, &EngineWorker::loadEnded, this, [&] { ready = Clock::now(); });
    const TimePoint sent = Clock::now();
    const LoadTarget target{.path = builtIn, .preferences = {.device = QStringLiteral("cpu"), .contextLength = 128}};
    worker.load({.serial = 1, .target = target, .name = {}, .stop = {}});
    worker.submit(1, request, sent);  // waits for the load
    QTRY_VERIFY(last);
    QVERIFY(last->finished);
    const double loadMs = minerva::millisecondsBetween(sent, ready);
    const ReplyPhases p = phasesOf(last->finished->timings, last->span.sent, last->span.loadMs, last->ended, last->ended);
    QVERIFY2(std::abs(p.loadMs - loadMs) < 20, qPrintable(QStringLiteral("%1 of %2").arg(p.loadMs).arg(loadMs)));
    QVERIFY(p.queueMs < 20 && p.queueMs >= 0);
    // The next request finds the model loaded.
    last.reset();
    worker.submit(2, request, Clock::now());
    QTRY_VERIFY(last);
    QCOMPARE(last->span.loadMs, 0.0);
  }

  // A record names the model that was used, whichever one is shown when the reply ends.
  void aReplySaysWhatItRanOn() {
    InferenceController inference;
    inference.setPreferences({.device = QStringLiteral("cpu")});
    ReplyRecorder recorder(&inference, &inference);
    QSignalSpy loaded(&inference, &InferenceController::loaded);
    inference.load(builtIn);
    QVERIFY(loaded.wait(patienceMs));
    const ModelFacts model = inference.model();
    std::optional<ReplyRecord> made;
    connect(&recorder, &ReplyRecorder::recorded, this, [&](const ReplyRecord& record) { made = record; });
    const auto ask = [&] {
      made.reset();
      engine::Request request;
      request.prompt = "Once";
      request.ignoreEndOfTurn = true;
      recorder.follow(inference.submit(request), 1);
    };
    const auto begin = [&] {
      bool writes = false;
      const auto connection =
          connect(&inference, &ReplySource::updated, this, [&](const ReplyUpdate& update) { writes = writes || !update.tokens.empty(); });
      ask();
      const bool begun = QTest::qWaitFor([&] { return writes; }, patienceMs);
      disconnect(connection);
      return begun;
    };
    const auto saysSo = [&] {
      return made && made->model == model.name && made->path == builtIn && made->deviceId == QLatin1String("cpu") &&
             made->bitsPerWeight > 1;
    };
    // Only the controller's own events are delivered until it shows another model. The reply's end arrives after that.
    ask();
    inference.load(anotherModel);
    for (const QDeadlineTimer patience(patienceMs); inference.model().path != anotherModel && !patience.hasExpired();) {
      QThread::msleep(1);
      QCoreApplication::sendPostedEvents(&inference, QEvent::MetaCall);
    }
    QCOMPARE(inference.model().path, anotherModel);
    QVERIFY2(inference.model().name != model.name, qPrintable(model.name));
    QVERIFY(!made);
    QTRY_VERIFY(made);
    QVERIFY2(saysSo(), qPrintable(made->model + made->device));
    QTRY_COMPARE(inference.state(), InferenceController::Ready);
    inference.load(builtIn);
    QTRY_COMPARE(inference.model().path, builtIn);
    QVERIFY(begin());
    inference.unload();
    QVERIFY(!inference.model().isSet());
    QTRY_VERIFY(made);
    QVERIFY2(saysSo(), qPrintable(made->model + made->device));
  }

  // As if another program had disturbed the bandwidth measurement.
  void aSpeedAboveTheCeilingIsNoShareOfItAndTheBandwidthIsMeasuredAgain() {
    InferenceController inference;
    ReplyRecorder recorder(&inference, &inference);
    PanelModel panel(&inference, &inference);
    panel.showConversation(1);
    connect(&inference, &ReplySource::submitted, &panel, [&panel](quint64 request) { panel.setConversation(request, 1); });
    connect(&inference, &InferenceController::loaded, this, [&] {
      minerva::backend::BandwidthCurve tooLow;
      tooLow.add({1 << 20, 1e3});
      inference.bandwidths().add(inference.device().bandwidthKey, tooLow);
    });
    const ReplyRecord passed = reply(inference, recorder, 64);
    QVERIFY(passed.decodeSpeed > 0);
    QVERIFY(std::isnan(passed.share) && std::isnan(passed.bandwidth));
    QVERIFY(std::isnan(panel.property("bandwidthShare").toDouble()) && std::isnan(panel.property("ceiling").toDouble()));
    QTRY_VERIFY(inference.bandwidth().curve.at(1 << 20) > 1e8);
    const double share = panel.property("bandwidthShare").toDouble();
    QVERIFY2(share > 0 && share <= 1, qPrintable(QString::number(share)));
  }

  // Measures the loaded model's speed with the same requests as the chat's.
  void aBenchmarkIsMeasuredWithItsSpreadOrCancelled() {
    QTemporaryDir folder;
    InferenceController inference;
    inference.setPreferences({.device = QStringLiteral("cpu")});
    ReplyRecorder recorder(&inference, &inference);
    MetricsController metrics(&inference, &recorder, folder.filePath(QStringLiteral("metrics.sqlite")));
    Benchmark& benchmark = *metrics.benchmark();
    QVERIFY(!benchmark.canRun());
    benchmark.run();
    QVERIFY(!benchmark.isRunning());
    QSignalSpy loaded(&inference, &InferenceController::loaded);
    inference.load(builtIn);
    QVERIFY(loaded.wait(patienceMs));
    QVERIFY(benchmark.canRun());

    benchmark.run();
    QVERIFY(benchmark.isRunning() && !benchmark.canRun());
    QTRY_VERIFY(benchmark.progress() > 0.02);
    benchmark.cancel();
    QTRY_VERIFY(!benchmark.isRunning());
    QVERIFY(!benchmark.error().isSet());

    double last = 0;
    bool rising = true;
    connect(&benchmark, &Benchmark::changed, this, [&] {
      if (benchmark.isRunning()) rising = rising && benchmark.progress() >= last, last = benchmark.progress();
    });
    last = 0;
    std::optional<ReplyRecord> measured;
    connect(&benchmark, &Benchmark::measured, this, [&](const ReplyRecord& record) { measured = record; });
    benchmark.run();
    QCOMPARE(benchmark.progress(), 0.0);
    QTRY_VERIFY(measured);
    QVERIFY(rising && last > 0.8);
    QVERIFY(measured->kind == ReplyRecord::Kind::benchmark);
    QCOMPARE(measured->repetitions, Benchmark::repetitions);
    QCOMPARE(measured->promptTokens, Benchmark::promptTokens);
    QCOMPARE(measured->generatedTokens, Benchmark::decodeTokens + 1);
    QCOMPARE(measured->reusedTokens, 0);
    QCOMPARE(measured->intervals.size(), static_cast<std::size_t>(Benchmark::repetitions * Benchmark::decodeTokens));
    QVERIFY(0 < measured->decodeLow && measured->decodeLow <= measured->decodeSpeed && measured->decodeSpeed <= measured->decodeHigh);
    QVERIFY(0 < measured->prefillLow && measured->prefillLow <= measured->prefillSpeed && measured->prefillSpeed <= measured->prefillHigh);
    QVERIFY(0 < measured->ttftLow && measured->ttftLow <= measured->ttftMs && measured->ttftMs <= measured->ttftHigh);
    QTRY_COMPARE(metrics.history()->count(), 1);  // the cancelled one was not stored
    QTRY_COMPARE(metrics.shown()[QStringLiteral("benchmark")].toBool(), true);
    QVERIFY(benchmark.canRun());
  }

 private:
  static double percentile(std::vector<float> values, int percent) {
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100.0 * static_cast<double>(values.size())));
    return static_cast<double>(values[rank - 1]);
  }

  ReplyRecord reply(InferenceController& inference, ReplyRecorder& recorder, int tokens) {
    inference.setPreferences({.device = QStringLiteral("cpu")});
    QSignalSpy loaded(&inference, &InferenceController::loaded);
    inference.load(builtIn);
    if (!loaded.wait(patienceMs)) return {};
    std::optional<ReplyRecord> made;
    TimePoint heard{};
    connect(&recorder, &ReplyRecorder::recorded, this, [&](const ReplyRecord& record) {
      heard = Clock::now();
      made = record;
    });
    engine::Request request;
    request.chat.messages.push_back({{"role", "user"}, {"content", "Tell me a story about a bear."}});
    request.maxTokens = tokens;
    request.ignoreEndOfTurn = true;
    const TimePoint sent = Clock::now();
    const quint64 ticket = inference.submit(request);
    recorder.follow(ticket, 7);
    if (!QTest::qWaitFor([&] { return made.has_value(); }, patienceMs)) return {};
    m_outsideMs = minerva::millisecondsBetween(sent, heard);
    disconnect(&recorder, nullptr, this, nullptr);
    return *made;
  }
  double m_outsideMs = 0;
};

APP_TEST(HistoryTest, "history", QCoreApplication)
#include "tst_history.moc"
