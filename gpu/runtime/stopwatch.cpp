#include "gpu/runtime/stopwatch.h"

#include "core/base/clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minerva::gpu {

Result<Stopwatch> Stopwatch::create(const std::shared_ptr<vulkan::Device>& device) {
  Stopwatch stopwatch;
  if (device->info().timestampBits == 0) return stopwatch;
  MINERVA_ASSIGN(vulkan::Timestamps timestamps, vulkan::Timestamps::create(device));
  stopwatch.m_timestamps.emplace(std::move(timestamps));
  return stopwatch;
}

void Stopwatch::begin(const vulkan::Commands& commands) const {
  if (m_timestamps) m_timestamps->begin(commands);
}

void Stopwatch::end(const vulkan::Commands& commands) const {
  if (m_timestamps) m_timestamps->record(commands, 1);
}

Result<double> Stopwatch::run(vulkan::Timeline& timeline, const vulkan::Commands& commands) const {
  const TimePoint start = Clock::now();
  MINERVA_TRY(timeline.run(commands.handle()));
  if (!m_timestamps) return millisecondsBetween(start, Clock::now());
  MINERVA_ASSIGN(const std::vector<double> durations, m_timestamps->milliseconds());
  return durations.front();
}

std::uint32_t Stopwatch::repeatsFor(double milliseconds) const {
  constexpr double enough = 2, most = 64;
  if (m_timestamps) return 1;
  return static_cast<std::uint32_t>(milliseconds * most <= enough ? most : std::max(1.0, std::ceil(enough / milliseconds)));
}

}  // namespace minerva::gpu
