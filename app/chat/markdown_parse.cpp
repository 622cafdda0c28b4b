// Converts md4c's callbacks to flat blocks.
#include "app/chat/markdown.h"

#include "app/chat/links.h"
#include "app/math/math_spans.h"

#include <md4c.h>

#include <QTextDocumentFragment>
#include <QUrl>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr int deepest = 8;  // lists and quotes nested deeper are shown at this depth

struct ListLevel {
  bool ordered;
  unsigned next;
};

class Builder {
 public:
  std::vector<MarkdownBlock> blocks;
  std::vector<MathSpan> formulas;  // the text has placeholders for them

  void enter(MD_BLOCKTYPE type, void* detail);
  void leave(MD_BLOCKTYPE type);
  void enterSpan(MD_SPANTYPE type, void* detail);
  void leaveSpan(MD_SPANTYPE type);
  void text(MD_TEXTTYPE type, const QString& text);

 private:
  void open(MarkdownBlock::Kind kind);
  void flush();
  void plain(const QString& text);
  void formula(const MathSpan& span);
  void standAlone(const MathSpan& span);
  void enterItem(const MD_BLOCK_LI_DETAIL& item);

  MarkdownBlock m_block;
  bool m_open = false;
  std::vector<ListLevel> m_lists;
  QString m_marker;
  int m_quote = 0;
  std::vector<bool> m_links;  // for each open link: whether <a> was written
  QString m_cell;
  bool m_inCell = false;
  int m_spans = 0;              // number of open spans
  bool m_afterFormula = false;  // the open block follows a stand-alone formula
};

int alignment(MD_ALIGN align) {
  switch (align) {
    case MD_ALIGN_CENTER: return Qt::AlignHCenter;
    case MD_ALIGN_RIGHT: return Qt::AlignRight;
    default: return Qt::AlignLeft;
  }
}

// The characters of an entity. Those with names that Qt does not know are text.
QString plainEntity(const QString& entity) {
  const bool hexadecimal = entity.size() > 2 && entity[2].toLower() == u'x';
  const char32_t code = entity.mid(hexadecimal ? 3 : 2).chopped(1).toUInt(nullptr, hexadecimal ? 16 : 10);
  const bool ofWindows = code >= 0x80 && code < 0xA0;  // as in browsers, and in Qt, these are of its western character set
  if (!entity.startsWith(QLatin1String("&#")) || ofWindows)
    return entity == QLatin1String("&nbsp;") ? QString(QChar(QChar::Nbsp))  // toPlainText() would make it a space
                                             : QTextDocumentFragment::fromHtml(QStringLiteral("<pre>%1</pre>").arg(entity)).toPlainText();
  const bool isCharacter = code >= 0x20 && code <= 0x10FFFF && !QChar::isSurrogate(code);
  return isCharacter ? QString::fromUcs4(&code, 1) : QString(QChar(QChar::ReplacementCharacter));
}

// Qt shows white space of any kind except no-break spaces as one space, and has two characters of its own for frames. They are
// replaced here, so that a character of the rich text is a character of the document (html_cut.h).
QString richText(QString text) {
  constexpr QChar frameBegins(0xFDD0), frameEnds(0xFDD1);
  for (QChar& c : text) {
    if (c.isSpace() && c != QChar::Nbsp) c = u' ';
    else if (c == frameBegins || c == frameEnds) c = QChar::ReplacementCharacter;
  }
  return text.toHtmlEscaped();
}

// A link's target or a code block's language, with its entities resolved.
QString attribute(const MD_ATTRIBUTE& value) {
  QString text;
  if (value.size == 0) return text;  // without substrings
  for (int i = 0; value.substr_offsets[i] < value.size; ++i) {
    const MD_OFFSET begin = value.substr_offsets[i], end = value.substr_offsets[i + 1];
    const QString part = QString::fromUtf8(value.text + begin, static_cast<qsizetype>(end - begin));
    text += value.substr_types[i] == MD_TEXT_ENTITY ? plainEntity(part) : part;
  }
  return text;
}

void Builder::open(MarkdownBlock::Kind kind) {
  flush();
  m_block = {};
  m_block.kind = kind;
  m_block.indent = std::min(deepest, static_cast<int>(m_lists.size()));
  m_block.quote = std::min(deepest, m_quote);
  m_block.marker = std::exchange(m_marker, {});
  m_open = true;
}

void Builder::flush() {
  if (!m_open) return;
  m_open = false;
  if (std::exchange(m_afterFormula, false) && m_block.html.trimmed().isEmpty()) return;
  const bool empty = m_block.html.isEmpty() && m_block.source.isEmpty() && m_block.cells.isEmpty();
  if (m_block.kind == MarkdownBlock::Kind::listItem && empty) {
    m_marker = m_block.marker;  // the item's first block is still to come
    return;
  }
  if (m_block.kind == MarkdownBlock::Kind::code && m_block.source.endsWith(QLatin1Char('\n'))) m_block.source.chop(1);
  blocks.push_back(std::move(m_block));
}

void Builder::enterItem(const MD_BLOCK_LI_DETAIL& item) {
  ListLevel& list = m_lists.back();
  flush();
  if (item.is_task) m_marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
  else m_marker = list.ordered ? QString::number(list.next) + QLatin1Char('.') : QStringLiteral("•");
  ++list.next;
  open(MarkdownBlock::Kind::listItem);
}

void Builder::enter(MD_BLOCKTYPE type, void* detail) {
  using Kind = MarkdownBlock::Kind;
  switch (type) {
    case MD_BLOCK_QUOTE:
      flush();
      ++m_quote;
      break;
    case MD_BLOCK_UL:
      flush();
      m_lists.push_back({false, 1});
      break;
    case MD_BLOCK_OL:
      flush();
      m_lists.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
      break;
    case MD_BLOCK_LI: enterItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail)); break;
    case MD_BLOCK_HR:
      open(Kind::rule);
      flush();
      break;
    case MD_BLOCK_H:
      open(Kind::heading);
      m_block.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
      break;
    case MD_BLOCK_CODE:
      open(Kind::code);
      m_block.language = attribute(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang);
      break;
    case MD_BLOCK_P: {
      flush();
      const bool first = !m_marker.isEmpty();
      open(first ? Kind::listItem : Kind::paragraph);
      break;
    }
    case MD_BLOCK_HTML: open(Kind::paragraph); break;
    case MD_BLOCK_TABLE:
      open(Kind::table);
      m_block.columns = static_cast<int>(static_cast<MD_BLOCK_TABLE_DETAIL*>(detail)->col_count);
      break;
    case MD_BLOCK_TH: m_block.alignments << alignment(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align); [[fallthrough]];
    case MD_BLOCK_TD:
      m_inCell = true;
      m_cell.clear();
      break;
    default: break;
  }
}

void Builder::leave(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      flush();
      --m_quote;
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      flush();
      m_lists.pop_back();
      break;
    case MD_BLOCK_LI:
      flush();
      if (!m_marker.isEmpty()) {  // an item without content still shows its marker
        MarkdownBlock empty;
        empty.kind = MarkdownBlock::Kind::listItem;
        empty.indent = std::min(deepest, static_cast<int>(m_lists.size()));
        empty.quote = std::min(deepest, m_quote);
        empty.marker = std::exchange(m_marker, {});
        blocks.push_back(std::move(empty));
      }
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      m_inCell = false;
      m_block.cells << m_cell;
      m_block.source += QLatin1Char('\t');
      break;
    case MD_BLOCK_TR: m_block.source += QLatin1Char('\n'); break;
    case MD_BLOCK_P:
    case MD_BLOCK_H:
    case MD_BLOCK_CODE:
    case MD_BLOCK_HTML:
    case MD_BLOCK_TABLE: flush(); break;
    default: break;
  }
}

void Builder::enterSpan(MD_SPANTYPE type, void* detail) {
  ++m_spans;
  QString& html = m_inCell ? m_cell : m_block.html;
  switch (type) {
    case MD_SPAN_EM: html += QLatin1String("<i>"); break;
    case MD_SPAN_STRONG: html += QLatin1String("<b>"); break;
    case MD_SPAN_CODE: html += QLatin1String("<code>"); break;
    case MD_SPAN_DEL: html += QLatin1String("<s>"); break;
    case MD_SPAN_A:
    case MD_SPAN_IMG: {
      const QString target =
          attribute(type == MD_SPAN_A ? static_cast<MD_SPAN_A_DETAIL*>(detail)->href : static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
      m_links.push_back(mayBeOpened(QUrl(target)));
      if (m_links.back()) html += QStringLiteral("<a href=\"%1\">").arg(target.toHtmlEscaped());
      break;
    }
    default: break;
  }
}

void Builder::leaveSpan(MD_SPANTYPE type) {
  --m_spans;
  QString& html = m_inCell ? m_cell : m_block.html;
  switch (type) {
    case MD_SPAN_EM: html += QLatin1String("</i>"); break;
    case MD_SPAN_STRONG: html += QLatin1String("</b>"); break;
    case MD_SPAN_CODE: html += QLatin1String("</code>"); break;
    case MD_SPAN_DEL: html += QLatin1String("</s>"); break;
    case MD_SPAN_A:
    case MD_SPAN_IMG:
      if (m_links.back()) html += QLatin1String("</a>");
      m_links.pop_back();
      break;
    default: break;
  }
}

void Builder::plain(const QString& text) {
  if (m_block.kind != MarkdownBlock::Kind::code) (m_inCell ? m_cell : m_block.html) += richText(text);
  m_block.source += text;
}

void Builder::formula(const MathSpan& span) {
  using Kind = MarkdownBlock::Kind;
  const bool inText = m_block.kind == Kind::paragraph || m_block.kind == Kind::listItem;
  if (m_block.kind == Kind::code) return plain(span.source);
  if (span.display && inText && !m_inCell && m_spans == 0) return standAlone(span);
  (m_inCell ? m_cell : m_block.html) += mathHtml(span);
  m_block.source += span.source;
}

// Makes the formula a separate block between the text before and after it.
void Builder::standAlone(const MathSpan& span) {
  while (m_block.html.endsWith(QLatin1String("<br>"))) m_block.html.chop(4);
  MarkdownBlock block;
  block.kind = MarkdownBlock::Kind::math;
  block.indent = m_block.indent;
  block.quote = m_block.quote;
  block.source = span.source;
  if (m_block.html.trimmed().isEmpty()) {
    block.marker = m_block.marker;
    m_open = false;
  }
  flush();
  m_block = {};
  m_block.indent = block.indent;
  m_block.quote = block.quote;
  m_open = m_afterFormula = true;
  blocks.push_back(std::move(block));
}

void Builder::text(MD_TEXTTYPE type, const QString& text) {
  QString& html = m_inCell ? m_cell : m_block.html;
  switch (type) {
    case MD_TEXT_NULLCHAR:
      html += QChar::ReplacementCharacter;
      m_block.source += QChar::ReplacementCharacter;
      break;
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
      if (m_afterFormula && html.isEmpty()) break;
      html += QLatin1String("<br>");
      m_block.source += QLatin1Char('\n');
      break;
    case MD_TEXT_ENTITY: plain(plainEntity(text)); break;
    default: {
      qsizetype from = 0;
      for (qsizetype at = text.indexOf(mathOpens); at >= 0; at = text.indexOf(mathOpens, from)) {
        const qsizetype end = text.indexOf(mathCloses, at);
        const auto number = end < 0 ? formulas.size() : static_cast<std::size_t>(QStringView(text).mid(at + 1, end - at - 1).toUInt());
        if (number >= formulas.size()) break;  // not a placeholder, but a character of the text
        plain(text.mid(from, at - from));
        formula(formulas[number]);
        from = end + 1;
      }
      plain(text.mid(from));
    }
  }
}

Builder& builder(void* user) { return *static_cast<Builder*>(user); }

}  // namespace

std::vector<MarkdownBlock> parseMarkdown(const QString& text) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_NOHTML |
                 MD_FLAG_NOINDENTEDCODEBLOCKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    builder(user).enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
    builder(user).leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    builder(user).enterSpan(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
    builder(user).leaveSpan(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* bytes, MD_SIZE size, void* user) {
    builder(user).text(type, QString::fromUtf8(bytes, static_cast<qsizetype>(size)));
    return 0;
  };
  Builder result;
  const QByteArray utf8 = hideMath(text, result.formulas).toUtf8();
  md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, &result);
  return std::move(result.blocks);
}

}  // namespace minerva::app
