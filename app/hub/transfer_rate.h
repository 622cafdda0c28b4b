// Transfer rate measurement and rate limiting. Not thread-safe. The time is passed in, so that tests need not wait.
#pragma once

#include <QtGlobal>

#include <deque>

namespace minerva::app {

// Bytes per second, averaged over the last seconds.
class TransferRate {
 public:
  void add(qint64 bytes, qint64 nowMs);
  [[nodiscard]] double perSecond(qint64 nowMs);  // 0: nothing received lately, or too early to tell
  void clear() { m_samples.clear(); }

 private:
  struct Sample {
    qint64 ms, bytes;
  };
  std::deque<Sample> m_samples;
};

// Token bucket for a number of bytes per second, with a burst of a quarter of a second.
class RateLimit {
 public:
  void set(double bytesPerSecond, qint64 nowMs);  // 0: no limit
  [[nodiscard]] bool limited() const { return m_perSecond > 0; }
  [[nodiscard]] qint64 allowance(qint64 nowMs);  // bytes that may be read now; unlimited: the largest qint64
  void spend(qint64 bytes) { m_left -= static_cast<double>(bytes); }

 private:
  double m_perSecond = 0, m_left = 0;
  qint64 m_lastMs = 0;
};

}  // namespace minerva::app
