// The Markdown of one message, parsed into a flat list of blocks; the delegate is chosen by `kind`.
//
// Lists and quotes are flattened: each item is a row with `indent`, `quote` and `marker`. dataChanged is emitted only for
// rows that changed, which are the last one or two while a reply streams. GUI thread only.
#pragma once

#include "app/chat/markdown.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

namespace minerva::app {

class BlockModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with MessageModel")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  // Mirrors MarkdownBlock::Kind for QML: BlockModel.Paragraph, ...
  enum Kind { Paragraph, Heading, ListItem, Code, Table, Rule, Thinking, Math };
  Q_ENUM(Kind)
  enum Role {
    KindRole = Qt::UserRole + 1,  // kind: Kind
    HtmlRole,                     // html: for Text.RichText (Paragraph, Heading, ListItem); without colours, links as <a>
    SourceRole,       // source: code without fences; the text of Thinking; otherwise the plain text (for copying, screen readers)
    VerbatimRole,     // verbatim: the source of Code, Math and Thinking, which is shown unformatted; otherwise empty
    LanguageRole,     // language: Code: "cpp" as written after the fence; may be empty
    LevelRole,        // level: Heading: 1..6
    IndentRole,       // indent: list nesting depth, 0: not in a list; blocks of any kind can be inside a list
    QuoteRole,        // quote: nesting depth of block quotes, 0: none
    MarkerRole,       // marker: "•" or "3." on the first row of a list item, "☐"/"☑" for tasks, else empty
    CompleteRole,     // complete: false while this block may still grow
    ColumnsRole,      // columns: Table: number of columns
    CellsRole,        // cells: Table: list of rich text strings, row after row; the first row is the header
    AlignmentsRole,   // alignments: Table: an int per column (Text.AlignLeft, ...)
    OpensListRole,    // opensList: ListItem: the block before it is not in a list
    RightToLeftRole,  // rightToLeft: direction of the first strong character, as in text layout
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_blocks.size()); }

  void setText(const QString& markdown, bool complete);  // replaces everything
  void append(const QString& more);                      // the next part of a streaming text
  void finish();                                         // the text is complete
  void setPlain(const QString& text);                    // a user's text, shown as typed

 Q_SIGNALS:
  void countChanged();

 private:
  void take(const MarkdownSplitter::Change& change);
  void replaceFrom(int first, const std::vector<MarkdownBlock>& blocks);
  MarkdownSplitter m_splitter;
  std::vector<MarkdownBlock> m_blocks;
  bool m_complete = true;
};

}  // namespace minerva::app
