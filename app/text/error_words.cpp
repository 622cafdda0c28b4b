#include "app/text/error_words.h"

#include "app/text/error_patterns.h"
#include "app/text/text.h"
#include "core/base/utf8.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <optional>
#include <span>

namespace minerva::app {
namespace {

const QRegularExpression& placeOfValue() {
  static const QRegularExpression place(QStringLiteral("%(\\d)"));
  return place;
}

// The values of a pattern that a text fits, in their order: what is between the pattern's literals.
std::optional<QStringList> valuesIn(const QString& text, const QStringList& literals) {
  const QString &first = literals.front(), &last = literals.back();
  const qsizetype end = text.size() - last.size();
  if (end < first.size() || !text.startsWith(first) || !text.endsWith(last)) return std::nullopt;
  QStringList values;
  qsizetype at = first.size();
  for (qsizetype i = 1; i + 1 < literals.size(); ++i) {
    const qsizetype found = text.indexOf(literals[i], at);
    if (found < 0 || found + literals[i].size() > end) return std::nullopt;
    values << text.sliced(at, found - at);
    at = found + literals[i].size();
  }
  return values << text.sliced(at, end - at);
}

// In one pass, so that a value that looks like %1 stays as it is.
QString filledPattern(const QString& pattern, const QStringList& values) {
  QString made;
  qsizetype at = 0;
  for (auto places = placeOfValue().globalMatch(pattern); places.hasNext();) {
    const QRegularExpressionMatch place = places.next();
    made += QStringView(pattern).sliced(at, place.capturedStart() - at);
    made += values.value(place.captured(1).toInt() - 1);
    at = place.capturedEnd();
  }
  return made += QStringView(pattern).sliced(at);
}

// The texts of one context, with the patterns of those that hold values, which are tried in their order.
class Wording {
 public:
  Wording(const char* context, std::span<const char* const> patterns) : m_context(context) {
    for (const char* pattern : patterns) m_patterns << Pattern{pattern, QString::fromUtf8(pattern).split(placeOfValue())};
  }

  [[nodiscard]] QString of(const QString& english) const {
    const QByteArray utf8 = english.toUtf8();
    if (QString whole = QCoreApplication::translate(m_context, utf8.constData()); whole != english) return whole;
    for (const Pattern& pattern : m_patterns)
      if (auto values = valuesIn(english, pattern.literals)) {
        translateQuotes(pattern.literals, *values);
        return filledPattern(QCoreApplication::translate(m_context, pattern.english), *values);
      }
    return english;
  }

 private:
  struct Pattern {
    const char* english;
    QStringList literals;
  };

  // After a colon at the end, or before a comma at the beginning, a sentence may quote others, with semicolons between them.
  void translateQuotes(const QStringList& literals, QStringList& values) const {
    if (literals.back().isEmpty() && literals[literals.size() - 2].endsWith(QLatin1String(": "))) translateEach(values.back());
    if (literals.front().isEmpty() && literals[1].startsWith(QLatin1String(", "))) translateEach(values.front());
  }
  void translateEach(QString& sentences) const {
    QStringList each = sentences.split(QStringLiteral("; "));
    for (QString& one : each) one = of(one);
    sentences = each.join(QStringLiteral("; "));
  }

  const char* m_context;
  QList<Pattern> m_patterns;
};

QString expectation(const Error& error) {
  if (!error.expected.empty() && !error.actual.empty())
    return QCoreApplication::translate("ErrorInfo", ": expected %1, found %2").arg(shownFigure(error.expected), shownFigure(error.actual));
  if (!error.expected.empty()) return QCoreApplication::translate("ErrorInfo", ": expected %1").arg(shownFigure(error.expected));
  return error.actual.empty() ? QString() : QStringLiteral(": ") + shownFigure(error.actual);
}

}  // namespace

QString shownSentence(const std::string& english) {
  static const Wording sentences("Errors", errorPatterns);
  return sentences.of(text(english));
}

QString shownFigure(const std::string& english) {
  static const Wording figures("Figures", figurePatterns);
  return figures.of(text(english));
}

QString shownReason(const Error& error) { return shownSentence(error.what) + expectation(error); }

QString shownMessage(const Error& error) {
  QString line = shownSentence(error.what);
  if (!error.where.empty()) line += QStringLiteral(" (") + text(error.where) + QLatin1Char(')');
  line += expectation(error);
  if (!error.hint.empty()) line += QStringLiteral(". ") + shownSentence(error.hint);
  return text(utf8::printable(line.toStdString(), utf8::LineFeeds::kept));
}

}  // namespace minerva::app
