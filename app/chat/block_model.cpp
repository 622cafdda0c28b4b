#include "app/chat/block_model.h"

#include <algorithm>

namespace minerva::app {
namespace {

BlockModel::Kind kindOf(MarkdownBlock::Kind kind) {
  switch (kind) {
    case MarkdownBlock::Kind::paragraph: return BlockModel::Paragraph;
    case MarkdownBlock::Kind::heading: return BlockModel::Heading;
    case MarkdownBlock::Kind::listItem: return BlockModel::ListItem;
    case MarkdownBlock::Kind::code: return BlockModel::Code;
    case MarkdownBlock::Kind::table: return BlockModel::Table;
    case MarkdownBlock::Kind::rule: return BlockModel::Rule;
    case MarkdownBlock::Kind::thinking: return BlockModel::Thinking;
    case MarkdownBlock::Kind::math: return BlockModel::Math;
  }
  return BlockModel::Paragraph;
}

bool isVerbatim(MarkdownBlock::Kind kind) {
  return kind == MarkdownBlock::Kind::code || kind == MarkdownBlock::Kind::math || kind == MarkdownBlock::Kind::thinking;
}

// Whether only the content differs, as when a block grows; the fields compared decide how a block is shown.
bool grownFrom(const MarkdownBlock& old, const MarkdownBlock& fresh) {
  return old.kind == fresh.kind && old.language == fresh.language && old.marker == fresh.marker && old.level == fresh.level &&
         old.indent == fresh.indent && old.quote == fresh.quote && old.columns == fresh.columns && old.alignments == fresh.alignments;
}

}  // namespace

int BlockModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant BlockModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const MarkdownBlock& block = m_blocks[static_cast<std::size_t>(index.row())];
  switch (role) {
    case KindRole: return kindOf(block.kind);
    case HtmlRole: return block.html;
    case Qt::DisplayRole:
    case SourceRole: return block.source;
    case VerbatimRole: return isVerbatim(block.kind) ? block.source : QString();
    case LanguageRole: return block.language;
    case LevelRole: return block.level;
    case IndentRole: return block.indent;
    case QuoteRole: return block.quote;
    case MarkerRole: return block.marker;
    case CompleteRole: return m_complete || index.row() + 1 < count();
    case ColumnsRole: return block.columns;
    case CellsRole: return block.cells;
    case AlignmentsRole: return QVariant::fromValue(block.alignments);
    case OpensListRole:
      return block.kind == MarkdownBlock::Kind::listItem &&
             (index.row() == 0 || m_blocks[static_cast<std::size_t>(index.row()) - 1].indent == 0);
    case RightToLeftRole:
      return block.kind != MarkdownBlock::Kind::code && block.kind != MarkdownBlock::Kind::math && block.source.isRightToLeft();
    default: return {};
  }
}

QHash<int, QByteArray> BlockModel::roleNames() const {
  return {{KindRole, "kind"},
          {HtmlRole, "html"},
          {SourceRole, "source"},
          {VerbatimRole, "verbatim"},
          {LanguageRole, "language"},
          {LevelRole, "level"},
          {IndentRole, "indent"},
          {QuoteRole, "quote"},
          {MarkerRole, "marker"},
          {CompleteRole, "complete"},
          {ColumnsRole, "columns"},
          {CellsRole, "cells"},
          {AlignmentsRole, "alignments"},
          {OpensListRole, "opensList"},
          {RightToLeftRole, "rightToLeft"}};
}

void BlockModel::setText(const QString& markdown, bool complete) {
  m_complete = complete;
  m_splitter.clear();
  take(m_splitter.append(markdown));
}

void BlockModel::setPlain(const QString& text) {
  m_complete = true;
  m_splitter.clear();
  replaceFrom(0, parsePlain(text));
}

void BlockModel::append(const QString& more) {
  m_complete = false;
  take(m_splitter.append(more));
}

void BlockModel::finish() {
  if (m_complete) return;
  m_complete = true;
  if (count() > 0) Q_EMIT dataChanged(index(count() - 1), index(count() - 1), {CompleteRole});
}

void BlockModel::take(const MarkdownSplitter::Change& change) { replaceFrom(change.firstChanged, change.blocks); }

void BlockModel::replaceFrom(int first, const std::vector<MarkdownBlock>& blocks) {
  const int before = count();
  const int after = first + static_cast<int>(blocks.size());
  for (int row = first; row < std::min(before, after); ++row) {
    MarkdownBlock& old = m_blocks[static_cast<std::size_t>(row)];
    const MarkdownBlock& fresh = blocks[static_cast<std::size_t>(row - first)];
    if (old == fresh) continue;
    QList<int> roles;
    if (grownFrom(old, fresh))
      roles = fresh.kind == MarkdownBlock::Kind::table ? QList<int>{CellsRole}
              : isVerbatim(fresh.kind)                 ? QList<int>{SourceRole, VerbatimRole}
                                                       : QList<int>{HtmlRole, SourceRole, RightToLeftRole};
    old = fresh;
    Q_EMIT dataChanged(index(row), index(row), roles);
    if (roles.isEmpty() && row + 1 < before) Q_EMIT dataChanged(index(row + 1), index(row + 1), {OpensListRole});
  }
  if (after < before) {
    beginRemoveRows({}, after, before - 1);
    m_blocks.resize(static_cast<std::size_t>(after));
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows({}, before, after - 1);
    m_blocks.insert(m_blocks.end(), blocks.begin() + (before - first), blocks.end());
    endInsertRows();
    if (before > 0) Q_EMIT dataChanged(index(before - 1), index(before - 1), {CompleteRole});
  }
  if (after != before) Q_EMIT countChanged();
}

}  // namespace minerva::app
