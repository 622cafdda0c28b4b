#include "app/chat/search_words.h"

#include <QRegularExpression>

#include <algorithm>

namespace minerva::app {
namespace {

struct Place {
  qsizetype at = -1, length = 0;
};

Place firstOf(const QString& text, const SearchWords& words) {
  Place first;
  for (const QString& word : words.indexed + words.brief) {
    const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
    if (at >= 0 && (first.at < 0 || at < first.at)) first = {at, word.size()};
  }
  return first;
}

bool isAscii(const QString& word) {
  return std::ranges::all_of(word, [](QChar c) { return c.unicode() < 128; });
}

}  // namespace

SearchWords::SearchWords(const QString& typed) {
  static const QRegularExpression space(QStringLiteral("\\s+"));
  for (const QString& word : typed.split(space, Qt::SkipEmptyParts)) (word.toUcs4().size() < indexedCharacters ? brief : indexed) << word;
}

QString SearchWords::match() const {
  QStringList quoted;
  for (const QString& word : indexed)
    quoted << QLatin1Char('"') + QString(word).replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
  return quoted.join(QLatin1Char(' '));
}

QList<QStringList> SearchWords::like() const {
  QList<QStringList> all;
  for (const QString& word : brief) {
    QStringList patterns{word};
    if (!isAscii(word)) patterns << word.toLower() << word.toUpper() << word.left(1).toUpper() + word.mid(1).toLower();
    patterns.removeDuplicates();
    for (QString& pattern : patterns) {
      for (const char special : {'\\', '%', '_'}) pattern.replace(QLatin1Char(special), QLatin1Char('\\') + QString(QLatin1Char(special)));
      pattern = QLatin1Char('%') + pattern + QLatin1Char('%');
    }
    all << patterns;
  }
  return all;
}

QString excerpt(const QString& text, const SearchWords& words, int length) {
  const QString line = text.simplified();
  const Place place = firstOf(line, words);
  if (place.at < 0) return line.left(length).toHtmlEscaped();
  // The list shows only the beginning of an excerpt, so there must be little text before the match.
  qsizetype from = line.size() <= length ? 0 : std::max<qsizetype>(0, place.at - length / 5);
  const qsizetype space = line.lastIndexOf(QLatin1Char(' '), from);
  if (from > 0 && space >= 0 && from - space < length / 5) from = space + 1;
  const qsizetype after = place.at + place.length;
  const QString before = from > 0 ? QStringLiteral("…") + line.mid(from, place.at - from) : line.left(place.at);
  return before.toHtmlEscaped() + QLatin1String("<b>") + line.mid(place.at, place.length).toHtmlEscaped() + QLatin1String("</b>") +
         line.mid(after, std::max<qsizetype>(0, length - (after - from))).toHtmlEscaped();
}

}  // namespace minerva::app
