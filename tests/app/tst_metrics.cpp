// Figures: percentiles against counting, number formats, the coalescer, the live panel from engine events.
#include "app/inference/frame_coalescer.h"
#include "app/metrics/figures.h"
#include "app/metrics/panel_model.h"
#include "app/metrics/percentiles.h"
#include "app/metrics/speed_series.h"
#include "app_test.h"
#include "patience.h"
#include "scripted_source.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QSignalSpy>

#include <cmath>
#include <thread>

using namespace minerva::app;
namespace engine = minerva::engine;

namespace {

// By definition: the smallest value such that at least p percent of all values are not above it.
double counted(const std::vector<float>& values, int percent) {
  double best = std::numeric_limits<double>::infinity();
  for (const float candidate : values) {
    const auto below = std::count_if(values.begin(), values.end(), [=](float v) { return v <= candidate; });
    if (static_cast<std::size_t>(below) * 100 >= static_cast<std::size_t>(percent) * values.size())
      best = std::min<double>(best, candidate);
  }
  return best;
}

engine::Event token(int index, const char* text) {
  engine::TokenEvent body;
  body.index = index;
  body.text = text;
  body.millisecondsSinceLast = 1;
  body.contextUsed = index + 1;
  return {1, minerva::Clock::now(), body};
}

}  // namespace

class MetricsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void percentilesAreWhatCountingGives() {
    QRandomGenerator random(3);
    for (std::size_t size = 1; size < 130; ++size) {
      std::vector<float> values(size);
      for (float& value : values) value = static_cast<float>(random.bounded(50));
      const Percentiles p = percentilesOf(values);
      QCOMPARE(p.p50, counted(values, 50));
      QCOMPARE(p.p95, counted(values, 95));
      QCOMPARE(p.p99, counted(values, 99));
    }
    QVERIFY(std::isnan(percentilesOf({}).p50));
  }

  void figuresHaveOnePrecision() {
    QCOMPARE(Figures::speed(38.64), QStringLiteral("38.6"));
    QCOMPARE(Figures::speed(842.4), QStringLiteral("842"));
    QCOMPARE(Figures::speed(2143.0), QStringLiteral("2,140"));
    QCOMPARE(Figures::speed(9.876), QStringLiteral("9.88"));
    QCOMPARE(Figures::speed(99.96), QStringLiteral("100"));
    QCOMPARE(Figures::speed(std::nan("")), QString());
    QCOMPARE(Figures::milliseconds(212.4), QStringLiteral("212"));
    QCOMPARE(Figures::milliseconds(9.44), QStringLiteral("9.4"));
    QCOMPARE(Figures::milliseconds(9.97), QStringLiteral("10"));
    QCOMPARE(Figures::duration(5841), QStringLiteral("5.84 s"));
    QCOMPARE(Figures::duration(125000), QStringLiteral("2 min 05 s"));
    QCOMPARE(Figures::bytes(12.3e6), QStringLiteral("12 MB"));
    QCOMPARE(Figures::bytes(0.8637e9), QStringLiteral("0.86 GB"));
    QCOMPARE(Figures::integer(4096), QStringLiteral("4,096"));
    QCOMPARE(Figures::parameters(1.1e9), QStringLiteral("1.1 B"));
    QCOMPARE(Figures::parameters(20.9e9), QStringLiteral("21 B"));
    QCOMPARE(Figures::percent(0.876), QStringLiteral("88 %"));
    const QDateTime now = QDateTime::currentDateTime(), then(QDate(2025, 11, 3), QTime(9, 51));
    QCOMPARE(Figures::moment(now.toUTC()), QStringLiteral("Today ") + now.toString(QStringLiteral("HH:mm")));
    QCOMPARE(Figures::moment(then.toUTC()), QStringLiteral("3 Nov 2025 09:51"));
  }

  void manyTokensAreFewDeliveriesAndNoneIsLost() {
    FrameCoalescer coalescer;
    QString text;
    int deliveries = 0, tokens = 0;
    bool finished = false;
    connect(&coalescer, &FrameCoalescer::delivered, [&](const ReplyUpdate& update) {
      ++deliveries;
      text += update.text;
      tokens += static_cast<int>(update.tokens.size());
      QCOMPARE(update.request, 7U);
      finished = finished || update.isLast();
    });
    QString expected;
    QElapsedTimer clock;
    clock.start();
    std::thread producer([&] {
      for (int i = 0; i < 2000; ++i) {
        coalescer.add(7, token(i, "ab€ "));
        if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      engine::Finished end;
      end.tail = "tail";
      coalescer.add(7, {1, minerva::Clock::now(), end});
    });
    QTRY_VERIFY(finished);
    producer.join();
    for (int i = 0; i < 2000; ++i) expected += QStringLiteral("ab€ ");
    QCOMPARE(text, expected + QStringLiteral("tail"));
    QCOMPARE(tokens, 2000);
    QVERIFY2(deliveries <= clock.elapsed() / FrameCoalescer::frameMs + 4, qPrintable(QString::number(deliveries)));
  }

  // At their places in the answer, after the reasoning; the fence is longer than those in the arguments.
  void callsOfToolsBecomeBlocks() {
    FrameCoalescer coalescer;
    QString text;
    bool finished = false;
    connect(&coalescer, &FrameCoalescer::delivered, [&](const ReplyUpdate& update) {
      text += update.text;
      finished = finished || update.isLast();
    });
    engine::TokenEvent body;
    body.reasoning = "Hm.";
    body.text = "Let me look.After";
    body.toolCall = "<tool_call>as the model wrote it</tool_call>";
    body.calls = {{"get", {{"city", "\"Paris\""}, {"days", "3"}}, "", 12}};
    coalescer.add(7, {1, minerva::Clock::now(), body});
    engine::Finished end;
    end.callsTail = {{"run", {}, "````x", 0}};
    coalescer.add(7, {1, minerva::Clock::now(), end});
    QTRY_VERIFY(finished);
    QCOMPARE(text, QStringLiteral("<think>\nHm.\n</think>\n\nLet me look.\n\n```tool_call\nget\ncity: \"Paris\"\ndays: 3\n```\n\nAfter"
                                  "\n\n`````tool_call\nrun\n````x\n`````\n\n"));
  }

  void whatOneWaitsForComesAtOnce() {
    FrameCoalescer coalescer;
    constexpr int interval = 3000;
    coalescer.setInterval(interval);
    QString text;
    int deliveries = 0;
    bool finished = false;
    connect(&coalescer, &FrameCoalescer::delivered, [&](const ReplyUpdate& update) {
      ++deliveries;
      text += update.text;
      finished = update.isLast();
    });
    QElapsedTimer clock;
    clock.start();
    coalescer.add(7, {1, minerva::Clock::now(), engine::Started{}});
    QTRY_COMPARE(deliveries, 1);
    coalescer.add(7, token(0, "a"));
    QTRY_COMPARE(text, QStringLiteral("a"));
    coalescer.add(7, token(1, "b"));
    QTest::qWait(100);
    QCOMPARE(text, QStringLiteral("a"));  // the rest is held back
    coalescer.add(7, {1, minerva::Clock::now(), engine::Finished{}});
    QTRY_VERIFY(finished);
    QCOMPARE(text, QStringLiteral("ab"));
    QVERIFY2(clock.elapsed() < interval, qPrintable(QString::number(clock.elapsed())));
  }

  void requestsAreKeptApart() {
    FrameCoalescer coalescer;
    QHash<quint64, QString> texts;
    connect(&coalescer, &FrameCoalescer::delivered, [&](const ReplyUpdate& update) { texts[update.request] += update.text; });
    for (int i = 0; i < 10; ++i) coalescer.add(static_cast<quint64>(i % 2 + 1), token(i, i % 2 ? "b" : "a"));
    QTRY_COMPARE(texts.size(), 2);
    QCOMPARE(texts[1], QStringLiteral("aaaaa"));
    QCOMPARE(texts[2], QStringLiteral("bbbbb"));
  }

  void aSeriesHasAPointForEachFewTokens() {
    const minerva::TimePoint start = minerva::Clock::now();
    std::vector<minerva::TimePoint> times;
    QVERIFY(speedSeries(times, 60).isEmpty());
    times.push_back(start);
    QVERIFY(speedSeries(times, 60).isEmpty());
    times.push_back(start + std::chrono::milliseconds(10));
    QCOMPARE(speedSeries(times, 60), (QList<QPointF>{{0.01, 100}}));
    // 10 ms per token for the first 400 steps, 20 ms for the rest: the graph halves at that point, for any number of points.
    times.resize(1);
    for (int i = 1; i <= 800; ++i) times.push_back(times.back() + std::chrono::milliseconds(i <= 400 ? 10 : 20));
    for (const std::size_t most : {10U, 60U, 200U}) {
      const QList<QPointF> points = speedSeries(times, most);
      QVERIFY(static_cast<std::size_t>(points.size()) <= most && points.size() > 6);
      for (const QPointF& p : points) {
        if (p.x() <= 4) QCOMPARE(p.y(), 100.0);
        if (p.x() >= 4.8 + 1e-9 && most > 10) QCOMPARE(p.y(), 50.0);
      }
      QVERIFY(points.last().x() > 11.9);
    }
  }

  void thePanelShowsWhatTheEngineSays() {
    ScriptedSource source;
    PanelModel panel(&source, nullptr);
    ModelFacts model;
    model.path = QStringLiteral("/m");
    model.weightBytesPerToken = 1e9;
    model.stateReads.windows = {{.positions = 0, .bytesPerPosition = 1000000}};
    model.contextLength = 4096;
    model.loadMs = 310;
    panel.setModel(model);
    // 200 GB/s for the bytes that a token of this model reads, 400 for amounts that fit into a cache.
    MeasuredBandwidth measured{.curve = {}, .when = QDateTime::currentDateTime()};
    measured.curve.add({1 << 20, 400e9});
    measured.curve.add({1 << 30, 200e9});
    panel.setBandwidth(measured);
    QVERIFY(std::isnan(panel.property("decodeNow").toDouble()));
    QSignalSpy changed(&panel, &PanelModel::changed);

    panel.showConversation(1);
    source.submit({});
    panel.setConversation(source.last, 1);
    QCOMPARE(panel.phase(), PanelModel::Waiting);
    ReplyUpdate update;
    update.request = source.last;
    update.started = engine::Started{.promptTokens = 500, .reusedTokens = 394};
    update.prefill = engine::PrefillProgress{.done = 64, .total = 106, .tokensPerSecond = 842};
    Q_EMIT source.updated(update);
    QCOMPARE(panel.phase(), PanelModel::Prefill);
    QCOMPARE(panel.property("contextUsed").toInt(), 500);  // not fewer than those reused from the cache
    QCOMPARE(panel.property("contextReused").toInt(), 394);

    // 100 tokens, 20 ms apart: 50 tok/s.
    update = {};
    update.request = source.last;
    const minerva::TimePoint start = minerva::Clock::now();
    for (int i = 0; i < 100; ++i) update.tokens.push_back({start + std::chrono::milliseconds(20 * i), i == 0 ? 212.0F : 20.0F});
    update.contextUsed = 611;
    Q_EMIT source.updated(update);
    QTRY_VERIFY(changed.count() > 1 && !std::isnan(panel.property("decodeNow").toDouble()));
    QCOMPARE(panel.phase(), PanelModel::Decode);
    QVERIFY(std::abs(panel.property("decodeNow").toDouble() - 50) < 1e-6);
    QVERIFY(std::abs(panel.property("decodeAverage").toDouble() - 50) < 1e-6);
    QCOMPARE(panel.property("ttftMs").toDouble(), 212.0);
    QCOMPARE(panel.property("tpotP99").toDouble(), 20.0);
    QCOMPARE(panel.property("tokens").toInt(), 100);
    QCOMPARE(panel.property("contextReused").toInt(), 394);
    QCOMPARE(panel.property("prefillSpeed").toDouble(), 842.0);
    const double bytes = 1e9 + 611e6;
    QVERIFY(std::abs(panel.property("bandwidthShare").toDouble() - bytes * 50 / 200e9) < 1e-9);
    QVERIFY(std::abs(panel.property("ceiling").toDouble() - 200e9 / bytes) < 1e-9);
    QCOMPARE(panel.history().size(), 25);  // 99 steps: 24 points of four steps, and one of the remaining three
    QVERIFY(std::abs(panel.history().last().x() - 1.98) < 1e-9);

    // The engine's final figures replace those computed meanwhile.
    update = {};
    update.request = source.last;
    update.finished = engine::Finished{};
    update.finished->timings.generatedTokens = 100;
    update.finished->timings.decodeTokensPerSecond = 49;
    update.finished->timings.ttftMs = 213;
    update.finished->timings.tpotP99 = 21;
    update.contextUsed = 611;
    Q_EMIT source.updated(update);
    QCOMPARE(panel.phase(), PanelModel::Idle);
    QCOMPARE(panel.property("decodeAverage").toDouble(), 49.0);
    QCOMPARE(panel.property("tpotP99").toDouble(), 21.0);
    QVERIFY(std::isnan(panel.property("decodeNow").toDouble()));
    QVERIFY(std::abs(panel.property("bandwidthShare").toDouble() - bytes * 49 / 200e9) < 1e-9);
    QCOMPARE(panel.property("bandwidthTime").toDateTime(), measured.when);

    // 49 tok/s of these bytes are 79 GB/s, so a bandwidth of 20 GB/s must be wrong and is not shown as a ceiling.
    MeasuredBandwidth tooLow{.curve = {}, .when = measured.when};
    tooLow.curve.add({1 << 30, 20e9});
    panel.setBandwidth(tooLow);
    for (const char* figure : {"bandwidthShare", "ceiling", "bandwidth"}) QVERIFY2(std::isnan(panel.property(figure).toDouble()), figure);
  }

  // A reply goes on when another model is chosen: it is judged by what its own model has, and not by the other's.
  void aReplyOfAnotherModelHasNoShareOfThisOne() {
    ScriptedSource source;
    PanelModel panel(&source, nullptr);
    ModelFacts first, second;
    first.path = QStringLiteral("/first");
    first.weightBytesPerToken = 1e9;
    first.contextLength = 4096;
    second.path = QStringLiteral("/second");
    second.weightBytesPerToken = 5e9;
    second.contextLength = 512;
    MeasuredBandwidth measured{.curve = {}, .when = QDateTime::currentDateTime()};
    measured.curve.add({1 << 30, 200e9});
    panel.setModel(first);
    panel.setBandwidth(measured);
    panel.showConversation(1);
    source.submit({});
    panel.setConversation(source.last, 1);
    ReplyUpdate update;
    update.request = source.last;
    const minerva::TimePoint start = minerva::Clock::now();
    for (int i = 0; i < 100; ++i) update.tokens.push_back({start + std::chrono::milliseconds(20 * i), 20.0F});
    update.kvHeld = 1e6;
    Q_EMIT source.updated(update);
    QTRY_VERIFY(panel.property("bandwidthShare").toDouble() > 0);
    QCOMPARE(panel.property("contextTotal").toInt(), 4096);
    QCOMPARE(panel.property("cacheHeld").toDouble(), 1e6);
    panel.setModel(second);
    panel.setBandwidth(measured);
    Q_EMIT source.updated(update);
    QCOMPARE(panel.property("contextTotal").toInt(), 4096);
    for (const char* figure : {"bandwidthShare", "ceiling", "bandwidth", "cacheHeld"})
      QVERIFY2(std::isnan(panel.property(figure).toDouble()), figure);
    update = {};
    update.request = source.last;
    update.finished = engine::Finished{};
    Q_EMIT source.updated(update);
    QCOMPARE(panel.property("contextTotal").toInt(), 4096);
    panel.showConversation(2);  // without a reply
    QCOMPARE(panel.property("contextTotal").toInt(), 512);
    QVERIFY(panel.property("ceiling").toDouble() > 0);
  }

  // Of several replies at once, the panel shows that of the conversation on the screen.
  void thePanelFollowsTheConversation() {
    ScriptedSource source;
    PanelModel panel(&source, nullptr);
    const auto begin = [&](qint64 conversation, int reused) {
      panel.showConversation(conversation);
      source.submit({});
      panel.setConversation(source.last, conversation);
      ReplyUpdate update;
      update.request = source.last;
      update.started = engine::Started{.promptTokens = 500, .reusedTokens = reused};
      Q_EMIT source.updated(update);
    };
    const auto reused = [&panel] { return panel.property("contextReused").toInt(); };
    begin(1, 11);
    begin(2, 22);
    begin(3, 33);
    QCOMPARE(reused(), 33);
    QCOMPARE(panel.others(), 2);
    panel.showConversation(1);
    QCOMPARE(reused(), 11);
    QCOMPARE(panel.phase(), PanelModel::Prefill);
    source.told = 1;
    source.say(QStringLiteral("x"), 4);
    QCOMPARE(panel.phase(), PanelModel::Decode);
    QCOMPARE(panel.property("tokens").toInt(), 4);
    panel.showConversation(2);
    QCOMPARE(panel.phase(), PanelModel::Prefill);
    QCOMPARE(panel.property("tokens").toInt(), 0);
    panel.showConversation(4);
    QCOMPARE(reused(), 33);  // nothing runs there: what was sent last
    source.told = 3;
    source.end(engine::FinishReason::endOfTurn, 9);
    QCOMPARE(reused(), 22);
    panel.showConversation(3);
    QCOMPARE(reused(), 22);
    source.told = 2;
    source.end(engine::FinishReason::endOfTurn, 8);
    source.told = 1;
    source.end(engine::FinishReason::endOfTurn, 7);
    QCOMPARE(panel.phase(), PanelModel::Idle);
    QCOMPARE(panel.others(), 0);
    for (const auto& [conversation, tokens] : std::vector<std::pair<qint64, int>>{{3, 9}, {1, 7}, {2, 8}, {4, 0}}) {
      panel.showConversation(conversation);
      QCOMPARE(panel.property("tokens").toInt(), tokens);
    }
    // A measurement is of no conversation, so it is not the last reply of the one shown.
    source.told = 0;
    source.submit({});
    source.say(QStringLiteral("x"), 5);
    QCOMPARE(panel.property("tokens").toInt(), 5);
    source.end(engine::FinishReason::endOfTurn, 6);
    QCOMPARE(panel.property("tokens").toInt(), 0);
  }

  void whatIsThoughtStandsBeforeTheAnswer() {
    FrameCoalescer coalescer;
    QString text;
    bool last = false;
    connect(&coalescer, &FrameCoalescer::delivered, [&](const ReplyUpdate& update) {
      text += update.text;
      last = update.isLast();
    });
    const auto say = [&](const std::string& reasoning, const std::string& answer) {
      minerva::engine::TokenEvent event;
      event.text = answer;
      event.reasoning = reasoning;
      coalescer.add(3, {1, minerva::Clock::now(), event});
    };
    say("Let me", "");
    say(" see", "");
    QTRY_VERIFY(!text.isEmpty());  // the markers are kept across deliveries
    say(".", "");
    say("", "");
    say("", "Four");
    say("", ".");
    minerva::engine::Finished end;
    end.tail = "!";
    coalescer.add(3, {1, minerva::Clock::now(), end});
    QTRY_VERIFY(last);
    QCOMPARE(text, QStringLiteral("<think>\nLet me see.\n</think>\n\nFour.!"));
    // The next reply starts over; one that ends within its reasoning has no closing marker.
    text.clear();
    say("Hm", "");
    coalescer.add(3, {1, minerva::Clock::now(), minerva::engine::Finished{}});
    QTRY_COMPARE(text, QStringLiteral("<think>\nHm"));
    // Thoughts that name their end do not end there, wherever their pieces do; later thoughts have a tag of their own.
    text.clear();
    say("It ends with </thi", "");
    say("nk> or </think\\", "");
    say("> or <</think", "");
    say("", "Look at </think>.");
    say(">B", "");
    say("", "Done");
    coalescer.add(3, {1, minerva::Clock::now(), minerva::engine::Finished{}});
    QTRY_COMPARE(text, QStringLiteral("<think>\nIt ends with </think\\> or </think\\\\> or <</think\n</think>\n\nLook at </think>."
                                      "\n\n<think again>\n>B\n</think>\n\nDone"));
    text.clear();
    coalescer.goOn(3, QStringLiteral("It ends with </think"));
    say("> indeed", "");
    coalescer.add(3, {1, minerva::Clock::now(), minerva::engine::Finished{}});
    QTRY_COMPARE(text, QStringLiteral("\\> indeed"));
    text.clear();
    coalescer.goOn(3, std::nullopt);  // thoughts after a text that is continued
    say("Hm", "");
    coalescer.add(3, {1, minerva::Clock::now(), minerva::engine::Finished{}});
    QTRY_COMPARE(text, QStringLiteral("\n\n<think again>\nHm"));
  }

  void thePanelIsToldAtMostFourTimesASecond() {
    ScriptedSource source;
    PanelModel panel(&source, nullptr);
    source.submit({});
    QSignalSpy changed(&panel, &PanelModel::changed);
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < 500) {
      source.say(QStringLiteral("x"));
      QTest::qWait(2);
    }
    QVERIFY2(changed.count() >= 2 && changed.count() <= clock.elapsed() / 240 + 1, qPrintable(QString::number(changed.count())));
  }
};

APP_TEST(MetricsTest, "metrics", QCoreApplication)
#include "tst_metrics.moc"
