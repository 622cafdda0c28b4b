// List model of the columns of the comparison page: the chosen models and their results so far. GUI thread only.
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
  Q_PROPERTY(int finished READ finished NOTIFY updated)  // columns
  Q_PROPERTY(int compared READ compared NOTIFY updated)  // of these, those that could be measured against the reference
 public:
  enum Stage { Waiting, Loading, Reading, Writing, Measuring, Done, Stopped, Failed };
  Q_ENUM(Stage)
  enum Role {
    NameRole = Qt::UserRole + 1,  // name
    PathRole,                     // path; of a server's model, the server's name
    FormatRole,                   // format: "GGUF"; "Server": the model of one
    TypeRole,                     // type: "Q4_K", "4-bit g64"
    LabelRole,                    // label: the name, extended if it is not unique
    StageRole,                    // stage
    StageTextRole,                // stageText: "Loading", "Measuring distances"; "" if done or failed
    ProgressRole,                 // progress: 0..1; -1: unknown
    ReferenceRole,                // reference: true for the column the others are measured against
    FiguresRole,                  // figures: {load, ttft, prefill, decode, p50, p95, memory, disk, bits, kl, kl99, top1, perplexity};
                                  // NaN: unknown
    BestRole,                     // best: same keys as figures; true if no column is better and at least one is worse
    SpeedsRole,                   // speeds: points (seconds, tok/s)
    PiecesRole,                   // pieces: so far, speeds are of pieces of text
    TextRole,                     // text: reply to the shown prompt
    MarkStartRole,                // markStart: offset in text of the first token that differs; -1: none
    MarkLengthRole,               // markLength: its length
    TokensRole,                   // tokens: number of tokens of the shown reply
    DifferenceRole,               // difference: {step, referenceToken, ownToken, referenceInReference, ...}; step -1: none
    NotesRole,                    // notes
    ErrorRole,                    // error: errorInfo
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_columns.size()); }
  [[nodiscard]] int finished() const;
  [[nodiscard]] int compared() const;

  [[nodiscard]] const std::vector<CompareColumn>& columns() const { return m_columns; }
  void set(std::vector<CompareColumn> columns);     // replaces the columns
  void update(std::vector<CompareColumn> columns);  // new progress of the same columns
  void add(const CompareModel& model);
  void remove(int row);
  void showPrompt(int prompt);

 Q_SIGNALS:
  void countChanged();
  void updated();

 private:
  [[nodiscard]] const CompareReply* reply(int row) const;  // reply to the shown prompt; null if not begun
  void describeColumns();
  std::vector<CompareColumn> m_columns;
  QStringList m_labels;             // one per column
  std::vector<QVariantMap> m_best;  // one per column
  int m_prompt = 0;
};

// The value of FiguresRole; keys as in figureTable.
[[nodiscard]] QVariantMap figuresMap(const CompareFigures& figures);

}  // namespace minerva::app
