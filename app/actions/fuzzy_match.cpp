#include "app/actions/fuzzy_match.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace minerva::app {
namespace {

constexpr int letterScore = 1, besideScore = 8, wordStartScore = 10, titleStartScore = 4, gapCost = 1, longestGap = 6;
constexpr int never = std::numeric_limits<int>::min() / 2;

// Lower case, without accents. One code unit per code unit of the text, so that positions stay valid.
QString folded(const QString& text) {
  QString result = text;
  for (QChar& c : result) {
    const QString parts = c.decomposition();
    if (!parts.isEmpty() && c.decompositionTag() == QChar::Canonical) c = parts[0];
    c = c.toLower();
  }
  return result;
}

bool startsWord(const QString& title, qsizetype i) {
  if (i == 0) return true;
  const QChar before = title[i - 1], c = title[i];
  return (!before.isLetterOrNumber() && c.isLetterOrNumber()) || (before.isLower() && c.isUpper()) || (before.isLetter() && c.isDigit());
}

// Finds the best match of `word` in the title by dynamic programming: for each letter and position, the best score ending
// there.
std::optional<FuzzyMatch> matchWord(const QString& word, const QString& title, const QString& plain) {
  const qsizetype rows = word.size(), columns = plain.size();
  if (rows > columns) return std::nullopt;
  std::vector<int> best(static_cast<std::size_t>(rows * columns), never), from(best.size(), -1);
  const auto at = [columns](qsizetype row, qsizetype column) { return static_cast<std::size_t>(row * columns + column); };
  for (qsizetype row = 0; row < rows; ++row)
    for (qsizetype i = row; i < columns; ++i) {
      if (word[row] != plain[i]) continue;
      const int here = letterScore + (startsWord(title, i) ? wordStartScore : 0) + (i == 0 ? titleStartScore : 0);
      if (row == 0) {
        best[at(0, i)] = here;
        continue;
      }
      for (qsizetype j = row - 1; j < i; ++j) {
        if (best[at(row - 1, j)] == never) continue;
        const int gap = static_cast<int>(std::min<qsizetype>(i - j - 1, longestGap));
        const int score = best[at(row - 1, j)] + here + (gap == 0 ? besideScore : -gap * gapCost);
        if (score > best[at(row, i)]) {
          best[at(row, i)] = score;
          from[at(row, i)] = static_cast<int>(j);
        }
      }
    }
  qsizetype end = -1;
  for (qsizetype i = 0; i < columns; ++i)
    if (best[at(rows - 1, i)] != never && (end < 0 || best[at(rows - 1, i)] > best[at(rows - 1, end)])) end = i;
  if (end < 0) return std::nullopt;
  FuzzyMatch match{best[at(rows - 1, end)], {}};
  for (qsizetype row = rows - 1, i = end; row >= 0; i = from[at(row, i)], --row) match.positions.prepend(static_cast<int>(i));
  return match;
}

}  // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& typed, const QString& title) {
  constexpr qsizetype longest = 200;  // of a title; the rest is ignored
  const QString plain = folded(title.left(longest));
  FuzzyMatch all;
  for (const QString& word : folded(typed).split(u' ', Qt::SkipEmptyParts)) {
    const std::optional<FuzzyMatch> match = matchWord(word, title, plain);
    if (!match) return std::nullopt;
    all.score += match->score;
    all.positions += match->positions;
  }
  std::sort(all.positions.begin(), all.positions.end());
  all.positions.erase(std::unique(all.positions.begin(), all.positions.end()), all.positions.end());
  return all;
}

}  // namespace minerva::app
