#include "app/compare/runs_model.h"

#include "app/metrics/figures.h"

namespace minerva::app {

QVariant CompareRunsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const CompareSummary& run = m_runs[static_cast<std::size_t>(index.row())];
  switch (role) {
    case RunIdRole: return run.id;
    case Qt::DisplayRole:
    case TitleRole: return run.prompt.simplified();
    case ModelsRole: return run.models;
    case TimeRole: return Figures::moment(run.created);
    default: return {};
  }
}

QHash<int, QByteArray> CompareRunsModel::roleNames() const {
  return {{RunIdRole, "runId"}, {TitleRole, "title"}, {ModelsRole, "models"}, {TimeRole, "time"}};
}

qint64 CompareRunsModel::idAt(int row) const { return row >= 0 && row < count() ? m_runs[static_cast<std::size_t>(row)].id : 0; }

void CompareRunsModel::set(std::vector<CompareSummary> runs) {
  beginResetModel();
  m_runs = std::move(runs);
  endResetModel();
  Q_EMIT countChanged();
}

}  // namespace minerva::app
