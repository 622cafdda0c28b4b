// Whether a repeated comparison agrees with earlier ones, judged by the spread of their figures.
#include "app/compare/repeat.h"
#include "app_test.h"
#include "measured_run.h"

#include <QTest>

#include <cmath>
#include <random>
#include <span>

using namespace minerva::app;

class CompareRepeatTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Compared with published tables.
  void studentsTIsTheTables() {
    const auto near = [](double a, double b) { return std::abs(a - b) < 2e-5 * b; };
    QVERIFY(near(studentT(1, 0.9), 6.313752));
    QVERIFY(near(studentT(2, 0.95), 4.302653));
    QVERIFY(near(studentT(4, 0.95), 2.776445));
    QVERIFY(near(studentT(10, 0.95), 2.228139));
    QVERIFY(near(studentT(30, 0.99), 2.749996));
  }

  void aRepetitionIsJudgedByTheSpreadOfEarlierRuns() {
    std::vector<CompareRun> earlier;
    for (const double speed : {100.0, 102.0, 98.0, 101.0, 99.0}) earlier.push_back(measured({speed}));
    const RepeatVerdict same = compareRuns(earlier, measured({104.7}));
    QVERIFY2(same.agrees, qPrintable(same.lines.join(QLatin1Char('\n'))));
    QCOMPARE(same.rows.size(), 1U);
    QCOMPARE(same.rows[0].samples, 5);
    QVERIFY(same.rows[0].overRuns);
    QCOMPARE(same.rows[0].before, 100.0);
    QVERIFY(std::abs(same.rows[0].high - 104.8090) < 1e-3);  // 100 + 2.7764 * 1.5811 * sqrt(1 + 1/5)
    QVERIFY(std::abs(same.rows[0].low - 95.1910) < 1e-3);
    QVERIFY(!compareRuns(earlier, measured({104.9})).agrees);
    QVERIFY(!compareRuns(earlier, measured({95.1})).agrees);
    earlier[1].device = QStringLiteral("another");  // runs on another device do not count
    QCOMPARE(compareRuns(earlier, measured({100})).rows[0].samples, 4);
  }

  void aRepetitionIsJudgedByTheSpreadOverPrompts() {
    const CompareRun before = measured({100, 110, 90, 100});
    const auto times = [](std::vector<double> ratios) {
      return measured({100 * ratios[0], 110 * ratios[1], 90 * ratios[2], 100 * ratios[3]});
    };
    const RepeatVerdict same = compareRuns({&before, 1}, times({1.01, 0.99, 1.02, 0.98}));
    QVERIFY(same.agrees);
    QCOMPARE(same.rows[0].samples, 4);
    QVERIFY(!same.rows[0].overRuns);
    QVERIFY(same.rows[0].low < 100 && same.rows[0].high > 100);
    QVERIFY(!compareRuns({&before, 1}, times({0.905, 0.9, 0.895, 0.9})).agrees);
  }

  void tooFewSamplesAreNoVerdict() {
    const CompareRun before = measured({100});
    const RepeatVerdict verdict = compareRuns({&before, 1}, measured({50}));
    QVERIFY(verdict.agrees);
    QVERIFY(!verdict.rows[0].judged());
    QVERIFY2(verdict.summary.contains(QStringLiteral("more samples")), qPrintable(verdict.summary));
  }

  void whatDoesNotDependOnTheClockMustBeEqual() {
    const CompareRun before = measured({100});
    const std::span<const CompareRun> earlier(&before, 1);
    CompareRun after = before;
    after.columns[0].figures.kl = 0.5000001;
    QVERIFY(!compareRuns(earlier, after).agrees);
    after = before;
    after.columns[0].replies[0].tokens[2] = 4;
    QVERIFY(!compareRuns(earlier, after).agrees);
    QVERIFY(compareRuns(earlier, after).lines.first().contains(QStringLiteral("token 3 of reply")));
    after.columns.clear();
    QVERIFY(!compareRuns(earlier, after).agrees);
  }

  // Runs that differ only by chance agree in 19 of 20 trials; a single column that is 15 % slower is detected.
  void nineteenOfTwentyRepetitionsAgree() {
    std::mt19937 random(5);
    const auto run = [&](double slower) {
      CompareRun made = measured({100});
      made.columns.resize(3, made.columns[0]);
      for (CompareColumn& column : made.columns)
        column.figures = {.ttftMs = std::normal_distribution(200.0, 6.0)(random),
                          .prefillSpeed = std::normal_distribution(2000.0, 50.0)(random),
                          .decodeSpeed = std::normal_distribution(100.0, 1.5)(random)};
      made.columns[2].figures.decodeSpeed *= slower;
      return made;
    };
    int agree = 0, found = 0;
    constexpr int trials = 400;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<CompareRun> earlier;
      for (int i = 0; i < 8; ++i) earlier.push_back(run(1));
      agree += compareRuns(earlier, run(1)).agrees ? 1 : 0;
      found += compareRuns(earlier, run(0.85)).agrees ? 0 : 1;
    }
    QVERIFY2(agree >= 0.94 * trials, qPrintable(QString::number(agree)));
    QVERIFY2(found >= 0.97 * trials, qPrintable(QString::number(found)));
  }
};

APP_TEST(CompareRepeatTest, "compare_repeat", QCoreApplication)
#include "tst_compare_repeat.moc"
