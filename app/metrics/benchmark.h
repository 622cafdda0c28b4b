// Measures the speed of the loaded model like `minerva-bench speed`, using the same kind of requests as the chat: one warm-up,
// then several repetitions of a random prompt and a reply of fixed length. GUI thread only.
//
// Each repetition has a new prompt, so that nothing of it is in the KV cache. This evicts cached conversations.
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
  Q_PROPERTY(bool canRun READ canRun NOTIFY changed)  // a model is loaded and idle
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
  Q_INVOKABLE void cancel();  // the measurement is discarded
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
  QSet<quint64> m_active;  // all running requests
  quint64 m_ticket = 0;    // of the running repetition; 0: none
  int m_done = -1;         // finished repetitions; -1: warming up
  int m_tokens = 0;        // generated in this repetition
  double m_progress = 0;
  bool m_cancelled = false;
  std::vector<engine::Timings> m_timings;
  std::shared_ptr<const Subject> m_subject;  // model and device of the last repetition
  std::vector<float> m_intervals;
  std::mt19937_64 m_random{1};
  quint64 m_conversation = 0;
  ErrorInfo m_error;
};

}  // namespace minerva::app
