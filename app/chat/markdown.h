// Incremental parser from Markdown to flat blocks: finished blocks are never parsed again, only the open chunk at the
// end.
//
// The text is split into chunks at blank lines outside fences and lists, and at fences; each chunk is parsed by md4c
// (CommonMark with tables, strikethrough, task lists, permissive autolinks; soft line breaks are kept; no indented code
// blocks; raw HTML is shown as text; links other than http, https and mailto lose their target). Splitting goes line by
// line from the start, so feeding a text in pieces gives the same blocks as feeding it at once. Link reference
// definitions apply only within their chunk. Formulas (math_spans.h) are separate blocks if they stand alone, otherwise
// inline (mathHtml()). Thoughts (app/text/reply_text.h) are blocks of their own. Not synchronized.
#pragma once

#include <QList>
#include <QString>

#include <vector>

namespace minerva::app {

struct MarkdownBlock {
  enum class Kind { paragraph, heading, listItem, code, table, rule, thinking, math };
  Kind kind = Kind::paragraph;
  QString html;       // rich text without colours
  QString source;     // code, a formula with its delimiters ("$$x$$"), or plain text
  QString language;   // of a code block
  QString marker;     // of a list item's first block
  int level = 0;      // of a heading
  int indent = 0;     // depth in lists
  int quote = 0;      // depth in quotes
  int columns = 0;    // of a table
  QStringList cells;  // of a table: rich text in row-major order, header first
  QList<int> alignments;
  friend bool operator==(const MarkdownBlock&, const MarkdownBlock&) = default;
};

// Parses one self-contained piece of Markdown, without thoughts.
[[nodiscard]] std::vector<MarkdownBlock> parseMarkdown(const QString& text);

class MarkdownSplitter {
 public:
  // Result of append(): blocks before `firstChanged` are unchanged; `blocks` replace all others.
  struct Change {
    int firstChanged = 0;
    std::vector<MarkdownBlock> blocks;
  };
  void clear();
  Change append(const QString& more);
  [[nodiscard]] const QString& text() const { return m_text; }

 private:
  struct Line;
  void scanLine(const Line& line);
  void cutAt(qsizetype position);
  QString m_text;
  qsizetype m_chunkStart = 0;     // start of the open chunk
  qsizetype m_lineStart = 0;      // first incomplete line
  int m_closedBlocks = 0;         // number of blocks before m_chunkStart
  std::vector<qsizetype> m_cuts;  // ends of the chunks that the current append() closed
  QChar m_fence;                  // ` or ~ inside a fence, otherwise null
  qsizetype m_fenceLength = 0;
  bool m_hasContent = false;  // the open chunk has a non-blank line
  bool m_isFence = false, m_isList = false, m_isThinking = false;
  bool m_afterBlank = false;  // after a blank line; the next line decides whether the chunk ends
};

// Parses a user's text: shown as typed, only code fences are recognised.
[[nodiscard]] std::vector<MarkdownBlock> parsePlain(const QString& text);

}  // namespace minerva::app
