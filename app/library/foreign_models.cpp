#include "app/library/foreign_models.h"

namespace minerva::app {

ForeignModels::ForeignModels(QObject* parent) : QSortFilterProxyModel(parent) {
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(this, signal, this, &ForeignModels::countChanged);
  connect(this, &QAbstractItemModel::modelReset, this, &ForeignModels::countChanged);
}

void ForeignModels::setLibrary(ModelLibrary* library) {
  if (library == sourceModel()) return;
  setSourceModel(library);
  Q_EMIT libraryChanged();
}

bool ForeignModels::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  return !index.data(ModelLibrary::SourceRole).toString().isEmpty() && !index.data(ModelLibrary::MissingRole).toBool() &&
         index.data(ModelLibrary::ProblemRole).toString().isEmpty() && index.data(ModelLibrary::WritesRole).toBool();
}

}  // namespace minerva::app
