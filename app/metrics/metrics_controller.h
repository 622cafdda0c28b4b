// The metrics page: what was kept of replies, one of them in full, and what it costs to measure more. GUI thread only.
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
  // The record that is shown in full: {recordId, title, format, type, device, time, benchmark, repetitions, end, figures (as
  // HistoryModel's role), phases {queue, load, ...: ms}, wall, unaccounted}. Empty: none.
  Q_PROPERTY(QVariantMap shown READ shown NOTIFY shownChanged)
  Q_PROPERTY(bool missing READ isMissing NOTIFY shownChanged)              // a message was asked for of which nothing was kept
  Q_PROPERTY(QList<QPointF> intervals READ intervals NOTIFY shownChanged)  // of the shown one: x token, y ms since the one before
  Q_PROPERTY(QList<QPointF> stalls READ stalls NOTIFY shownChanged)        // those of them that stand out
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY errorChanged)
  Q_PROPERTY(QString said READ said NOTIFY saidChanged)  // what became of the last export
 public:
  // file: the database.
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
  Q_INVOKABLE void openMessage(qint64 messageId);
  Q_INVOKABLE void forgetAll();
  Q_INVOKABLE void dismissError();
  // The rows of `history`. kind: "csv" or "json". False: see error.
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
  void setError(const ErrorInfo& error);
  HistoryModel m_history;
  Benchmark m_benchmark;
  MetricsArchive m_archive;
  QVariantMap m_shown;
  QList<QPointF> m_intervals, m_stalls;
  ErrorInfo m_error;
  QString m_said;
  bool m_missing = false;
  bool m_following = true;  // the newest is shown, until another is chosen
};

// A graph of so many points at most that loses no peak: x token, y the longest interval there.
[[nodiscard]] QList<QPointF> intervalPoints(const std::vector<float>& intervals, int most);

}  // namespace minerva::app
