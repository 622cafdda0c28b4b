// How fast bytes come in, and how fast they may. Used by one thread; time is given, so that tests need not wait.
#pragma once

#include <QtGlobal>

#include <deque>

namespace minerva::app {

// Bytes a second over the last seconds.
class TransferRate {
 public:
  void add(qint64 bytes, qint64 nowMs);
  [[nodiscard]] double perSecond(qint64 nowMs);  // 0: nothing came lately, or too little time has passed to say
  void clear() { m_samples.clear(); }

 private:
  struct Sample {
    qint64 ms, bytes;
  };
  std::deque<Sample> m_samples;
};

// Allows so many bytes a second, a quarter of a second's worth at once.
class RateLimit {
 public:
  void set(double bytesPerSecond, qint64 nowMs);  // 0: no limit
  [[nodiscard]] bool limited() const { return m_perSecond > 0; }
  [[nodiscard]] qint64 allowance(qint64 nowMs);  // bytes that may be read now; without a limit, many
  void spend(qint64 bytes) { m_left -= static_cast<double>(bytes); }

 private:
  double m_perSecond = 0, m_left = 0;
  qint64 m_lastMs = 0;
};

}  // namespace minerva::app
