// The benchmark with charts, as the metrics page shows it: what is measured, its progress, the charts of a report, those that are kept.
//
// It measures the chosen model with an instance of its own, as `minerva-bench speed` does: each number of conversations at the smallest
// depth, and each depth with the fewest conversations. GUI thread only.
#pragma once

#include "app/inference/error_info.h"
#include "app/inference/model_facts.h"
#include "app/library/load_forecast.h"
#include "app/speed/speed_folder.h"
#include "app/speed/speed_job.h"

#include <QObject>
#include <QSet>
#include <QTimer>
#include <QUrl>
#include <QVariantList>
#include <QVariantMap>
#include <qqmlregistration.h>

namespace minerva::app {

class SpeedBenchmark : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(QString model READ model NOTIFY changed)           // that would be measured; "": none
  Q_PROPERTY(QVariantList batches READ batches NOTIFY changed)  // to choose from: {value, chosen, possible}
  Q_PROPERTY(QVariantList depths READ depths NOTIFY changed)
  Q_PROPERTY(int modelContext READ modelContext NOTIFY changed)            // its maximum, which bounds the depths
  Q_PROPERTY(minerva::app::LoadForecast* forecast READ forecast CONSTANT)  // of the memory that the choice takes
  Q_PROPERTY(int measurements READ measurements NOTIFY changed)            // that the choice makes
  Q_PROPERTY(bool canRun READ canRun NOTIFY changed)
  Q_PROPERTY(QString whyNot READ whyNot NOTIFY changed)  // a sentence; "": it can, or it is running
  Q_PROPERTY(bool running READ isRunning NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY changed)  // 0..1, never falls during a run
  Q_PROPERTY(QString stage READ stage NOTIFY changed)
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
  // The report on the page: that of the run, then the one that was opened. As speed_charts.h makes them.
  Q_PROPERTY(QVariantMap subject READ subject NOTIFY shownChanged)
  Q_PROPERTY(QVariantList charts READ charts NOTIFY shownChanged)
  Q_PROPERTY(QVariantList table READ table NOTIFY shownChanged)
  Q_PROPERTY(QVariantList kept READ kept NOTIFY keptChanged)              // newest first: {file, model, format, type, time, shown}
  Q_PROPERTY(QString removedName READ removedName NOTIFY removedChanged)  // of the report that undoRemove() brings back; "": none
  Q_PROPERTY(QString said READ said NOTIFY saidChanged)                   // result of the last export
 public:
  static constexpr int promptTokens = 128, decodeTokens = 64, repetitions = 3;

  // folder: of the kept reports. backend: as for all models.
  SpeedBenchmark(const QString& folder, BackendOptions backend, QObject* parent = nullptr);
  ~SpeedBenchmark() override;

  void setModel(const ModelFacts& model);
  void setPreferences(const LoadPreferences& preferences);
  void setBusy(const QString& why);  // another part of the program is computing; "": none

  [[nodiscard]] QString model() const { return m_model.isSet() ? m_model.name : QString(); }
  [[nodiscard]] QVariantList batches() const;
  [[nodiscard]] QVariantList depths() const;
  [[nodiscard]] int modelContext() const { return m_model.modelContext; }
  [[nodiscard]] LoadForecast* forecast() { return &m_forecast; }
  [[nodiscard]] int measurements() const { return static_cast<int>(tasks().size()); }
  [[nodiscard]] bool canRun() const { return !isRunning() && whyNot().isEmpty(); }
  [[nodiscard]] QString whyNot() const;
  [[nodiscard]] bool isRunning() const { return m_state.running; }
  [[nodiscard]] double progress() const { return m_state.progress; }
  [[nodiscard]] QString stage() const;
  [[nodiscard]] const ErrorInfo& error() const { return m_error; }
  [[nodiscard]] QVariantMap subject() const { return m_subject; }
  [[nodiscard]] QVariantList charts() const { return m_charts; }
  [[nodiscard]] QVariantList table() const { return m_table; }
  [[nodiscard]] QVariantList kept() const;
  [[nodiscard]] QString removedName() const { return m_removedName; }
  [[nodiscard]] QString said() const { return m_said; }

  // Adds it to the choice or takes it away; one of each kind always stays.
  Q_INVOKABLE void toggleBatch(int batch);
  Q_INVOKABLE void toggleDepth(int depth);
  Q_INVOKABLE void run();
  Q_INVOKABLE void cancel();  // what was measured is shown but not kept
  Q_INVOKABLE void open(const QString& file);
  Q_INVOKABLE void remove(const QString& file);  // deleted by dismissUndo(), the next remove() or the program's end; not listed until then
  Q_INVOKABLE void undoRemove();
  Q_INVOKABLE void dismissUndo();
  Q_INVOKABLE void dismissError();
  // The report that is shown. kind: "json", "md" or "svg". Returns false on failure and sets `error`.
  Q_INVOKABLE bool exportTo(const QUrl& file, const QString& kind);

 Q_SIGNALS:
  void changed();
  void runningChanged();
  void shownChanged();
  void keptChanged();
  void saidChanged();
  void removedChanged();

 private:
  [[nodiscard]] bool isPossible(int depth) const;
  [[nodiscard]] std::vector<int> chosenDepths() const;
  [[nodiscard]] std::vector<speed::SpeedTask> tasks() const;
  [[nodiscard]] QVariantList choices(std::span<const int> all, const QSet<int>& chosen, bool areDepths) const;
  void toggle(QSet<int>& chosen, std::span<const int> all, int value);
  void look();
  void show(const speed::SpeedReport& report, const QString& file);
  void askForecast();
  void setSaid(const QString& said);
  void setError(const ErrorInfo& error);
  void setRemoved(const QString& file, const QString& name);

  BackendOptions m_backend;
  ModelFacts m_model;
  LoadPreferences m_preferences;
  QString m_busy, m_said, m_file;  // m_file: of the report that is shown; "": it is not kept
  QSet<int> m_chosenBatches{1, 2, 4, 8}, m_chosenDepths{0, 512, 2048};
  LoadForecast m_forecast;
  std::vector<speed::SpeedTask> m_tasks;  // of the run
  SpeedState m_state;
  bool m_disturbed = false;  // the run, by other work of this program
  speed::SpeedReport m_shown;
  QVariantMap m_subject;
  QVariantList m_charts, m_table;
  std::vector<KeptReport> m_kept;    // without m_removed
  QString m_removed, m_removedName;  // a file; "": none
  ErrorInfo m_error;
  QTimer m_timer;
  SpeedFolder m_folder;
  SpeedJob m_job;  // last member: stopped before the others are destroyed
};

}  // namespace minerva::app
