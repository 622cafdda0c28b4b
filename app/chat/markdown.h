// Markdown to flat blocks, incrementally: a finished block is never parsed again, only the open chunk at the end is.
//
// The text is cut into chunks at blank lines outside fences and lists, and at fences; each chunk is parsed by md4c
// (CommonMark with tables, strikethrough, task lists, permissive autolinks; raw HTML is shown as text). Cutting goes left
// to right over whole lines, so feeding a text in pieces gives exactly the blocks of feeding it whole. Link reference
// definitions reach to the end of their chunk only. Values; thread-compatible.
#pragma once

#include <QList>
#include <QString>

#include <vector>

namespace minerva::app {

struct MarkdownBlock {
  enum class Kind { paragraph, heading, listItem, code, table, rule, thinking };
  Kind kind = Kind::paragraph;
  QString html;       // rich text without colours
  QString source;     // code, or plain text
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
  void scanLines();
  QString m_text;
  qsizetype m_chunkStart = 0;    // the open chunk
  qsizetype m_lineStart = 0;     // first line not scanned yet (its end has not arrived)
  int m_closedBlocks = 0;        // blocks of the chunks before m_chunkStart
  std::vector<qsizetype> m_cuts; // chunk ends found by the last scan
  QChar m_fence;                 // ` or ~ while inside a fence
  int m_fenceLength = 0;
  bool m_chunkIsFence = false, m_chunkIsList = false, m_chunkIsThinking = false;
  bool m_afterBlank = false;     // the last scanned line was blank: the next decides whether the chunk ends
};

}  // namespace minerva::app
