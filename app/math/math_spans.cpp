#include "app/math/math_spans.h"

#include <QRegularExpression>

#include <algorithm>

namespace minerva::app {
namespace {

bool isWordly(QChar c) { return c.isLetterOrNumber(); }

// End of the code span (`..`, ``..``) that starts at `at`; 0: it is not closed.
qsizetype codeEnd(QStringView text, qsizetype at) {
  qsizetype length = 0;
  while (at + length < text.size() && text[at + length] == u'`') ++length;
  for (qsizetype i = at + length; i < text.size();) {
    qsizetype run = 0;
    while (i + run < text.size() && text[i + run] == u'`') ++run;
    if (run == length) return i + run;
    i += std::max<qsizetype>(run, 1);
  }
  return 0;
}

// End of the fenced code block whose first line starts at `at`; 0: there is none.
qsizetype fenceEnd(QStringView text, qsizetype at) {
  const qsizetype lineEnd = text.indexOf(u'\n', at);
  const QStringView line = text.mid(at, lineEnd < 0 ? -1 : lineEnd - at).trimmed();
  if (!line.startsWith(u"```") && !line.startsWith(u"~~~")) return 0;
  qsizetype length = 3;
  while (length < line.size() && line[length] == line[0]) ++length;
  if (line[0] == u'`' && line.mid(length).contains(u'`')) return 0;
  for (qsizetype i = lineEnd; i >= 0;) {
    const qsizetype next = text.indexOf(u'\n', i + 1);
    const QStringView closing = text.mid(i + 1, next < 0 ? -1 : next - i - 1).trimmed();
    if (closing.size() >= length && closing.count(line[0]) == closing.size()) return next < 0 ? text.size() : next;
    i = next;
  }
  return text.size();
}

// An amount of money and words, such as "5 or 10", rather than a formula.
bool isPrice(const QString& tex) {
  static const QRegularExpression amount(
      QStringLiteral("^[0-9][0-9.,]*[kKmMbB]?([^\\\\^_=+*/{}<>]*\\s[A-Za-z]{2,}.*|\\s*[-–]\\s*|[,.;:)]*)$"));
  static const QRegularExpression wordsFollow(QStringLiteral("\\s|[-–]$"));
  return amount.match(tex).hasMatch() && !tex.contains(u'\\') && tex.contains(wordsFollow);
}

bool hasBlankLine(QStringView text) {
  static const QRegularExpression blank(QStringLiteral("\\n[ \\t]*\\n"));
  return text.toString().contains(blank);
}

// A formula between two-character delimiters. The search for the closing one is limited to the longest formula.
qsizetype readFenced(QStringView text, qsizetype at, QLatin1String opens, QLatin1String closes, MathSpan& span) {
  if (!text.mid(at).startsWith(opens)) return 0;
  const qsizetype end = text.first(std::min(text.size(), at + longestFormula)).indexOf(closes, at + opens.size());
  if (end < 0) return 0;
  const QStringView inside = text.mid(at + opens.size(), end - at - opens.size());
  if (inside.trimmed().isEmpty() || hasBlankLine(inside)) return 0;
  span.source = text.mid(at, end + closes.size() - at).toString();
  span.tex = inside.trimmed().toString();
  return end + closes.size();
}

// A formula between single dollars: on one line, no spaces inside next to the dollars, no letters or digits outside next
// to them.
qsizetype dollars(QStringView text, qsizetype at, MathSpan& span) {
  if (at + 1 >= text.size() || text[at + 1].isSpace() || text[at + 1] == u'$' ||
      (at > 0 && (isWordly(text[at - 1]) || text[at - 1] == u'$')))
    return 0;
  for (qsizetype i = at + 1; i < text.size() && text[i] != u'\n'; ++i) {
    if (text[i] == u'\\') {
      ++i;
    } else if (text[i] == u'$') {
      const bool closes = !text[i - 1].isSpace() && (i + 1 == text.size() || (!isWordly(text[i + 1]) && text[i + 1] != u'$'));
      if (!closes) return 0;
      span.tex = text.mid(at + 1, i - at - 1).toString();
      if (isPrice(span.tex)) return 0;
      span.source = text.mid(at, i + 1 - at).toString();
      return i + 1;
    }
  }
  return 0;
}

qsizetype formulaAt(QStringView text, qsizetype at, MathSpan& span) {
  qsizetype end = 0;
  span.display = true;
  if ((end = readFenced(text, at, QLatin1String("$$"), QLatin1String("$$"), span)) > 0) return end;
  if ((end = readFenced(text, at, QLatin1String("\\["), QLatin1String("\\]"), span)) > 0) return end;
  span.display = false;
  if ((end = readFenced(text, at, QLatin1String("\\("), QLatin1String("\\)"), span)) > 0) return end;
  return text[at] == u'$' ? dollars(text, at, span) : 0;
}

}  // namespace

QString hideMath(const QString& markdown, std::vector<MathSpan>& spans) {
  if (!markdown.contains(u'$') && !markdown.contains(QLatin1String("\\(")) && !markdown.contains(QLatin1String("\\["))) return markdown;
  if (markdown.contains(mathOpens)) return markdown;
  const QStringView text(markdown);
  QString hidden;
  for (qsizetype i = 0; i < text.size();) {
    const bool lineStart = i == 0 || text[i - 1] == u'\n';
    qsizetype end = lineStart ? fenceEnd(text, i) : 0;
    if (end == 0 && text[i] == u'`') {
      end = codeEnd(text, i);
      if (end == 0)
        for (end = i; end < text.size() && text[end] == u'`';) ++end;
    }
    if (end > 0) {
      hidden += text.mid(i, end - i);
      i = end;
      continue;
    }
    MathSpan span;
    if ((text[i] == u'$' || text[i] == u'\\') && (end = formulaAt(text, i, span)) > 0) {
      hidden += mathOpens + QString::number(spans.size()) + mathCloses;
      spans.push_back(span);
      i = end;
    } else {
      const qsizetype step = text[i] == u'\\' && i + 1 < text.size() ? 2 : 1;  // skip escaped characters: \$ is a dollar, \\( is no formula
      hidden += text.mid(i, step);
      i += step;
    }
  }
  return hidden;
}

MathSpan texOf(const QString& source) {
  const bool dollar = source.startsWith(u'$') && !source.startsWith(QLatin1String("$$"));
  const qsizetype marks = dollar ? 1 : 2;
  return {source, source.mid(marks, source.size() - 2 * marks).trimmed(),
          source.startsWith(QLatin1String("$$")) || source.startsWith(QLatin1String("\\["))};
}

QString mathHtml(const MathSpan& span) {
  return QStringLiteral("<code title=\"math\">%1</code>").arg(span.source.simplified().toHtmlEscaped());
}

}  // namespace minerva::app
