// Markdown to flat blocks, incrementally: a finished block is never parsed again, only the open chunk at the end is.
//
// The text is cut into chunks at blank lines outside fences and lists, and at fences; each chunk is parsed by md4c
// (CommonMark with tables, strikethrough, task lists, permissive autolinks; a line break is a line break; indentation alone
// makes no code; raw HTML is shown as text; links other than http, https and mailto lose their target). Cutting goes left
// to right over whole lines, so feeding a text in pieces gives exactly the blocks of feeding it whole. Link reference
// definitions reach to the end of their chunk only. Formulas (math_spans.h) are blocks where they stand alone, else
// mathHtml(). <think>...</think> at the very start is one block. Thread-compatible.
#pragma once

#include <QList>
#include <QString>

#include <vector>

namespace minerva::app {

struct MarkdownBlock {
  enum class Kind { paragraph, heading, listItem, code, table, rule, thinking, math };
  Kind kind = Kind::paragraph;
  QString html;       // rich text without colours
  QString source;     // code, a formula with what stands around it ("$$x$$"), or plain text
  QString language;   // of a code block
  QString marker;     // of a list item's first block
  int level = 0;      // of a heading
  int indent = 0;     // depth in lists
  int quote = 0;      // depth in quotes
  int columns = 0;    // of a table
  QStringList cells;  // of a table, rich text, row after row, header first
  QList<int> alignments;
  friend bool operator==(const MarkdownBlock&, const MarkdownBlock&) = default;
};

// Parses one self-contained piece of Markdown.
[[nodiscard]] std::vector<MarkdownBlock> parseMarkdown(const QString& text);

class MarkdownSplitter {
 public:
  // What append() did: blocks before `firstChanged` are as before; `blocks` replace everything from there on.
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
  qsizetype m_chunkStart = 0;     // of the open chunk
  qsizetype m_lineStart = 0;      // first line whose end has not arrived
  int m_closedBlocks = 0;         // blocks of the chunks before m_chunkStart
  std::vector<qsizetype> m_cuts;  // ends of the chunks the running append() closed
  QChar m_fence;                  // ` or ~ while inside a fence, else null
  qsizetype m_fenceLength = 0;
  bool m_hasContent = false;  // of the open chunk: a line that is not blank
  bool m_isFence = false, m_isList = false, m_isThinking = false;
  bool m_afterBlank = false;  // the last line was blank: the next decides whether the chunk ends
};

// A user's own text: shown as typed, only fenced code is recognised.
[[nodiscard]] std::vector<MarkdownBlock> parsePlain(const QString& text);

}  // namespace minerva::app
