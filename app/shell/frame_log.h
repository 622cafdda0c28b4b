// How long frames take, measured in the window itself, without a wake-up of its own.
//
// For every frame: when it was swapped, and its cost from the start of the GUI thread's work on it (the first of: new text
// delivered, animations stepped) to the swap. How late text is delivered shows stalls of the GUI thread. Swaps are told on
// the render thread: the log is locked. Frames while `streaming` is false are counted but not judged.
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
    double atMs;     // since the log began
    double costMs;   // from the start of its work to its swap
    double sinceMs;  // from the swap before
    bool streaming;
  };
  struct Summary {
    int frames = 0, streamingFrames = 0;
    double longestMs = 0, p50Ms = 0, p95Ms = 0, p99Ms = 0;  // cost, of streaming frames
    double longestStallMs = 0;                              // the most that text was delivered late
  };

  explicit FrameLog(QObject* parent = nullptr);
  void attach(QQuickWindow* window);
  void setStreaming(bool streaming);
  void textDelivered(double lateMs);  // GUI thread: the next frame's work begins here, lateMs after it should have
  [[nodiscard]] Summary summary() const;
  void tokensMade(const std::vector<TokenMark>& tokens);
  // Processor time of a frame with new text on this thread, mean of the last few; 0: none yet. It is the whole frame only
  // where Qt draws on the GUI thread, as its software renderer does.
  [[nodiscard]] double recentCpuMs() const;
  bool write(const QString& file, const QJsonObject& reply) const;  // reply: its figures, put beside the frames'

 private:
  void beginFrame();
  void endFrame();
  mutable std::mutex m_lock;
  std::vector<Frame> m_frames;        // guarded
  std::vector<TimePoint> m_tokens;    // guarded; when the engine had them
  TimePoint m_start, m_frameBegun{};  // guarded
  TimePoint m_lastSwap{};             // guarded
  double m_cpuBegunMs = -1;           // guarded; of the GUI thread, when text was delivered; negative: no text in this frame
  double m_cpuMs = 0;                 // guarded
  double m_longestStallMs = 0;        // guarded
  bool m_drawsHere = false;           // guarded; swaps come on the GUI thread
  bool m_streaming = false;           // guarded
};

}  // namespace minerva::app
