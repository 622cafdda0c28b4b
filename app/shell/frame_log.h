// Measures frame times in the real window, without causing any wake-ups itself.
//
// For every frame: when it was swapped, and its cost from the start of the GUI thread's work on it (the first of: new text
// delivered, animations stepped) to the swap. Late text delivery indicates stalls of the GUI thread. Thread-safe, since
// swaps are signalled on the render thread. Frames while `streaming` is false are counted but not included in the
// statistics.
#pragma once

#include "app/inference/reply_source.h"
#include "core/base/clock.h"

#include <QJsonObject>
#include <QObject>
#include <QQuickWindow>

#include <mutex>
#include <vector>

namespace minerva::app {

class FrameLog : public QObject {
  Q_OBJECT
 public:
  struct Frame {
    double atMs;     // since the log was created
    double costMs;   // from the start of the GUI thread's work to the swap
    double sinceMs;  // since the previous swap
    bool streaming;
  };
  struct Summary {
    int frames = 0, streamingFrames = 0;
    double longestMs = 0, p50Ms = 0, p95Ms = 0, p99Ms = 0;  // cost of streaming frames
    double longestStallMs = 0;                              // largest delay of text delivery
  };

  explicit FrameLog(QObject* parent = nullptr);
  void attach(QQuickWindow* window);
  void setStreaming(bool streaming);
  void textDelivered(double lateMs);  // GUI thread: work on the next frame starts now, lateMs after it was due
  [[nodiscard]] Summary summary() const;
  void tokensMade(const std::vector<TokenMark>& tokens);
  // CPU time of this thread per frame with new text, as a moving average; 0: none yet. It covers the whole frame only if Qt
  // renders on the GUI thread, as its software renderer does.
  [[nodiscard]] double recentCpuMs() const;
  bool write(const QString& file, const QJsonObject& reply) const;  // reply: its figures, written next to the frames

 private:
  void beginFrame();
  void endFrame();
  mutable std::mutex m_lock;
  std::vector<Frame> m_frames;        // guarded
  std::vector<TimePoint> m_tokens;    // guarded; when the engine produced them
  TimePoint m_start, m_frameBegun{};  // guarded
  TimePoint m_lastSwap{};             // guarded
  double m_cpuBegunMs = -1;           // guarded; CPU time of this thread at text delivery; negative: no text in this frame
  double m_cpuMs = 0;                 // guarded
  double m_longestStallMs = 0;        // guarded
  bool m_drawsHere = false;           // guarded; rendering is on the GUI thread
  bool m_streaming = false;           // guarded
};

}  // namespace minerva::app
