// The blocks of one message: Markdown split once, flat, so that a delegate is chosen by `kind` and nothing nests.
//
// Lists and quotes are flattened: each item is a row with `indent`, `quote` and `marker`. Only rows that changed emit
// dataChanged; while a reply streams that is the last one or two. GUI thread only.
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
    HtmlRole,                     // html: rich text for Text.RichText (Paragraph, Heading, ListItem); no colours in it, links as <a>
    SourceRole,       // source: Code: the code without fences; Thinking: its text; else the plain text (for copying, screen readers)
    VerbatimRole,     // verbatim: the source of Code, Math and Thinking, which show it as it is; else empty
    LanguageRole,     // language: Code: "cpp" as written after the fence; may be empty
    LevelRole,        // level: Heading: 1..6
    IndentRole,       // indent: depth in lists, 0: none; any kind can be inside a list
    QuoteRole,        // quote: depth in quotes, 0: none
    MarkerRole,       // marker: "•" or "3." on the first row of a list item, "☐"/"☑" for tasks, else empty
    CompleteRole,     // complete: false while this block may still grow
    ColumnsRole,      // columns: Table: number of columns
    CellsRole,        // cells: Table: list of rich text strings, row after row; the first row is the header
    AlignmentsRole,   // alignments: Table: list of ints a column (Text.AlignLeft, ...)
    OpensListRole,    // opensList: ListItem: what stands before it is no part of a list
    RightToLeftRole,  // rightToLeft: by the first letter that has a direction, as the text itself is laid out
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_blocks.size()); }

  void setText(const QString& markdown, bool complete);  // replaces everything
  void append(const QString& more);                      // streaming
  void finish();                                         // nothing more will come
  void setPlain(const QString& text);                    // a user's text, as typed

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
