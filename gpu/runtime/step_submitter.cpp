#include "gpu/runtime/step_submitter.h"

#include <algorithm>
#include <cstring>

namespace minerva::gpu {

namespace {

constexpr std::size_t mostFlying = 2;
constexpr std::uint32_t marks = 4;  // more than are in use at a time
constexpr std::uint32_t reached = 1;

}  // namespace

Result<std::unique_ptr<StepSubmitter>> StepSubmitter::create(const std::shared_ptr<vulkan::Device>& device, vulkan::Timeline& timeline) {
  MINERVA_ASSIGN(vulkan::Buffer buffer, vulkan::Buffer::create(device, marks * sizeof reached, vulkan::MemoryKind::readback));
  return std::unique_ptr<StepSubmitter>(new StepSubmitter(device, timeline, std::move(buffer)));
}

vulkan::BufferView StepSubmitter::markOf(std::uint32_t part) const {
  return m_marks.view().part(part % marks * sizeof reached, sizeof reached);
}

void StepSubmitter::sign(vulkan::Commands& commands, std::uint32_t part) const {
  commands.barrier();
  commands.fill(markOf(part), reached);
  commands.barrierToHost();
}

Result<void> StepSubmitter::submit(vulkan::Commands commands, std::uint32_t part, double work) {
  const VkCommandBuffer handle = commands.handle();
  return submit(handle, {.own = std::move(commands), .value = 0, .part = part, .work = work, .from = {}});
}

Result<void> StepSubmitter::submitKept(const vulkan::Commands& commands, std::uint32_t part, double work) {
  return submit(commands.handle(), {.own = std::nullopt, .value = 0, .part = part, .work = work, .from = {}});
}

Result<void> StepSubmitter::submit(VkCommandBuffer commands, Flying flying) {
  while (m_flying.size() >= mostFlying) MINERVA_TRY(takeOldest());
  std::memset(markOf(flying.part).mapped, 0, sizeof reached);
  flying.from = Clock::now();
  MINERVA_ASSIGN(flying.value, m_timeline.submit(commands));
  m_flying.push_back(std::move(flying));
  return {};
}

// Some drivers (Intel's i915) drop what has taken too long, and say that it ended well.
Result<void> StepSubmitter::takeOldest() {
  const Flying& oldest = m_flying.front();
  MINERVA_TRY(m_timeline.wait(oldest.value));
  const TimePoint now = Clock::now();
  m_pace.learn(oldest.work, millisecondsBetween(std::max(oldest.from, m_ended), now) / 1000);
  m_ended = now;
  std::uint32_t mark = 0;
  std::memcpy(&mark, markOf(oldest.part).mapped, sizeof mark);
  m_dropped = m_dropped || mark != reached;
  m_flying.pop_front();
  if (!m_dropped) return {};
  return fail({.kind = ErrorKind::deviceLost,
               .what = "The GPU's driver ended work before it was done",
               .where = m_device->info().name,
               .hint = "Load the model again, or use the CPU."});
}

Result<void> StepSubmitter::finish() {
  while (!m_flying.empty()) MINERVA_TRY(takeOldest());
  return {};
}

// On a lost device the wait fails, and there is nothing left to wait for.
void StepSubmitter::abandon() {
  if (!m_flying.empty()) static_cast<void>(m_timeline.wait(m_flying.back().value));
  m_flying.clear();
}

}  // namespace minerva::gpu
