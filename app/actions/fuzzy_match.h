// Whether what was typed is meant by a title: its letters in their order, not necessarily side by side.
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace minerva::app {

struct FuzzyMatch {
  int score = 0;         // higher is better; starts of words and letters side by side count
  QList<int> positions;  // of the letters in the title, rising
};

// Blanks in `typed` part words, each of which must be there, in any order; case and accents do not count.
// An empty `typed` matches everything with score 0.
[[nodiscard]] std::optional<FuzzyMatch> fuzzyMatch(const QString& typed, const QString& title);

}  // namespace minerva::app
