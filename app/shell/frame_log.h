// How long frames take, measured in the window itself.
//
// For every frame: when it was swapped, and its cost from the start of the GUI thread's work on it (the first of: new text
// delivered, animations stepped) to the swap. A 10 ms timer that comes late shows stalls of the GUI thread. Swaps are told on
// the render thread: the log is locked. Frames while `streaming` is false are counted but not judged.
#pragma once

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
    double atMs;     // since the log began
    double costMs;   // from the start of its work to its swap
    double sinceMs;  // from the swap before
    bool streaming;
  };
  struct Summary {
    int frames = 0, streamingFrames = 0;
    double longestMs = 0, p50Ms = 0, p95Ms = 0, p99Ms = 0;  // cost, of streaming frames
    double longestStallMs = 0;                             // the GUI thread's worst delay of a 10 ms timer while streaming
  };

  explicit FrameLog(QObject* parent = nullptr);
  void attach(QQuickWindow* window);
  void setStreaming(bool streaming);
  void textDelivered();   // GUI thread: the next frame's work begins here
  [[nodiscard]] Summary summary() const;
  [[nodiscard]] double recentCostMs() const;  // mean of the last 30 frames; 0: none yet
  bool write(const QString& file, const QJsonObject& reply) const;  // reply: its figures, put beside the frames'

 private:
  void beginFrame();
  void endFrame();
  void watchStalls();
  mutable std::mutex m_lock;
  std::vector<Frame> m_frames;        // guarded
  TimePoint m_start, m_frameBegun{};  // guarded
  TimePoint m_lastSwap{};             // guarded
  bool m_streaming = false;           // guarded
  TimePoint m_lastBeat{};
  double m_longestStallMs = 0;
};

}  // namespace minerva::app
