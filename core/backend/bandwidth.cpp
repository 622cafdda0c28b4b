#include "core/backend/bandwidth.h"

#include "core/base/clock.h"

#include <algorithm>

namespace minerva::backend {
namespace {

constexpr std::uint64_t smallest = std::uint64_t{1} << 20;
constexpr double runMs = 4, allRunsMs = 40;
constexpr int fewestRuns = 3;
constexpr std::uint32_t mostTimes = 1U << 15;

}  // namespace

void BandwidthCurve::add(const BandwidthPoint& point) {
  const auto place = std::ranges::lower_bound(m_points, point.bytes, {}, &BandwidthPoint::bytes);
  if (place != m_points.end() && place->bytes == point.bytes) place->bytesPerSecond = std::max(place->bytesPerSecond, point.bytesPerSecond);
  else m_points.insert(place, point);
  for (std::size_t i = m_points.size(); i-- > 1;)
    m_points[i - 1].bytesPerSecond = std::max(m_points[i - 1].bytesPerSecond, m_points[i].bytesPerSecond);
}

void BandwidthCurve::raiseTo(const BandwidthCurve& other) {
  for (const BandwidthPoint& point : other.m_points) add(point);
}

double BandwidthCurve::at(double bytes) const {
  if (m_points.empty()) return 0;
  const auto above =
      std::ranges::upper_bound(m_points, bytes, {}, [](const BandwidthPoint& point) { return static_cast<double>(point.bytes); });
  return above == m_points.begin() ? m_points.front().bytesPerSecond : std::prev(above)->bytesPerSecond;
}

std::vector<std::uint64_t> bandwidthSizes(std::uint64_t most) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = smallest; size <= most; size *= 2) sizes.push_back(size);
  return sizes;
}

std::unexpected<Error> measurementCancelled() { return fail({.kind = ErrorKind::cancelled, .what = "The measurement was cancelled"}); }

Result<double> fastestRead(std::uint64_t bytes, const std::function<Result<void>(std::uint32_t times)>& read,
                           const std::function<bool()>& stop) {
  const auto timed = [&](std::uint32_t times) -> Result<double> {
    const TimePoint start = Clock::now();
    MINERVA_TRY(read(times));
    return millisecondsBetween(start, Clock::now());
  };
  return fastestTimedRead(bytes, timed, stop);
}

Result<double> fastestTimedRead(std::uint64_t bytes, const std::function<Result<double>(std::uint32_t times)>& read,
                                const std::function<bool()>& stop) {
  if (stop && stop()) return measurementCancelled();
  MINERVA_TRY(read(1));  // warm-up: fills the caches as far as possible
  double best = 0, spentMs = 0;
  std::uint32_t times = 1;
  for (int runs = 0; runs < fewestRuns || spentMs < allRunsMs;) {
    if (stop && stop()) return measurementCancelled();
    MINERVA_ASSIGN(const double ms, read(times));
    spentMs += ms;
    best = std::max(best, static_cast<double>(bytes) * times / std::max(ms, 1e-6) * 1e3);
    if (ms < runMs && times < mostTimes) times *= 2;
    else ++runs;
  }
  return best;
}

}  // namespace minerva::backend
