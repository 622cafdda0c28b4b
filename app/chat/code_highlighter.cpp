#include "app/chat/code_highlighter.h"

#include "app/chat/languages.h"

#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextDocument>

namespace minerva::app {
namespace {

enum BlockState { plain = 0, inComment = 1, inLongString = 2 };

bool startsAt(const QString& text, qsizetype at, const QString& mark) {
  return !mark.isEmpty() && QStringView(text).mid(at).startsWith(mark);
}

bool isWordStart(QChar c) { return c.isLetter() || c == u'_' || c == u'#' || c == u'@'; }
bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

qsizetype wordEnd(const QString& text, qsizetype from) {
  qsizetype end = from + 1;
  while (end < text.size() && isWordPart(text[end])) ++end;
  return end;
}

qsizetype numberEnd(const QString& text, qsizetype from) {
  qsizetype end = from;
  while (end < text.size() && (isWordPart(text[end]) || text[end] == u'.' || text[end] == u'\'')) ++end;
  return end;
}

qsizetype quoteEnd(const QString& text, qsizetype from) {
  for (qsizetype i = from + 1; i < text.size(); ++i) {
    if (text[i] == u'\\') ++i;
    else if (text[i] == text[from]) return i + 1;
  }
  return text.size();
}

}  // namespace

CodeHighlighter::CodeHighlighter(QObject* parent) : QSyntaxHighlighter(parent) {}

void CodeHighlighter::setQuickDocument(QQuickTextDocument* document) {
  if (document == m_document) return;
  m_document = document;
  QSyntaxHighlighter::setDocument(document ? document->textDocument() : nullptr);
  spaceLines();
  const QString code = std::exchange(m_code, {});
  setCode(code);
  Q_EMIT changed();
}

// Lines added later inherit the line height from the previous line.
void CodeHighlighter::spaceLines() {
  QTextDocument* target = QSyntaxHighlighter::document();
  if (target == nullptr) return;
  QTextBlockFormat format;
  format.setLineHeight(100 * m_lineHeight, QTextBlockFormat::ProportionalHeight);
  QTextCursor cursor(target);
  cursor.select(QTextCursor::Document);
  cursor.mergeBlockFormat(format);
}

void CodeHighlighter::setLineHeight(double factor) {
  if (factor == m_lineHeight) return;
  m_lineHeight = factor;
  spaceLines();
  Q_EMIT changed();
}

void CodeHighlighter::setCode(const QString& code) {
  if (QTextDocument* target = QSyntaxHighlighter::document()) {
    QTextCursor cursor(target);
    if (!m_code.isEmpty() && code.startsWith(m_code)) {
      if (code.size() == m_code.size()) return;
      cursor.movePosition(QTextCursor::End);
      cursor.insertText(code.mid(m_code.size()));
    } else {
      cursor.select(QTextCursor::Document);
      cursor.insertText(code);
    }
  }
  m_code = code;
  Q_EMIT changed();
}

void CodeHighlighter::setLanguage(const QString& language) {
  if (language == m_language) return;
  m_language = language;
  m_rules = languageNamed(language);
  rehighlight();
  Q_EMIT changed();
}

void CodeHighlighter::recolour(QColor& member, const QColor& color) {
  if (member == color) return;
  member = color;
  rehighlight();
  Q_EMIT changed();
}

void CodeHighlighter::highlightBlock(const QString& text) {
  setCurrentBlockState(plain);
  if (m_rules == nullptr) return;
  const auto paint = [this](qsizetype from, qsizetype to, const QColor& color) {
    if (color.isValid()) setFormat(static_cast<int>(from), static_cast<int>(to - from), color);
  };
  // Paints up to the closing mark, or, if it is missing, to the end of the line, which gets that state.
  const auto spanTo = [&](qsizetype from, qsizetype searchFrom, const QString& close, const QColor& color, BlockState state) {
    const qsizetype found = text.indexOf(close, searchFrom);
    const qsizetype end = found < 0 ? text.size() : found + close.size();
    if (found < 0) setCurrentBlockState(state);
    paint(from, end, color);
    return end;
  };
  qsizetype i = 0;
  if (previousBlockState() == inComment) i = spanTo(0, 0, m_rules->blockClose, m_comment, inComment);
  if (previousBlockState() == inLongString) i = spanTo(0, 0, m_rules->longQuote, m_string, inLongString);
  while (i < text.size()) {
    const QChar c = text[i];
    bool comment = false;
    for (const QString& mark : m_rules->lineComments) comment = comment || startsAt(text, i, mark);
    if (startsAt(text, i, m_rules->blockOpen)) {
      i = spanTo(i, i + m_rules->blockOpen.size(), m_rules->blockClose, m_comment, inComment);
    } else if (comment) {
      paint(i, text.size(), m_comment);
      return;
    } else if (startsAt(text, i, m_rules->longQuote)) {
      i = spanTo(i, i + m_rules->longQuote.size(), m_rules->longQuote, m_string, inLongString);
    } else if (m_rules->quotes.contains(c)) {
      const qsizetype end = quoteEnd(text, i);
      paint(i, end, m_string);
      i = end;
    } else if (c.isDigit()) {
      const qsizetype end = numberEnd(text, i);
      paint(i, end, m_number);
      i = end;
    } else if (isWordStart(c)) {
      const qsizetype end = wordEnd(text, i);
      const QString word = text.mid(i, end - i);
      if (m_rules->keywords.contains(word)) paint(i, end, m_keyword);
      else if (m_rules->types.contains(word) || (m_rules->capitalTypes && c.isUpper())) paint(i, end, m_type);
      i = end;
    } else {
      ++i;
    }
  }
}

}  // namespace minerva::app
