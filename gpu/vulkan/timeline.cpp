#include "gpu/vulkan/timeline.h"

#include "core/base/clock.h"
#include "gpu/vulkan/result.h"

#include <chrono>
#include <thread>
#include <utility>

namespace minerva::vulkan {

Result<Timeline> Timeline::create(std::shared_ptr<Device> device, QueueKind queue) {
  Timeline timeline(std::move(device), queue);
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  const Device& d = *timeline.m_device;
  if (const VkResult r = d.api().CreateSemaphore(d.handle(), &info, nullptr, &timeline.m_semaphore); r != VK_SUCCESS) {
    return failure(r, "The GPU could not create a semaphore", d.info().name);
  }
  return timeline;
}

Timeline::Timeline(Timeline&& other) noexcept
    : m_device(std::move(other.m_device)),
      m_queue(other.m_queue),
      m_semaphore(std::exchange(other.m_semaphore, VK_NULL_HANDLE)),
      m_value(other.m_value) {}

Timeline::~Timeline() {
  if (m_device && m_semaphore != VK_NULL_HANDLE) m_device->api().DestroySemaphore(m_device->handle(), m_semaphore, nullptr);
}

Result<std::uint64_t> Timeline::submit(VkCommandBuffer commands) {
  MINERVA_TRY(m_device->submit(m_queue, commands, {m_semaphore, m_value + 1}));
  return ++m_value;
}

Result<std::uint64_t> Timeline::follow(const Timeline& other) {
  MINERVA_TRY(m_device->submit(m_queue, VK_NULL_HANDLE, {m_semaphore, m_value + 1}, {other.m_semaphore, other.m_value}));
  return ++m_value;
}

// Polls for a while before blocking, because a GPU step may be shorter than a thread wake-up.
bool Timeline::reachedSoon(std::uint64_t value) const {
  constexpr double enoughMilliseconds = 2;
  if (m_device->info().software) return false;  // a software driver needs the CPU for its own threads
  const TimePoint start = Clock::now();
  do {
    std::uint64_t reached = 0;
    if (m_device->api().GetSemaphoreCounterValue(m_device->handle(), m_semaphore, &reached) != VK_SUCCESS) return false;
    if (reached >= value) return true;
  } while (millisecondsBetween(start, Clock::now()) < enoughMilliseconds);
  return false;
}

Result<void> Timeline::wait(std::uint64_t value) const {
  if (reachedSoon(value)) return {};
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &m_semaphore;
  info.pValues = &value;
  // A wait for which there is no memory says nothing about the work, whose buffers must not go before it has ended: ask again.
  constexpr int attempts = 2000;
  constexpr std::uint64_t second = 1'000'000'000;
  std::uint64_t reached = 0;
  VkResult r = VK_TIMEOUT;
  // Whole seconds are counted, not the time: the program may have been stopped meanwhile.
  for (int failed = 0, silent = 0; failed < attempts && silent < m_device->patience().value_or(1);) {
    r = m_device->api().WaitSemaphores(m_device->handle(), &info, second);
    if (r == VK_ERROR_OUT_OF_HOST_MEMORY || r == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
      ++failed;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    if (r != VK_TIMEOUT) break;
    const std::uint64_t before = std::exchange(reached, counter());
    silent = !m_device->patience() || before != reached ? 0 : silent + 1;
  }
  if (r == VK_TIMEOUT) return hung();
  if (r != VK_SUCCESS) return failure(r, "The GPU stopped responding", m_device->info().name);
  return {};
}

std::uint64_t Timeline::counter() const {
  std::uint64_t reached = 0;
  static_cast<void>(m_device->api().GetSemaphoreCounterValue(m_device->handle(), m_semaphore, &reached));
  return reached;
}

std::unexpected<Error> Timeline::hung() const {
  m_device->abandon();
  const std::string seconds = std::to_string(m_device->patience().value_or(0)) + " seconds";
  return fail({.kind = ErrorKind::deviceLost,
               .what = "The GPU hangs",
               .where = m_device->info().name,
               .expected = "some of its work done within " + seconds,
               .actual = "none",
               .hint = "Load the model again, or use the CPU."});
}

Result<void> Timeline::run(VkCommandBuffer commands) {
  MINERVA_ASSIGN(const std::uint64_t value, submit(commands));
  return wait(value);
}

}  // namespace minerva::vulkan
