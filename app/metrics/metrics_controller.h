// Controller of the metrics page: history of stored replies, one record in full, benchmark and export. GUI thread only.
#pragma once

#include "app/inference/error_info.h"
#include "app/metrics/benchmark.h"
#include "app/metrics/history_model.h"
#include "app/metrics/metrics_archive.h"
#include "app/metrics/reply_recorder.h"

#include <QObject>
#include <QPointF>
#include <QUrl>
#include <QVariantMap>
#include <qqmlregistration.h>

namespace minerva::app {

class MetricsController : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(minerva::app::HistoryModel* history READ history CONSTANT)
  Q_PROPERTY(minerva::app::Benchmark* benchmark READ benchmark CONSTANT)
  // The record shown in full: {recordId, title, format, type, device, time, benchmark, repetitions, end, figures (keys as in
  // HistoryModel's FiguresRole), phases {queue, load, ...: ms}, wall, unaccounted}. Empty: none.
  Q_PROPERTY(QVariantMap shown READ shown NOTIFY shownChanged)
  Q_PROPERTY(bool missing READ isMissing NOTIFY shownChanged)              // the requested record does not exist
  Q_PROPERTY(QList<QPointF> intervals READ intervals NOTIFY shownChanged)  // of `shown`: x token, y ms since the previous one
  Q_PROPERTY(QList<QPointF> stalls READ stalls NOTIFY shownChanged)        // the unusually long ones (stallsIn)
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY errorChanged)
  Q_PROPERTY(QString said READ said NOTIFY saidChanged)  // result of the last export, for the user
 public:
  // file: path of the database. source and recorder: not owned.
  MetricsController(ReplySource* source, ReplyRecorder* recorder, const QString& file, QObject* parent = nullptr);

  [[nodiscard]] HistoryModel* history() { return &m_history; }
  [[nodiscard]] Benchmark* benchmark() { return &m_benchmark; }
  [[nodiscard]] QVariantMap shown() const { return m_shown; }
  [[nodiscard]] bool isMissing() const { return m_missing; }
  [[nodiscard]] QList<QPointF> intervals() const { return m_intervals; }
  [[nodiscard]] QList<QPointF> stalls() const { return m_stalls; }
  [[nodiscard]] const ErrorInfo& error() const { return m_error; }
  [[nodiscard]] QString said() const { return m_said; }

  Q_INVOKABLE void open(qint64 recordId);
  void openMessage(qint64 messageId);
  Q_INVOKABLE void dismissError();
  // Exports the rows of `history`. kind: "csv" or "json". Returns false on failure and sets `error`.
  Q_INVOKABLE bool exportTo(const QUrl& file, const QString& kind);
  void keep(const ReplyRecord& record) { m_archive.add(record); }

 Q_SIGNALS:
  void shownChanged();
  void errorChanged();
  void saidChanged();

 private:
  void takeList(const std::vector<ReplyRecord>& records);
  void takeNew(const ReplyRecord& record);
  void show(const std::optional<ReplyRecord>& record);
  void setSaid(const QString& said);
  void setError(const ErrorInfo& error);
  HistoryModel m_history;
  Benchmark m_benchmark;
  MetricsArchive m_archive;
  QVariantMap m_shown;
  QList<QPointF> m_intervals, m_stalls;
  ErrorInfo m_error;
  QString m_said;
  bool m_missing = false;
  bool m_following = true;  // show new records as they are added, until an older one is opened
};

// Downsamples intervals to at most `most` points without losing peaks: x is the token, y the longest interval of its bucket.
[[nodiscard]] QList<QPointF> intervalPoints(const std::vector<float>& intervals, int most);

}  // namespace minerva::app
