// The columns of the comparison on the page: chosen models, then what each has so far. GUI thread only.
#pragma once

#include "app/compare/compare_types.h"

#include <QAbstractListModel>
#include <QVariantMap>
#include <qqmlregistration.h>

namespace minerva::app {

class ColumnModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with CompareController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int compared READ compared NOTIFY updated)  // columns that came through beside the reference
 public:
  enum Stage { Waiting, Loading, Reading, Writing, Measuring, Done, Stopped, Failed };
  Q_ENUM(Stage)
  enum Role {
    NameRole = Qt::UserRole + 1,  // name
    PathRole,                     // path
    FormatRole,                   // format: "GGUF"
    TypeRole,                     // type: "Q4_K", "4-bit g64"
    LabelRole,                    // label: the name, and more of it where two columns have the same one
    StageRole,                    // stage
    StageTextRole,                // stageText: "Loading", "Measuring"; "" when done
    ProgressRole,                 // progress: 0..1; -1: not known
    ReferenceRole,                // reference: the others are measured against it
    FiguresRole,                  // figures: {load, ttft, prefill, decode, p50, p95, memory, disk, bits, kl, kl99, top1, perplexity};
                                  // NaN: not known
    BestRole,                     // best: the same keys: true where no other column is better (and one is worse)
    SpeedsRole,                   // speeds: points, seconds and tok/s
    TextRole,                     // text: of the shown prompt's reply
    MarkStartRole,                // markStart: of the token that differs; -1: none
    MarkLengthRole,               // markLength
    TokensRole,                   // tokens: of the shown reply
    DifferenceRole,               // difference: {step, referenceToken, ownToken, referenceInReference, ...}; step -1: none
    NotesRole,                    // notes
    ErrorRole,                    // error: errorInfo
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_columns.size()); }
  [[nodiscard]] int compared() const;

  [[nodiscard]] const std::vector<CompareColumn>& columns() const { return m_columns; }
  void set(std::vector<CompareColumn> columns);     // other columns
  void update(std::vector<CompareColumn> columns);  // the same, further on
  void add(const CompareModel& model);
  void remove(int row);
  void showPrompt(int prompt);

 Q_SIGNALS:
  void countChanged();
  void updated();

 private:
  [[nodiscard]] const CompareReply* reply(int row) const;  // null: not begun
  void describeColumns();
  std::vector<CompareColumn> m_columns;
  QStringList m_labels;             // one a column
  std::vector<QVariantMap> m_best;  // likewise
  int m_prompt = 0;
};

// The keys of role `figures`, in the order of the table.
[[nodiscard]] QVariantMap figuresMap(const CompareFigures& figures);

}  // namespace minerva::app
