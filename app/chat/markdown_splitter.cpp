#include "app/chat/markdown.h"

#include "app/text/fence.h"
#include "app/text/reply_text.h"

#include <utility>

namespace minerva::app {

struct MarkdownSplitter::Line {
  QStringView text;
  qsizetype begin, end;  // in m_text; end is after the newline
};

namespace {

bool isListItem(QStringView line) {
  line = line.mid(indentOf(line));
  if (line.isEmpty()) return false;
  qsizetype i = 0;
  if (line[0] == u'-' || line[0] == u'*' || line[0] == u'+') {
    i = 1;
  } else {
    while (i < line.size() && i < 9 && line[i] >= u'0' && line[i] <= u'9') ++i;
    if (i == 0 || i >= line.size() || (line[i] != u'.' && line[i] != u')')) return false;
    ++i;
  }
  return i == line.size() || line[i] == u' ' || line[i] == u'\t';
}

void parseInto(std::vector<MarkdownBlock>& blocks, const QString& chunk, bool first) {
  const auto thoughts = thoughtsAt(chunk, first);
  if (thoughts && !(thoughts->text.trimmed().isEmpty() && !thoughts->open)) {
    blocks.emplace_back().kind = MarkdownBlock::Kind::thinking;
    blocks.back().source = thoughts->text.trimmed();
  }
  for (MarkdownBlock& block : parseMarkdown(thoughts ? chunk.mid(thoughts->end) : chunk)) blocks.push_back(std::move(block));
}

}  // namespace

void MarkdownSplitter::clear() { *this = MarkdownSplitter(); }

void MarkdownSplitter::cutAt(qsizetype position) {
  m_cuts.push_back(position);
  m_hasContent = m_isFence = m_isList = m_isThinking = m_afterBlank = false;
}

void MarkdownSplitter::scanLine(const Line& line) {
  if (!m_fence.isNull()) {
    const Fence closing = fenceOf(line.text);
    if (closing.mark != m_fence || closing.length < m_fenceLength || !closing.bare) return;
    m_fence = QChar();
    if (m_isFence) cutAt(line.end);
    return;
  }
  if (m_isThinking) {
    if (line.text.contains(thoughtsClose)) cutAt(line.end);
    return;
  }
  if (line.text.trimmed().isEmpty()) {
    m_afterBlank = m_hasContent;
    return;
  }
  const qsizetype indent = indentOf(line.text);
  const bool item = isListItem(line.text);
  if (m_afterBlank && !(m_isList && (item || indent >= 2))) cutAt(line.begin);
  m_afterBlank = false;
  if (!m_hasContent && thoughtsAt(line.text, m_chunkStart == 0 && m_cuts.empty())) {
    m_hasContent = m_isThinking = true;
    if (line.text.contains(thoughtsClose)) cutAt(line.end);
    return;
  }
  if (const Fence fence = fenceOf(line.text); fence.length > 0) {
    if (!m_isList || indent == 0) {
      if (m_hasContent) cutAt(line.begin);
      m_isFence = true;
    }
    m_fence = fence.mark;
    m_fenceLength = fence.length;
  }
  m_hasContent = true;
  m_isList = m_isList || item;
}

MarkdownSplitter::Change MarkdownSplitter::append(const QString& more) {
  m_text += more;
  for (qsizetype newline = m_text.indexOf(u'\n', m_lineStart); newline >= 0; newline = m_text.indexOf(u'\n', m_lineStart)) {
    const qsizetype begin = std::exchange(m_lineStart, newline + 1);
    scanLine({QStringView(m_text).mid(begin, newline - begin), begin, newline + 1});
  }
  Change change{.firstChanged = m_closedBlocks, .blocks = {}};
  const auto parse = [&](qsizetype from, qsizetype to) { parseInto(change.blocks, m_text.mid(from, to - from), from == 0); };
  for (const qsizetype cut : std::exchange(m_cuts, {})) {
    parse(std::exchange(m_chunkStart, cut), cut);
    m_closedBlocks = change.firstChanged + static_cast<int>(change.blocks.size());
  }
  parse(m_chunkStart, m_text.size());
  return change;
}

std::vector<MarkdownBlock> parsePlain(const QString& text) {
  std::vector<MarkdownBlock> blocks;
  QStringList lines;
  const auto closeText = [&] {
    while (!lines.isEmpty() && lines.last().trimmed().isEmpty()) lines.removeLast();
    while (!lines.isEmpty() && lines.first().trimmed().isEmpty()) lines.removeFirst();
    if (lines.isEmpty()) return;
    MarkdownBlock block;
    block.source = lines.join(u'\n');
    block.html = QStringLiteral("<span style=\"white-space:pre-wrap\">%1</span>")
                     .arg(block.source.toHtmlEscaped().replace(u'\n', QLatin1String("<br>")));
    blocks.push_back(std::move(block));
    lines.clear();
  };
  Fence fence;
  MarkdownBlock code;
  const auto closeCode = [&] {
    if (code.source.endsWith(u'\n')) code.source.chop(1);
    blocks.push_back(std::exchange(code, {}));
    fence = {};
  };
  for (const QString& line : text.split(u'\n')) {
    const Fence found = fenceOf(line);
    if (fence.length > 0) {
      if (found.mark == fence.mark && found.length >= fence.length && found.bare) closeCode();
      else code.source += line + u'\n';
    } else if (found.length > 0) {
      closeText();
      fence = found;
      code.kind = MarkdownBlock::Kind::code;
      code.language = line.trimmed().mid(found.length).trimmed();
    } else {
      lines << line;
    }
  }
  if (fence.length > 0) closeCode();
  closeText();
  return blocks;
}

}  // namespace minerva::app
