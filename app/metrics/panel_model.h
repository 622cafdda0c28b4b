// Figures of the live panel, computed from the engine's timestamps. Updated at each change of phase, otherwise at most four
// times per second. GUI thread only.
//
// Unknown figures are NaN (or an empty list), for which Figures.* gives "". Terms as in design.md: prefill / decode, TTFT,
// TPOT. The figures are those of the reply that is running in the conversation shown, or of a measurement, which has no conversation; else
// of the one that was sent last of those that run elsewhere, because that is what the machine is doing; else of the last reply in the
// conversation shown.
#pragma once

#include "app/inference/bandwidth_book.h"
#include "app/inference/model_facts.h"
#include "app/inference/reply_source.h"
#include "app/metrics/percentiles.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QPointF>
#include <QTimer>
#include <qqmlregistration.h>

#include <limits>

namespace minerva::app {

class InferenceController;

// The figures of one reply.
struct PanelReply {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  QList<QPointF> m_history;
  double m_decodeNow = unknown, m_decodeAverage = unknown, m_prefillSpeed = unknown, m_ttftMs = unknown;
  double m_p50 = unknown, m_p95 = unknown, m_p99 = unknown;
  double m_queueMs = unknown, m_templateMs = unknown, m_tokenizeMs = unknown, m_prefillMs = unknown;
  double m_decodeMs = unknown, m_replyMs = unknown;
  int m_prefillDone = 0, m_prefillTotal = 0, m_tokens = 0, m_contextUsed = 0, m_contextReused = 0;
  int m_drafted = 0, m_accepted = 0;
  QString m_path;          // of the model that writes it; empty: none
  int m_contextTotal = 0;  // of that model
  QString m_server;        // that it runs on; empty: this program
  bool m_pieces = false;   // m_tokens and speeds are of pieces of text, because the server has not told numbers of tokens
};

// A reply that is running: its figures, and what they are computed from.
struct PanelRun {
  quint64 request = 0;
  qint64 conversation = 0;  // 0: none
  int phase = 0;            // PanelModel::Phase
  TimePoint begun{};
  std::vector<TimePoint> times;  // of the tokens
  std::vector<float> gaps;       // ms between consecutive tokens
  PanelReply reply;
};

class PanelModel : public QObject, private PanelReply {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(Phase phase READ phase NOTIFY changed)
  Q_PROPERTY(int others READ others NOTIFY changed)                       // replies that run beside the one whose figures are shown
  Q_PROPERTY(double decodeNow MEMBER m_decodeNow NOTIFY changed)          // tok/s over the last second
  Q_PROPERTY(double decodeAverage MEMBER m_decodeAverage NOTIFY changed)  // tok/s of this reply, after its first token
  Q_PROPERTY(double prefillSpeed MEMBER m_prefillSpeed NOTIFY changed)    // tok/s
  Q_PROPERTY(int prefillDone MEMBER m_prefillDone NOTIFY changed)         // prompt tokens computed, without reused ones
  Q_PROPERTY(int prefillTotal MEMBER m_prefillTotal NOTIFY changed)
  Q_PROPERTY(double ttftMs MEMBER m_ttftMs NOTIFY changed)
  Q_PROPERTY(double tpotP50 MEMBER m_p50 NOTIFY changed)  // ms per token, live
  Q_PROPERTY(double tpotP95 MEMBER m_p95 NOTIFY changed)
  Q_PROPERTY(double tpotP99 MEMBER m_p99 NOTIFY changed)
  Q_PROPERTY(int tokens MEMBER m_tokens NOTIFY changed)       // generated in this reply
  Q_PROPERTY(int drafted MEMBER m_drafted NOTIFY changed)     // tokens drafted and checked in this reply
  Q_PROPERTY(int accepted MEMBER m_accepted NOTIFY changed)   // of these, in the reply
  Q_PROPERTY(QString server MEMBER m_server NOTIFY changed)   // that writes this reply; empty: this program. Times are this program's
  Q_PROPERTY(bool pieces MEMBER m_pieces NOTIFY changed)      // tokens and speeds are of pieces of text: the server has not told more
  Q_PROPERTY(double queueMs MEMBER m_queueMs NOTIFY changed)  // phases of this reply; NaN until it has ended
  Q_PROPERTY(double templateMs MEMBER m_templateMs NOTIFY changed)
  Q_PROPERTY(double tokenizeMs MEMBER m_tokenizeMs NOTIFY changed)
  Q_PROPERTY(double prefillMs MEMBER m_prefillMs NOTIFY changed)
  Q_PROPERTY(double decodeMs MEMBER m_decodeMs NOTIFY changed)  // live
  Q_PROPERTY(double replyMs MEMBER m_replyMs NOTIFY changed)    // this reply so far, live
  Q_PROPERTY(double loadMs MEMBER m_loadMs NOTIFY changed)
  Q_PROPERTY(int contextUsed MEMBER m_contextUsed NOTIFY changed)  // tokens
  Q_PROPERTY(int contextTotal MEMBER m_contextTotal NOTIFY changed)
  Q_PROPERTY(int contextReused MEMBER m_contextReused NOTIFY changed)  // tokens of the last prompt found in the KV cache
  Q_PROPERTY(double weightBytes MEMBER m_weightBytes NOTIFY changed)
  Q_PROPERTY(double draftBytes MEMBER m_draftBytes NOTIFY changed)  // memory of the draft model
  Q_PROPERTY(double cacheBytes MEMBER m_cacheBytes NOTIFY changed)
  // part of cacheBytes that conversations and checkpoints hold; NaN until a reply has said so
  Q_PROPERTY(double cacheHeld MEMBER m_cacheHeld NOTIFY changed)
  Q_PROPERTY(QString cacheType MEMBER m_cacheType NOTIFY changed)  // "F16"; empty: no model
  Q_PROPERTY(double scratchBytes MEMBER m_scratchBytes NOTIFY changed)
  Q_PROPERTY(double processBytes MEMBER m_processBytes NOTIFY changed)  // resident memory of the whole program
  Q_PROPERTY(double machineBytes MEMBER m_machineBytes NOTIFY changed)  // RAM of this machine
  // bytes/s at which this device reads as many bytes as a token needs, and when that was measured
  Q_PROPERTY(double bandwidth MEMBER m_bandwidth NOTIFY changed)
  Q_PROPERTY(QDateTime bandwidthTime MEMBER m_bandwidthTime NOTIFY changed)
  Q_PROPERTY(double bandwidthShare MEMBER m_share NOTIFY changed)  // 0..1: bytes per token x decode speed / bandwidth
  // tok/s at full bandwidth. If the speed exceeds it, the measurement was too low: it becomes unknown and is repeated.
  Q_PROPERTY(double ceiling MEMBER m_ceiling NOTIFY changed)
  Q_PROPERTY(QList<QPointF> history READ history NOTIFY historyChanged)  // x: seconds since the first token, y: decode tok/s
 public:
  // Waiting: sent but not started.
  enum Phase { Idle, Waiting, Prefill, Decode };
  Q_ENUM(Phase)

  explicit PanelModel(ReplySource* source, InferenceController* inference, QObject* parent = nullptr);
  [[nodiscard]] Phase phase() const { return m_phase; }
  [[nodiscard]] int others() const { return m_phase == Idle ? 0 : static_cast<int>(m_runs.size()) - 1; }
  [[nodiscard]] QList<QPointF> history() const { return m_history; }
  void setBandwidth(const MeasuredBandwidth& measured);  // of the device; public for tests, otherwise set from the controller
  void setModel(const ModelFacts& model);
  void setConversation(quint64 request, qint64 conversation);  // the conversation of a request, if it has one
  void showConversation(qint64 conversation);                  // 0: a new one

 Q_SIGNALS:
  void changed();
  void historyChanged();

 private:
  void begin(quint64 request);
  void take(const ReplyUpdate& update);
  void addTokens(PanelRun& run, const ReplyUpdate& update);
  void finish(PanelRun& run, const engine::Timings& timings);
  [[nodiscard]] const PanelRun* followed() const;  // null: none runs
  void showFigures();
  void compute(PanelRun& run) const;
  void modelChanged();
  void tick();
  void refreshShare();

  InferenceController* m_inference;
  ModelFacts m_model;
  QTimer m_timer;
  Phase m_phase = Idle;
  std::vector<PanelRun> m_runs;  // in the order in which they were sent
  TimePoint m_lastTick{};
  double m_loadMs = unknown;
  double m_weightBytes = unknown, m_draftBytes = unknown, m_cacheBytes = unknown, m_cacheHeld = unknown, m_scratchBytes = unknown;
  QString m_cacheType;
  double m_processBytes = unknown, m_machineBytes = unknown;
  MeasuredBandwidth m_measured;
  QDateTime m_bandwidthTime;
  double m_bandwidth = unknown, m_share = unknown, m_ceiling = unknown;
  QHash<qint64, PanelReply> m_lastOf;  // last reply per conversation; cleared when the model changes
  qint64 m_shown = 0;
  bool m_passed = false;                // the speed exceeded the ceiling
  unsigned m_ticks = 0, m_updates = 0;  // updates since the last tick
};

}  // namespace minerva::app
