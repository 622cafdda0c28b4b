#include "gpu/runtime/stopwatch.h"

#include "core/base/clock.h"

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
  if (m_timestamps) m_timestamps->end(commands);
}

Result<double> Stopwatch::run(vulkan::Timeline& timeline, const vulkan::Commands& commands) const {
  const TimePoint start = Clock::now();
  MINERVA_TRY(timeline.run(commands.handle()));
  if (m_timestamps) return m_timestamps->milliseconds();
  return millisecondsBetween(start, Clock::now());
}

}  // namespace minerva::gpu
