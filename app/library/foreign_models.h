// Filters the library for models to chat with that belong to other programs on this computer; shown on the first start.
#pragma once

#include "app/library/model_library.h"

#include <QSortFilterProxyModel>
#include <qqmlregistration.h>

namespace minerva::app {

class ForeignModels : public QSortFilterProxyModel {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(minerva::app::ModelLibrary* library READ library WRITE setLibrary NOTIFY libraryChanged)
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  explicit ForeignModels(QObject* parent = nullptr);
  [[nodiscard]] ModelLibrary* library() const { return qobject_cast<ModelLibrary*>(sourceModel()); }
  void setLibrary(ModelLibrary* library);
  [[nodiscard]] int count() const { return rowCount(); }

 Q_SIGNALS:
  void libraryChanged();
  void countChanged();

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

}  // namespace minerva::app
