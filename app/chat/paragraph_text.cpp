#include "app/chat/paragraph_text.h"

#include "app/chat/html_cut.h"
#include "app/math/inline_math.h"
#include "app/math/math_cache.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextLayout>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace minerva::app {
namespace {

// What was removed at the end of a settled block whose text continues in the next: a space, a line break, or nothing
// (inside a word). It is not kept in the block, because it would take up space at the block's end.
struct Joint : QTextBlockUserData {
  QString text;
  QTextCharFormat format;
};

// Lets painting reuse the glyphs that were shaped for the layout.
void paintAsMeasured(const QTextBlock& block) { block.layout()->setCacheEnabled(true); }

const Joint* jointOf(const QTextBlock& block) { return static_cast<const Joint*>(block.userData()); }

}  // namespace

ParagraphText::ParagraphText(QObject* parent) : QObject(parent) { connect(this, &ParagraphText::framed, this, &ParagraphText::showWhole); }

void ParagraphText::setQuickDocument(QQuickTextDocument* document) {
  if (document == m_quickDocument) return;
  m_quickDocument = document;
  setDocument(document != nullptr ? document->textDocument() : nullptr);
}

void ParagraphText::setDocument(QTextDocument* document) {
  if (m_document != nullptr) m_document->documentLayout()->disconnect(this);
  m_document = document;
  if (document != nullptr) {
    document->setUndoRedoEnabled(false);
    connect(document->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this, &ParagraphText::measureEnd);
    showWhole();
  }
  Q_EMIT changed();
}

void ParagraphText::setHtml(const QString& html) {
  if (html == m_html) return;
  const bool goesOn = m_settled > 0 && html.startsWith(QStringView(m_html).left(m_settled));
  m_html = html;
  watchFormulas();
  if (goesOn) showOpen();
  else showWhole();
  Q_EMIT changed();
}

void ParagraphText::setGrowing(bool growing) {
  if (growing == m_growing) return;
  m_growing = growing;
  if (hasFormulas(m_html)) showWhole();
  else if (growing) settle();
  else join();
  Q_EMIT changed();
}

void ParagraphText::refit() {
  if (m_settled > 0 || hasFormulas(m_html)) showWhole();
  else settle();
}

QString ParagraphText::text(int from, int to) const {
  if (m_document == nullptr) return {};
  if (from > to) std::swap(from, to);
  QString text;
  for (QTextBlock block = m_document->findBlock(from); block.isValid() && block.position() < to; block = block.next()) {
    const int end = block.position() + block.length() - 1;
    text += textWithFormulas(*m_document, std::max(from, block.position()), std::min(to, end));
    if (end < to && jointOf(block) != nullptr) text += QString(jointOf(block)->text).replace(QChar::LineSeparator, u'\n');
  }
  return text;
}

QVariantList ParagraphText::links() const {
  struct Link {
    int from = 0, to = 0;
    QString target;
  };
  std::vector<Link> links;
  if (m_document == nullptr) return {};
  for (QTextBlock block = m_document->begin(); block.isValid(); block = block.next())
    for (auto part = block.begin(); !part.atEnd(); ++part) {
      const QTextFragment fragment = part.fragment();
      const QString target = fragment.charFormat().anchorHref();
      if (target.isEmpty()) continue;
      const int from = fragment.position(), to = from + fragment.length();
      if (!links.empty() && links.back().to == from && links.back().target == target) links.back().to = to;  // one link in several formats
      else links.push_back({from, to, target});
    }
  QVariantList list;
  for (const Link& link : links)
    list << QVariantMap{{QStringLiteral("from"), link.from},
                        {QStringLiteral("to"), link.to},
                        {QStringLiteral("link"), link.target},
                        {QStringLiteral("text"), text(link.from, link.to)}};
  return list;
}

void ParagraphText::componentComplete() {
  m_complete = true;
  showWhole();
  if (isLinked()) Q_EMIT changed();  // links() has positions now
}

void ParagraphText::showWhole() {
  if (!isShown()) return;
  m_settled = 0;
  m_openTags.clear();
  m_formulasMissing = false;
  takeStyle();
  if (m_growing || !hasFormulas(m_html)) {
    QTextCursor cursor(m_document);
    cursor.beginEditBlock();
    m_document->setHtml(m_tag + m_html + QLatin1String("</p>"));
    paintAsMeasured(m_document->firstBlock());
    cursor.endEditBlock();
  } else {
    m_formulasMissing = !showFormulas(*m_document, m_tag, m_html, QStringLiteral("</p>"), m_mathColor, m_mathRatio);
  }
  settle();
}

// Parsing CSS takes as long as laying out a line, and most paragraphs do not need it.
void ParagraphText::takeStyle() {
  if (m_html.contains(u'<') && m_document->defaultStyleSheet() != m_style) m_document->setDefaultStyleSheet(m_style);
}

// Sets the text of the last block again.
void ParagraphText::showOpen() {
  if (!isShown()) return;
  takeStyle();
  QTextCursor cursor(m_document->lastBlock());
  cursor.beginEditBlock();  // outside an edit block, moving the cursor would lay out its line
  cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
  cursor.insertHtml(m_openTags.join(QString()) + m_html.mid(m_settled));
  cursor.endEditBlock();
  settle();
}

// Moves all lines of the last block except the last into a separate block.
void ParagraphText::settle() {
  if (!isShown()) return;
  QTextBlock open = m_document->lastBlock();
  const QTextLayout& layout = *open.layout();
  if (m_growing && m_document->textWidth() > 0 && layout.lineCount() > 1) {
    const int start = layout.lineAt(layout.lineCount() - 1).textStart();
    const HtmlCut cut = cutHtml(m_html, m_settled, m_openTags, start);
    if (cut.end > m_settled) {
      m_settled = cut.begin;
      m_openTags = cut.openTags;
      QTextBlockFormat direction;
      direction.setLayoutDirection(open.textDirection());  // a line by itself might be detected differently
      auto joint = std::make_unique<Joint>();
      QTextCursor cursor(open);
      paintAsMeasured(open);
      cursor.beginEditBlock();
      cursor.mergeBlockFormat(direction);
      cursor.setPosition(open.position() + start);
      if (open.text().at(start - 1).isSpace()) {
        joint->text = open.text().at(start - 1);
        joint->format = cursor.charFormat();
        cursor.deletePreviousChar();
      }
      cursor.insertBlock();
      paintAsMeasured(cursor.block());
      open.setUserData(joint.release());
      cursor.endEditBlock();
    }
  }
  measureEnd();
}

void ParagraphText::join() {
  if (!isShown() || m_settled == 0) return;
  m_settled = 0;
  m_openTags.clear();
  QTextCursor cursor(m_document);
  m_document->firstBlock().layout()->setCacheEnabled(false);
  cursor.beginEditBlock();
  for (QTextBlock block = m_document->lastBlock().previous(); block.isValid(); block = block.previous()) {
    const Joint* joint = jointOf(block);
    cursor.setPosition(block.position() + block.length() - 1);
    cursor.deleteChar();
    if (joint != nullptr) cursor.insertText(joint->text, joint->format);
  }
  cursor.endEditBlock();
  measureEnd();
}

void ParagraphText::measureEnd() {
  const QTextBlock block = m_document->lastBlock();
  const QTextLayout& layout = *block.layout();
  QRectF end;
  if (layout.lineCount() > 0) {
    const QRectF line = layout.lineAt(layout.lineCount() - 1).naturalTextRect();
    const QPointF origin = m_document->documentLayout()->blockBoundingRect(block).topLeft();
    const bool leftwards = block.textDirection() == Qt::RightToLeft;
    end = {origin + (leftwards ? line.topLeft() : line.topRight()), QSizeF(0, line.height())};
  }
  if (end == std::exchange(m_end, end)) return;
  Q_EMIT endChanged();
}

// Only texts with formulas connect; most have none.
void ParagraphText::watchFormulas() {
  if (m_watching || !hasFormulas(m_html)) return;
  m_watching = true;
  connect(&MathCache::instance(), &MathCache::ready, this, [this] {
    if (!m_formulasMissing) return;
    showWhole();
    Q_EMIT changed();  // positions in the text have changed
  });
}

}  // namespace minerva::app
