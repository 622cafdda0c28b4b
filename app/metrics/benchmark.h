// The speed of the loaded model, as `minerva-bench speed` measures it, through the same requests as the chat's: one to warm
// up, then some repetitions of a random prompt and a reply of fixed length. GUI thread only.
//
// Prompts are new ones each time, so that nothing of them is in the cache; what a conversation had there is gone afterwards.
#pragma once

#include "app/inference/error_info.h"
#include "app/metrics/reply_recorder.h"

#include <QObject>
#include <QSet>
#include <qqmlregistration.h>

#include <random>
#include <vector>

namespace minerva::app {

class Benchmark : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with MetricsController")
  Q_PROPERTY(bool canRun READ canRun NOTIFY changed)  // a model is loaded and nothing runs on it
  Q_PROPERTY(bool running READ isRunning NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY changed)  // 0..1; never falls during a run
  Q_PROPERTY(QString stage READ stage NOTIFY changed)       // "Warming up", "Repetition 2 of 5"
  Q_PROPERTY(minerva::app::ErrorInfo error READ error NOTIFY changed)
 public:
  static constexpr int promptTokens = 512, decodeTokens = 128, repetitions = 5;

  Benchmark(ReplySource* source, const ReplyRecorder* recorder, QObject* parent = nullptr);
  [[nodiscard]] bool canRun() const;
  [[nodiscard]] bool isRunning() const { return m_ticket != 0; }
  [[nodiscard]] double progress() const { return m_progress; }
  [[nodiscard]] QString stage() const;
  [[nodiscard]] const ErrorInfo& error() const { return m_error; }

  Q_INVOKABLE void run();
  Q_INVOKABLE void cancel();  // nothing is kept
  Q_INVOKABLE void dismissError();

 Q_SIGNALS:
  void changed();
  void measured(const minerva::app::ReplyRecord& record);

 private:
  void next();
  void take(const ReplyUpdate& update);
  void takeRepetition(const engine::Timings& timings);
  void finish();
  [[nodiscard]] int promptLength() const;

  ReplySource* m_source;
  const ReplyRecorder* m_recorder;
  QSet<quint64> m_active;  // every request that runs
  quint64 m_ticket = 0;    // of the repetition that runs; 0: none
  int m_done = -1;         // repetitions; -1: warming up
  int m_tokens = 0;        // of this repetition
  double m_progress = 0;
  bool m_cancelled = false;
  std::vector<engine::Timings> m_timings;
  std::shared_ptr<const Subject> m_subject;  // what the last repetition ran on
  std::vector<float> m_intervals;
  std::mt19937_64 m_random{1};
  quint64 m_conversation = 0;
  ErrorInfo m_error;
};

}  // namespace minerva::app
