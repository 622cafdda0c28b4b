#include "app/compare/column_model.h"

#include "app/compare/compare_labels.h"
#include "app/compare/figure_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::app {
namespace {

// The best value of the columns that have the figure; NaN if all are equal.
double bestOf(const std::vector<CompareColumn>& columns, const FigureRow& row) {
  double low = INFINITY, high = -INFINITY;
  for (const CompareColumn& column : columns) {
    const double value = column.figures.*row.value;
    if (std::isnan(value) || (row.distance && column.reference)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low < high)) return unknownFigure;
  return row.better == FigureRow::Better::lower ? low : high;
}

QVariantMap differenceMap(const CompareReply* reply) {
  if (reply == nullptr) return {{QStringLiteral("step"), -1}};
  return {{QStringLiteral("step"), reply->differsAt},
          {QStringLiteral("referenceToken"), reply->referenceToken},
          {QStringLiteral("ownToken"), reply->ownToken},
          {QStringLiteral("referenceInReference"), reply->referenceInReference},
          {QStringLiteral("ownInReference"), reply->ownInReference},
          {QStringLiteral("referenceInOwn"), reply->referenceInOwn},
          {QStringLiteral("ownInOwn"), reply->ownInOwn}};
}

}  // namespace

QVariantMap figuresMap(const CompareFigures& figures) {
  QVariantMap map;
  for (const FigureRow& row : figureTable) map.insert(QString::fromLatin1(row.key), figures.*row.value);
  return map;
}

int ColumnModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

int ColumnModel::finished() const { return static_cast<int>(std::ranges::count(m_columns, ColumnStage::done, &CompareColumn::stage)); }

int ColumnModel::compared() const {
  return static_cast<int>(std::count_if(m_columns.begin(), m_columns.end(), [](const CompareColumn& column) {
    return column.stage == ColumnStage::done && !column.reference && column.model.server.isEmpty();
  }));
}

const CompareReply* ColumnModel::reply(int row) const {
  const CompareColumn& column = m_columns[static_cast<std::size_t>(row)];
  const auto prompt = static_cast<std::size_t>(m_prompt);
  return prompt < column.replies.size() ? &column.replies[prompt] : nullptr;
}

namespace {

QString stageText(const CompareColumn& column) {
  const QString& server = column.model.server;
  switch (column.stage) {
    case ColumnStage::waiting: return ColumnModel::tr("Waiting");
    case ColumnStage::loading: return ColumnModel::tr("Loading");
    case ColumnStage::reading:
      return server.isEmpty() ? ColumnModel::tr("Reading the prompt") : ColumnModel::tr("Waiting for %1").arg(server);
    case ColumnStage::writing: return ColumnModel::tr("Writing");
    case ColumnStage::measuring: return ColumnModel::tr("Measuring distances");
    case ColumnStage::stopped: return ColumnModel::tr("Stopped");
    case ColumnStage::done:
    case ColumnStage::failed: break;
  }
  return {};
}

}  // namespace

QVariant ColumnModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const CompareColumn& column = m_columns[static_cast<std::size_t>(index.row())];
  const CompareReply* shown = reply(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case NameRole: return column.model.name;
    case PathRole: return column.model.server.isEmpty() ? column.model.path : column.model.server;
    case FormatRole: return column.model.server.isEmpty() ? column.model.format : tr("Server");
    case TypeRole: return column.model.type;
    case LabelRole: return m_labels[index.row()];
    case StageRole: return static_cast<int>(column.stage);
    case StageTextRole: return stageText(column);
    case ProgressRole: return column.progress;
    case ReferenceRole: return column.reference;
    case FiguresRole: return figuresMap(column.figures);
    case BestRole: return m_best[static_cast<std::size_t>(index.row())];
    case SpeedsRole: return QVariant::fromValue(column.speeds);
    case PiecesRole: return column.pieces;
    case TextRole: return shown != nullptr ? shown->text : QString();
    case MarkStartRole: return shown != nullptr ? shown->markStart : -1;
    case MarkLengthRole: return shown != nullptr ? shown->markLength : 0;
    case TokensRole: return shown != nullptr ? shown->count() : 0;
    case DifferenceRole: return differenceMap(shown);
    case NotesRole: return column.notes;
    case ErrorRole: return QVariant::fromValue(column.error);
    default: return {};
  }
}

QHash<int, QByteArray> ColumnModel::roleNames() const {
  return {{NameRole, "name"},           {PathRole, "path"},
          {FormatRole, "format"},       {TypeRole, "type"},
          {LabelRole, "label"},         {StageRole, "stage"},
          {StageTextRole, "stageText"}, {ProgressRole, "progress"},
          {ReferenceRole, "reference"}, {FiguresRole, "figures"},
          {BestRole, "best"},           {SpeedsRole, "speeds"},
          {PiecesRole, "pieces"},       {TextRole, "text"},
          {MarkStartRole, "markStart"}, {MarkLengthRole, "markLength"},
          {TokensRole, "tokens"},       {DifferenceRole, "difference"},
          {NotesRole, "notes"},         {ErrorRole, "error"}};
}

void ColumnModel::describeColumns() {
  m_labels = labelsOf(m_columns);
  m_best.assign(m_columns.size(), {});
  for (const FigureRow& row : figureTable) {
    const double best = bestOf(m_columns, row);
    for (std::size_t i = 0; i < m_columns.size(); ++i)
      m_best[i].insert(QString::fromLatin1(row.key), m_columns[i].figures.*row.value == best && !(row.distance && m_columns[i].reference));
  }
}

void ColumnModel::set(std::vector<CompareColumn> columns) {
  beginResetModel();
  m_columns = std::move(columns);
  m_prompt = 0;
  describeColumns();
  endResetModel();
  Q_EMIT countChanged();
  Q_EMIT updated();
}

void ColumnModel::update(std::vector<CompareColumn> columns) {
  if (columns.size() != m_columns.size()) return set(std::move(columns));
  m_columns = std::move(columns);
  describeColumns();
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1));
  Q_EMIT updated();
}

void ColumnModel::add(const CompareModel& model) {
  beginInsertRows({}, count(), count());
  m_columns.emplace_back().model = model;
  describeColumns();
  endInsertRows();
  Q_EMIT dataChanged(index(0), index(count() - 1), {LabelRole});
  Q_EMIT countChanged();
}

void ColumnModel::remove(int row) {
  if (row < 0 || row >= count()) return;
  beginRemoveRows({}, row, row);
  m_columns.erase(m_columns.begin() + row);
  describeColumns();
  endRemoveRows();
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {LabelRole});
  Q_EMIT countChanged();
}

void ColumnModel::showPrompt(int prompt) {
  m_prompt = prompt;
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {TextRole, MarkStartRole, MarkLengthRole, TokensRole, DifferenceRole});
}

}  // namespace minerva::app
