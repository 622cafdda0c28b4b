#include "app/chat/text_pieces.h"

#include "app/math/inline_math.h"
#include "app/math/math_cache.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

QString nameOf(QStringView tag) {
  qsizetype end = 1;
  while (end < tag.size() && tag[end].isLetterOrNumber()) ++end;
  return tag.mid(1, end - 1).toString();
}

QString closing(const QStringList& tags) {
  QString text;
  for (auto tag = tags.crbegin(); tag != tags.crend(); ++tag) text += QStringLiteral("</%1>").arg(nameOf(*tag));
  return text;
}

// A place where the text may be cut: everything before `end` stays above, what begins at `begin` goes below.
struct Cut {
  qsizetype end = 0, begin = 0;
  QStringList openTags;
};

// The place of the given character of the text as shown: a tag shows nothing, an entity is one character, a run of spaces is
// one. A space or a break before it belongs to neither side. Past the end: where the last word begins.
Cut findCut(QStringView html, qsizetype from, QStringList openTags, int character) {
  Cut cut{from, from, openTags};
  int shown = 0;
  bool afterSpace = true;
  for (qsizetype i = from; i < html.size() && shown < character;) {
    const QChar c = html[i];
    if (c == u'<') {
      const qsizetype end = html.indexOf(u'>', i) + 1;
      if (end == 0) break;
      const QStringView tag = html.mid(i, end - i);
      if (tag == QLatin1String("<br>")) {
        ++shown;
        afterSpace = true;
        cut = {i, end, openTags};
      } else if (!tag.startsWith(QLatin1String("</"))) {
        openTags << tag.toString();
      } else if (!openTags.isEmpty()) {
        openTags.removeLast();
      }
      i = end;
    } else if (c == u' ') {
      if (!std::exchange(afterSpace, true)) ++shown;
      cut = {i, i + 1, openTags};
      ++i;
    } else {
      const qsizetype entityEnd = c == u'&' ? html.indexOf(u';', i) + 1 : 0;
      i = entityEnd > 0 ? entityEnd : i + 1;
      ++shown;
      afterSpace = false;
    }
    if (shown == character && cut.begin != i && i < html.size()) cut = {i, i, openTags};  // lines end inside words, too
  }
  return cut;
}

}  // namespace

int TextPieces::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

QVariant TextPieces::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  switch (role) {
    case Qt::DisplayRole:
    case HtmlRole: return m_rows[index.row()];
    case OpenRole: return index.row() + 1 == rowCount();
    default: return {};
  }
}

QHash<int, QByteArray> TextPieces::roleNames() const { return {{HtmlRole, "html"}, {OpenRole, "open"}}; }

void TextPieces::setHtml(const QString& html) {
  if (html == m_html && !m_rows.isEmpty()) return;
  const bool continues = m_growing && !m_rows.isEmpty() && html.startsWith(QStringView(m_html).left(m_settled));
  m_html = html;
  watchFormulas();
  if (!continues) {
    join();
  } else {
    m_rows.last() = m_openTags.join(QString()) + html.mid(m_settled);
    Q_EMIT dataChanged(index(rowCount() - 1), index(rowCount() - 1), {HtmlRole});
  }
  Q_EMIT changed();
}

void TextPieces::setGrowing(bool growing) {
  if (growing == m_growing) return;
  m_growing = growing;
  if (!growing && rowCount() > 1) join();
  if (!growing && hasFormulas(m_html)) Q_EMIT framed();
  Q_EMIT changed();
}

bool TextPieces::settle(int character) {
  if (!m_growing || m_rows.isEmpty()) return false;
  const Cut cut = findCut(m_html, m_settled, m_openTags, character);
  if (cut.end == m_settled) return false;
  const int last = rowCount() - 1;
  m_rows.last() = m_openTags.join(QString()) + m_html.mid(m_settled, cut.end - m_settled) + closing(cut.openTags);
  beginInsertRows({}, last + 1, last + 1);
  m_settled = cut.begin;
  m_openTags = cut.openTags;
  m_rows << m_openTags.join(QString()) + m_html.mid(m_settled);
  endInsertRows();
  Q_EMIT dataChanged(index(last), index(last), {HtmlRole, OpenRole});
  return true;
}

void TextPieces::show(int row, QQuickTextDocument* document) const {
  if (row < 0 || row >= rowCount() || document == nullptr) return;
  QTextDocument& text = *document->textDocument();
  if (m_growing || !hasFormulas(m_rows[row])) {
    text.setHtml(m_before + m_rows[row] + m_after);
  } else if (!showFormulas(text, m_before, m_rows[row], m_after, m_mathColor, m_mathRatio)) {
    m_formulasMissing = true;
  }
}

void TextPieces::fit(int row, QQuickTextDocument* document) const {
  if (row >= 0 && row < rowCount() && !m_growing && hasFormulas(m_rows[row])) show(row, document);
}

QString TextPieces::selected(QQuickTextDocument* document, int from, int to) {
  return document ? textWithFormulas(*document->textDocument(), std::min(from, to), std::max(from, to)) : QString();
}

// Only texts with formulas listen: most have none.
void TextPieces::watchFormulas() {
  if (m_watching || !hasFormulas(m_html)) return;
  m_watching = true;
  connect(&MathCache::instance(), &MathCache::ready, this, [this] {
    if (std::exchange(m_formulasMissing, false)) Q_EMIT framed();
  });
}

QRectF TextPieces::endOf(QQuickTextDocument* document) {
  if (document == nullptr) return {};
  const QTextBlock block = document->textDocument()->lastBlock();
  const QTextLayout& layout = *block.layout();
  if (layout.lineCount() == 0) return {};
  const QRectF line = layout.lineAt(layout.lineCount() - 1).naturalTextRect();
  const QPointF origin = document->textDocument()->documentLayout()->blockBoundingRect(block).topLeft();
  const bool leftwards = block.textDirection() == Qt::RightToLeft;
  return {origin + (leftwards ? line.topLeft() : line.topRight()), QSizeF(0, line.height())};
}

void TextPieces::join() {
  m_settled = 0;
  m_openTags.clear();
  if (m_rows == QStringList{m_html}) return;
  if (m_rows.isEmpty()) {
    beginInsertRows({}, 0, 0);
    m_rows << m_html;
    endInsertRows();
    return;
  }
  if (rowCount() > 1) {
    beginRemoveRows({}, 1, rowCount() - 1);
    m_rows.resize(1);
    endRemoveRows();
  }
  m_rows.first() = m_html;
  Q_EMIT dataChanged(index(0), index(0), {HtmlRole, OpenRole});
}

}  // namespace minerva::app
