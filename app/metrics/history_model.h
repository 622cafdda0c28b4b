// List model of the stored figures, newest first, optionally filtered by model and device. GUI thread only.
#pragma once

#include "app/metrics/reply_record.h"

#include <QAbstractListModel>
#include <QHash>
#include <QVariantList>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class HistoryModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with MetricsController")
  Q_PROPERTY(int count READ count NOTIFY shownChanged)            // rows that pass the filters
  Q_PROPERTY(int total READ total NOTIFY shownChanged)            // all records, unfiltered
  Q_PROPERTY(QVariantList models READ models NOTIFY listChanged)  // filter choices [{value, title}]; value "": all
  Q_PROPERTY(QVariantList devices READ devices NOTIFY listChanged)
  Q_PROPERTY(QString model MEMBER m_model WRITE setModel NOTIFY shownChanged)     // a value of `models`
  Q_PROPERTY(QString device MEMBER m_device WRITE setDevice NOTIFY shownChanged)  // a value of `devices`
  Q_PROPERTY(bool benchmarksOnly MEMBER m_benchmarksOnly WRITE setBenchmarksOnly NOTIFY shownChanged)
  // The newest `mostPoints` rows, oldest first, for charts: [{recordId, title, format, time, benchmark, and all keys of
  // FiguresRole}].
  Q_PROPERTY(QVariantList points READ points NOTIFY shownChanged)
  // Medians over the rows: {decode, ttft, prefill}; NaN if there are none.
  Q_PROPERTY(QVariantMap medians READ medians NOTIFY shownChanged)
 public:
  enum Role {
    RecordIdRole = Qt::UserRole + 1,  // recordId
    TimeRole,                         // time: "Today 09:51", "3 Nov 2026 09:51"
    TitleRole,                        // title: the model's name
    FormatRole,                       // format, type
    TypeRole,
    DeviceRole,       // device
    BenchmarkRole,    // benchmark: true if it is one; its figures are medians
    RepetitionsRole,  // repetitions
    FiguresRole,      // figures {prompt, reused, generated, prefill, decode, ttft, p50, p95, p99, stalls, share, wall, decodeLow, ...}
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  void reset(std::vector<ReplyRecord> records);  // newest first
  void add(const ReplyRecord& record);
  [[nodiscard]] int count() const { return static_cast<int>(m_shown.size()); }
  [[nodiscard]] int total() const { return static_cast<int>(m_all.size()); }
  [[nodiscard]] QVariantList models() const;
  [[nodiscard]] QVariantList devices() const;
  [[nodiscard]] QVariantList points() const;
  [[nodiscard]] QVariantMap medians() const;
  [[nodiscard]] std::vector<ReplyRecord> shown() const;          // the rows
  [[nodiscard]] QString title(const ReplyRecord& record) const;  // the model's name, unique among the records' models
  void setModel(const QString& model);
  void setDevice(const QString& device);
  void setBenchmarksOnly(bool only);
  static constexpr int mostPoints = 120;

 Q_SIGNALS:
  void shownChanged();
  void listChanged();

 private:
  [[nodiscard]] bool passes(const ReplyRecord& record) const;
  [[nodiscard]] QString titleWithType(const ReplyRecord& record) const;
  void choose();
  void nameModels();
  std::vector<ReplyRecord> m_all;
  QHash<QString, QString> m_titles;  // by name and path
  std::vector<std::size_t> m_shown;  // indices into m_all
  QString m_model, m_device;
  bool m_benchmarksOnly = false;
};

// The figures of a record for QML; keys as in FiguresRole.
[[nodiscard]] QVariantMap figuresOf(const ReplyRecord& record);

}  // namespace minerva::app
