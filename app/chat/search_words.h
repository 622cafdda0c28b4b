// The words of a search query, and excerpts around their matches.
#pragma once

#include <QString>
#include <QStringList>

namespace minerva::app {

// The full-text index uses trigrams, so shorter words are matched with LIKE.
inline constexpr int indexedCharacters = 3;

struct SearchWords {
  explicit SearchWords(const QString& typed);
  [[nodiscard]] bool isEmpty() const { return indexed.isEmpty() && brief.isEmpty(); }
  [[nodiscard]] QString match() const;  // FTS5 expression: stored text with all words of `indexed`
  // For each word of `brief`, and each that stored replies have in their tags, the LIKE patterns of which one has to match what is shown
  // of the text. Escaped with a backslash; several, because SQLite folds the case of ASCII only.
  [[nodiscard]] QList<QStringList> like() const;
  QStringList indexed, brief;
};

// About `length` characters of the text around the first match of any word, on one line, the match in bold. HTML.
[[nodiscard]] QString withoutMarks(QString markdown);  // without the signs of bold, code, headings and quotes
[[nodiscard]] QString excerpt(const QString& text, const SearchWords& words, int length = 90);

}  // namespace minerva::app
