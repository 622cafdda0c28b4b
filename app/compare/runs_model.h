// List model of the stored comparisons, newest first. GUI thread only.
#pragma once

#include "app/compare/compare_store.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

namespace minerva::app {

class CompareRunsModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with CompareController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
 public:
  enum Role {
    RunIdRole = Qt::UserRole + 1,  // runId
    TitleRole,                     // title: the prompt
    ModelsRole,                    // models: "Qwen3 0.6B, Llama 3.2 1B"
    TimeRole,                      // time: "Today 12:04", "21 Nov 2026 12:04"
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : count(); }
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_runs.size()); }
  Q_INVOKABLE [[nodiscard]] qint64 idAt(int row) const;  // 0: no such row
  void set(std::vector<CompareSummary> runs);

 Q_SIGNALS:
  void countChanged();

 private:
  std::vector<CompareSummary> m_runs;
};

}  // namespace minerva::app
