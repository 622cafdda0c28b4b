#include "app/hub/transfer_rate.h"

#include <algorithm>
#include <limits>

namespace minerva::app {
namespace {

constexpr qint64 rateWindowMs = 5000;
constexpr qint64 shortestMs = 400;  // over shorter times the rate is too noisy
constexpr qint64 sampleMs = 100;
constexpr double burstSeconds = 0.25;

}  // namespace

void TransferRate::add(qint64 bytes, qint64 nowMs) {
  if (!m_samples.empty() && nowMs - m_samples.back().ms < sampleMs) m_samples.back().bytes += bytes;
  else m_samples.push_back({nowMs, bytes});
}

double TransferRate::perSecond(qint64 nowMs) {
  while (!m_samples.empty() && nowMs - m_samples.front().ms > rateWindowMs) m_samples.pop_front();
  if (m_samples.empty()) return 0;
  const qint64 span = nowMs - m_samples.front().ms;
  if (span < shortestMs) return 0;
  qint64 bytes = 0;
  for (const Sample& sample : m_samples) bytes += sample.bytes;
  return static_cast<double>(bytes) * 1000 / static_cast<double>(span);
}

void RateLimit::set(double bytesPerSecond, qint64 nowMs) {
  m_perSecond = std::max(0.0, bytesPerSecond);
  m_left = 0;
  m_lastMs = nowMs;
}

qint64 RateLimit::allowance(qint64 nowMs) {
  if (!limited()) return std::numeric_limits<qint64>::max();
  m_left = std::min(m_perSecond * burstSeconds, m_left + m_perSecond * static_cast<double>(nowMs - m_lastMs) / 1000);
  m_lastMs = nowMs;
  return std::max<qint64>(0, static_cast<qint64>(m_left));
}

}  // namespace minerva::app
