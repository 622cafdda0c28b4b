#include "app/shell/frame_log.h"

#include "core/base/percentile.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QThread>

#include <time.h>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr std::size_t mostFrames = 1'000'000;
constexpr double newestCounts = 0.2;  // weight of the newest frame in the moving average

double threadCpuMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

FrameLog::FrameLog(QObject* parent) : QObject(parent), m_start(Clock::now()) {}

void FrameLog::attach(QQuickWindow* window) {
  // afterAnimating is emitted on the GUI thread before polish, frameSwapped on the render thread after the swap.
  connect(window, &QQuickWindow::afterAnimating, this, &FrameLog::beginFrame, Qt::DirectConnection);
  connect(window, &QQuickWindow::frameSwapped, this, &FrameLog::endFrame, Qt::DirectConnection);
}

void FrameLog::setStreaming(bool streaming) {
  const std::scoped_lock guard(m_lock);
  m_streaming = streaming;
}

void FrameLog::textDelivered(double lateMs) {
  beginFrame();
  const std::scoped_lock guard(m_lock);
  if (m_cpuBegunMs < 0) m_cpuBegunMs = threadCpuMs();
  if (m_streaming) m_longestStallMs = std::max(m_longestStallMs, lateMs);
}

void FrameLog::tokensMade(const std::vector<TokenMark>& tokens) {
  const std::scoped_lock guard(m_lock);
  if (m_tokens.size() >= mostFrames) return;
  for (const TokenMark& token : tokens) m_tokens.push_back(token.time);
}

// A repaint that only the window system requested does not emit frameSwapped. If rendering is on this thread, such a frame
// is finished when this function is called again, and a new frame starts here (unless text was already delivered for it).
void FrameLog::beginFrame() {
  const std::scoped_lock guard(m_lock);
  const bool over = m_drawsHere && m_cpuBegunMs < 0;
  if (m_frameBegun == TimePoint{} || over) m_frameBegun = Clock::now();
}

void FrameLog::endFrame() {
  const std::scoped_lock guard(m_lock);
  const TimePoint now = Clock::now();
  if (m_frameBegun != TimePoint{} && m_frames.size() < mostFrames)
    m_frames.push_back({millisecondsBetween(m_start, now), millisecondsBetween(m_frameBegun, now),
                        m_lastSwap == TimePoint{} ? 0 : millisecondsBetween(m_lastSwap, now), m_streaming});
  m_drawsHere = QThread::currentThread() == thread();
  if (m_cpuBegunMs >= 0 && m_drawsHere) {
    const double cost = threadCpuMs() - m_cpuBegunMs;
    m_cpuMs = m_cpuMs > 0 ? m_cpuMs + newestCounts * (cost - m_cpuMs) : cost;
  }
  m_cpuBegunMs = -1;
  m_frameBegun = {};
  m_lastSwap = now;
}

FrameLog::Summary FrameLog::summary() const {
  const std::scoped_lock guard(m_lock);
  std::vector<double> costs;
  for (const Frame& frame : m_frames)
    if (frame.streaming) costs.push_back(frame.costMs);
  std::sort(costs.begin(), costs.end());
  Summary summary;
  summary.frames = static_cast<int>(m_frames.size());
  summary.streamingFrames = static_cast<int>(costs.size());
  summary.longestMs = costs.empty() ? 0 : costs.back();
  summary.p50Ms = nearestRank(costs, 50);
  summary.p95Ms = nearestRank(costs, 95);
  summary.p99Ms = nearestRank(costs, 99);
  summary.longestStallMs = m_longestStallMs;
  return summary;
}

double FrameLog::recentCpuMs() const {
  const std::scoped_lock guard(m_lock);
  return m_cpuMs;
}

bool FrameLog::write(const QString& file, const QJsonObject& reply) const {
  const Summary s = summary();
  QJsonArray frames, tokens;
  {
    const std::scoped_lock guard(m_lock);
    for (const TimePoint token : m_tokens) tokens.append(millisecondsBetween(m_start, token));
    for (const Frame& frame : m_frames) frames.append(QJsonArray{frame.atMs, frame.costMs, frame.sinceMs, frame.streaming});
  }
  const QJsonObject root{{QStringLiteral("frames"), s.frames},
                         {QStringLiteral("streaming_frames"), s.streamingFrames},
                         {QStringLiteral("longest_ms"), s.longestMs},
                         {QStringLiteral("p50_ms"), s.p50Ms},
                         {QStringLiteral("p95_ms"), s.p95Ms},
                         {QStringLiteral("p99_ms"), s.p99Ms},
                         {QStringLiteral("longest_stall_ms"), s.longestStallMs},
                         {QStringLiteral("reply"), reply},
                         {QStringLiteral("columns"), QStringLiteral("at_ms, cost_ms, since_last_swap_ms, streaming")},
                         {QStringLiteral("log"), frames},
                         {QStringLiteral("tokens_at_ms"), tokens}};
  QFile out(file);
  return out.open(QIODevice::WriteOnly | QIODevice::Truncate) && out.write(QJsonDocument(root).toJson(QJsonDocument::Compact)) > 0;
}

}  // namespace minerva::app
