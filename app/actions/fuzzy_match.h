// Fuzzy matching of typed text against titles: the letters in order, not necessarily adjacent.
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace minerva::app {

struct FuzzyMatch {
  int score = 0;         // higher is better; rewards word starts and adjacent letters
  QList<int> positions;  // of the matched letters in the title, ascending
};

// `typed` is split at spaces into words, all of which must match, in any order; case and accents are ignored. An empty
// `typed` matches everything with score 0.
[[nodiscard]] std::optional<FuzzyMatch> fuzzyMatch(const QString& typed, const QString& title);

}  // namespace minerva::app
