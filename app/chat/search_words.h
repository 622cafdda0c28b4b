// The words one searches for, and where they stand in a text.
#pragma once

#include <QString>
#include <QStringList>

namespace minerva::app {

// The index knows a text by its runs of three characters: a shorter word is looked for without it.
inline constexpr int indexedCharacters = 3;

struct SearchWords {
  explicit SearchWords(const QString& typed);
  [[nodiscard]] bool isEmpty() const { return indexed.isEmpty() && brief.isEmpty(); }
  [[nodiscard]] QString match() const;     // FTS5's: a text that has all of `indexed`
  [[nodiscard]] QStringList like() const;  // a pattern for LIKE, escaped by a backslash, for each of `brief`
  QStringList indexed, brief;
};

// About `length` characters of the text around its first of the words, on one line, that word in bold. HTML.
[[nodiscard]] QString excerpt(const QString& text, const SearchWords& words, int length = 90);

}  // namespace minerva::app
