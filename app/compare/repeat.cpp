#include "app/compare/repeat.h"

#include "app/compare/compare_labels.h"
#include "app/compare/figure_table.h"
#include "app/metrics/figures.h"
#include "app/text/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>

namespace minerva::app {
namespace {

constexpr std::size_t leastSamples = 3;
constexpr double confidence = 0.95;  // of all judgements of a verdict together
constexpr double sameDigits = 1e-9;
constexpr std::array exactFigures{"kl", "top1", "perplexity"};

struct Speed {
  const char* key;
  double CompareReply::*ofReply;
};
constexpr std::array speedFigures{Speed{"decode", &CompareReply::decodeSpeed}, Speed{"prefill", &CompareReply::prefillSpeed},
                                  Speed{"ttft", &CompareReply::ttftMs}};

const FigureRow& figureRow(const char* key) {
  return *std::find_if(figureTable.begin(), figureTable.end(), [&](const FigureRow& r) { return std::string_view(r.key) == key; });
}

struct Spread {
  double mean = 0, deviation = 0;
};

Spread spreadOf(const std::vector<double>& samples) {
  const auto count = static_cast<double>(samples.size());
  Spread spread{std::accumulate(samples.begin(), samples.end(), 0.0) / count, 0};
  for (const double sample : samples) spread.deviation += (sample - spread.mean) * (sample - spread.mean);
  spread.deviation = std::sqrt(spread.deviation / (count - 1));
  return spread;
}

// One speed of one column, before it is judged.
struct Difference {
  RepeatRow row;
  std::vector<double> samples;  // values of earlier runs, or log(after / before) per prompt
};

std::vector<double> overPrompts(const CompareColumn& before, const CompareColumn& after, double CompareReply::*value) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(before.replies.size(), after.replies.size()); ++i) {
    const double a = before.replies[i].*value, b = after.replies[i].*value;
    if (a > 0 && b > 0) ratios.push_back(std::log(b / a));
  }
  return ratios;
}

Difference candidateFor(std::span<const CompareRun> earlier, const CompareRun& after, std::size_t column, const Speed& speed) {
  const FigureRow& figure = figureRow(speed.key);
  Difference candidate;
  RepeatRow& row = candidate.row;
  row.model = labelsOf(after.columns)[static_cast<qsizetype>(column)];
  row.figure = QString::fromLatin1(figure.title);
  row.after = after.columns[column].figures.*figure.value;
  for (const CompareRun& run : earlier) {
    if (run.columns.size() != after.columns.size() || run.device != after.device) continue;
    const double value = run.columns[column].figures.*figure.value;
    if (run.columns[column].stage == ColumnStage::done && !std::isnan(value)) candidate.samples.push_back(value);
  }
  row.overRuns = candidate.samples.size() >= leastSamples;
  if (row.overRuns) {
    row.before = spreadOf(candidate.samples).mean;
  } else {
    row.before = earlier.back().columns[column].figures.*figure.value;
    candidate.samples = overPrompts(earlier.back().columns[column], after.columns[column], speed.ofReply);
  }
  row.samples = static_cast<int>(candidate.samples.size());
  return candidate;
}

// Over runs: prediction interval for one more run. Over prompts: paired comparison, confidence interval of the mean log ratio
// around 0; `after` becomes before * exp(mean).
void judge(Difference& candidate, double probability) {
  RepeatRow& row = candidate.row;
  const auto count = static_cast<double>(candidate.samples.size());
  if (candidate.samples.size() < leastSamples) return;
  const Spread spread = spreadOf(candidate.samples);
  const double t = studentT(row.samples - 1, probability);
  if (row.overRuns) {
    const double half = t * spread.deviation * std::sqrt(1 + 1 / count);
    row.low = spread.mean - half;
    row.high = spread.mean + half;
  } else {
    const double half = t * spread.deviation / std::sqrt(count);
    row.after = row.before * std::exp(spread.mean);
    row.low = row.before * std::exp(-half);
    row.high = row.before * std::exp(half);
  }
}

// Compares the tokens and the figures that depend only on the models.
void compareExact(const QString& name, const CompareColumn& before, const CompareColumn& after, QStringList& differences) {
  for (std::size_t i = 0; i < std::min(before.replies.size(), after.replies.size()); ++i) {
    const QList<int>&a = before.replies[i].tokens, &b = after.replies[i].tokens;
    if (a == b) continue;
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    differences << tr("%1: token %2 of reply %3 differs").arg(name).arg(at + 1).arg(i + 1);
  }
  for (const char* key : exactFigures) {
    const FigureRow& row = figureRow(key);
    const double a = before.figures.*row.value, b = after.figures.*row.value;
    if ((std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= sameDigits * std::max(std::abs(a), std::abs(b))) continue;
    differences << tr("%1: %2 %3 → %4 (must be equal)").arg(name, QString::fromLatin1(row.title)).arg(a, 0, 'g', 9).arg(b, 0, 'g', 9);
  }
}

bool saysTheSame(const CompareColumn& before, const CompareColumn& after) {
  return std::ranges::equal(before.replies, after.replies, {}, &CompareReply::text, &CompareReply::text);
}

QString disagreement() { return tr("The figures do not agree with the earlier run"); }

void sayHowSure(RepeatVerdict& verdict, double probability) {
  const auto judged = std::ranges::count_if(verdict.rows, &RepeatRow::judged);
  const auto unjudged = static_cast<std::ptrdiff_t>(verdict.rows.size()) - judged;
  if (judged > 0)
    verdict.lines << tr("Speeds are judged by their measured spread, with an overall confidence of %1 (%2 for each of %3)")
                         .arg(QStringLiteral("95 %"), Figures::decimal(100 * probability, 1) + QStringLiteral(" %"))
                         .arg(judged);
  if (unjudged > 0)
    verdict.lines << tr("Speeds with fewer than %1 samples are not judged: use %1 prompts, or run it again").arg(leastSamples);
}

}  // namespace

// Integrates the density by Simpson's rule and solves for t by bisection; far more precise than the measurements.
double studentT(int degrees, double probability) {
  const double n = degrees;
  const double scale = std::exp(std::lgamma((n + 1) / 2) - std::lgamma(n / 2)) / std::sqrt(n * std::numbers::pi);
  const auto density = [&](double x) { return scale * std::pow(1 + x * x / n, -(n + 1) / 2); };
  const auto within = [&](double t) {
    constexpr int steps = 200;
    const double width = t / steps;
    double sum = density(0) + density(t);
    for (int i = 1; i < steps; ++i) sum += density(i * width) * (i % 2 == 0 ? 2 : 4);
    return 2 * sum * width / 3;
  };
  double low = 0, high = 1;
  while (within(high) < probability && high < 1e4) high *= 2;
  for (int i = 0; i < 50; ++i) (within((low + high) / 2) < probability ? low : high) = (low + high) / 2;
  return high;
}

RepeatVerdict compareRuns(std::span<const CompareRun> earlier, const CompareRun& after) {
  const CompareRun& before = earlier.back();
  RepeatVerdict verdict;
  if (before.columns.size() != after.columns.size())
    return {.agrees = false, .summary = disagreement(), .lines = {tr("Different models were compared")}, .rows = {}};
  std::vector<Difference> candidates;
  QStringList ofServers;
  int exactColumns = 0;
  const QStringList names = labelsOf(after.columns);
  for (std::size_t i = 0; i < after.columns.size(); ++i) {
    const QString& name = names[static_cast<qsizetype>(i)];
    const bool measured = after.columns[i].stage == ColumnStage::done;
    if (measured != (before.columns[i].stage == ColumnStage::done)) verdict.lines << tr("%1: was not measured in both runs").arg(name);
    if (!measured || before.columns[i].stage != ColumnStage::done) continue;
    if (after.columns[i].model.server.isEmpty()) {
      compareExact(name, before.columns[i], after.columns[i], verdict.lines);
      ++exactColumns;
    } else if (!saysTheSame(before.columns[i], after.columns[i])) {
      ofServers << tr("%1: another text; a server need not answer the same again").arg(name);
    }
    for (const Speed& speed : speedFigures) candidates.push_back(candidateFor(earlier, after, i, speed));
  }
  std::erase_if(candidates, [](const Difference& c) { return std::isnan(c.row.before) || std::isnan(c.row.after); });
  const bool exact = verdict.lines.isEmpty();
  if (exact && exactColumns > 0) verdict.lines << tr("Same tokens, distances and perplexity");
  verdict.lines += ofServers;
  const auto judged = std::ranges::count_if(candidates, [](const Difference& c) { return c.samples.size() >= leastSamples; });
  const double probability = 1 - (1 - confidence) / static_cast<double>(std::max<std::ptrdiff_t>(1, judged));
  for (Difference& candidate : candidates) {
    judge(candidate, probability);
    verdict.rows.push_back(candidate.row);
  }
  verdict.agrees = exact && std::ranges::all_of(verdict.rows, &RepeatRow::agrees);
  verdict.summary = !verdict.agrees                                              ? disagreement()
                    : judged == static_cast<std::ptrdiff_t>(verdict.rows.size()) ? tr("The figures agree with the earlier run")
                    : exactColumns > 0 ? tr("Tokens and distances agree; more samples are needed to judge the speeds")
                                       : tr("More samples are needed to judge the speeds");
  sayHowSure(verdict, probability);
  return verdict;
}

}  // namespace minerva::app
