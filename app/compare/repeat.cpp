#include "app/compare/repeat.h"

#include "app/compare/figure_table.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace minerva::app {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RepeatVerdict", text);
}
QString percent(double share) {
  return QLocale(QLocale::English).toString(100 * share, 'f', 1) + QStringLiteral(" %");
}

// How far a figure may be from its first value, as a share of the larger of the two. 0: equal to nine digits.
struct Limit {
  const char* key;
  double share;
};
constexpr std::array limits{Limit{"decode", 0.10}, Limit{"prefill", 0.20}, Limit{"ttft", 0.30},
                            Limit{"kl", 0},        Limit{"top1", 0},       Limit{"perplexity", 0}};
constexpr double sameDigits = 1e-9;

double difference(double before, double after) {
  const double larger = std::max(std::abs(before), std::abs(after));
  return larger > 0 ? std::abs(before - after) / larger : 0;
}

QString nameOf(const CompareColumn& column) {
  return column.model.format + QLatin1Char(' ') + column.model.type;
}

class Judge {
 public:
  void column(const CompareColumn& before, const CompareColumn& after);
  [[nodiscard]] RepeatVerdict verdict() const;

 private:
  void tokens(const CompareColumn& before, const CompareColumn& after);
  QStringList m_differences;
  std::array<double, limits.size()> m_largest{};
};

void Judge::tokens(const CompareColumn& before, const CompareColumn& after) {
  for (std::size_t i = 0; i < std::min(before.replies.size(), after.replies.size()); ++i) {
    const QList<int>&a = before.replies[i].tokens, &b = after.replies[i].tokens;
    if (a == b) continue;
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    m_differences << tr("%1: another token at place %2 of reply %3").arg(nameOf(after)).arg(at + 1).arg(i + 1);
  }
}

void Judge::column(const CompareColumn& before, const CompareColumn& after) {
  if (before.stage != ColumnStage::done || after.stage != ColumnStage::done) {
    if (before.stage != after.stage) m_differences << tr("%1: was not measured both times").arg(nameOf(after));
    return;
  }
  tokens(before, after);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto row = std::find_if(figureTable.begin(), figureTable.end(),
                                  [&](const FigureRow& r) { return std::string_view(r.key) == limits[i].key; });
    const double a = before.figures.*row->value, b = after.figures.*row->value;
    if (std::isnan(a) && std::isnan(b)) continue;
    const double share = difference(a, b);
    m_largest[i] = std::max(m_largest[i], share);
    if (share <= std::max(limits[i].share, sameDigits)) continue;
    const QString figures = QStringLiteral("%1: %2 %3 → %4")
                                .arg(nameOf(after), QString::fromLatin1(row->title))
                                .arg(a, 0, 'g', 4)
                                .arg(b, 0, 'g', 4);
    m_differences << figures + (limits[i].share > 0
                                    ? tr(" (%1 apart, limit %2)").arg(percent(share), percent(limits[i].share))
                                    : tr(" (must be equal)"));
  }
}

RepeatVerdict Judge::verdict() const {
  RepeatVerdict verdict{.agrees = m_differences.isEmpty(), .summary = {}, .lines = m_differences};
  if (!verdict.agrees) {
    verdict.summary = tr("The figures do not agree with the earlier run");
    return verdict;
  }
  verdict.summary = tr("The figures agree with the earlier run");
  verdict.lines << tr("Same tokens, distances and perplexity");
  verdict.lines << tr("Decode within %1 (limit %2), prefill within %3 (limit %4), first token within %5 (limit %6)")
                       .arg(percent(m_largest[0]), percent(limits[0].share), percent(m_largest[1]),
                            percent(limits[1].share), percent(m_largest[2]), percent(limits[2].share));
  return verdict;
}

}  // namespace

RepeatVerdict compareRuns(const CompareRun& before, const CompareRun& after) {
  if (before.columns.size() != after.columns.size())
    return {.agrees = false,
            .summary = tr("The figures do not agree with the earlier run"),
            .lines = {tr("Other models were compared")}};
  Judge judge;
  for (std::size_t i = 0; i < before.columns.size(); ++i) judge.column(before.columns[i], after.columns[i]);
  return judge.verdict();
}

}  // namespace minerva::app
