#include "app/chat/search_words.h"

#include "app/text/reply_text.h"

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

bool isInTag(const QString& word) {
  return std::ranges::any_of(std::initializer_list<QString>{thoughtsOpen, thoughtsOpenAgain, thoughtsClose},
                             [&](const QString& tag) { return tag.contains(word, Qt::CaseInsensitive); });
}

QString asPhrase(QString word) { return QLatin1Char('"') + word.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"'); }

bool isAscii(const QString& word) {
  return std::ranges::all_of(word, [](QChar c) { return c.unicode() < 128; });
}

}  // namespace

SearchWords::SearchWords(const QString& typed) {
  static const QRegularExpression space(QStringLiteral("\\s+"));
  for (const QString& word : typed.split(space, Qt::SkipEmptyParts)) (word.toUcs4().size() < indexedCharacters ? brief : indexed) << word;
}

QString SearchWords::match() const {
  QStringList all;
  for (const QString& word : indexed) {
    const QString inThoughts = ThoughtsWriter().written(word);
    all << (inThoughts == word ? asPhrase(word) : QStringLiteral("(%1 OR %2)").arg(asPhrase(word), asPhrase(inThoughts)));
  }
  return all.join(QLatin1String(" AND "));
}

QList<QStringList> SearchWords::like() const {
  QStringList words = brief;
  for (const QString& word : indexed)
    if (isInTag(word)) words << word;
  QList<QStringList> all;
  for (const QString& word : words) {
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

QString withoutMarks(QString markdown) {
  static const QRegularExpression atStart(QStringLiteral("^[ \\t]*(?:#{1,6}[ \\t]+|>[ \\t]?)"), QRegularExpression::MultilineOption);
  static const QRegularExpression anywhere(QStringLiteral("\\*\\*(?=\\S)|(?<=\\S)\\*\\*|`+"));
  return markdown.remove(atStart).remove(anywhere);
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
