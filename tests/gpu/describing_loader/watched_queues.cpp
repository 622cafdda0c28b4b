#include "tests/gpu/describing_loader/watched_queues.h"

namespace minerva::tests {

VkQueue WatchedQueues::add(VkQueue real, std::uint32_t family) {
  m_queues.push_back(std::make_unique<Queue>(Queue{real, family}));
  return reinterpret_cast<VkQueue>(m_queues.back().get());
}

unsigned long WatchedQueues::submissions(std::uint32_t family) const {
  unsigned long all = 0;
  for (const auto& queue : m_queues) all += queue->family == family ? queue->submissions : 0;
  return all;
}

bool WatchedQueues::onlyCopies(const Description& device, VkCommandBuffer commands) {
  const std::uint32_t family = m_commands[commands];
  return family < device.families.size() && (device.families[family].flags & VK_QUEUE_COMPUTE_BIT) == 0;
}

WatchedQueues::Violation WatchedQueues::submitted(Queue& queue, const VkSubmitInfo2& info) {
  ++queue.submissions;
  for (std::uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
    if (m_commands[info.pCommandBufferInfos[i].commandBuffer] != queue.family) return "submits commands of another queue family";
  return std::nullopt;
}

// What the family writes that only copies is read by the other.
WatchedQueues::Violation WatchedQueues::written(const Description& device, VkCommandBuffer commands, VkBuffer buffer) {
  if (!onlyCopies(device, commands) || m_shared[buffer]) return std::nullopt;
  return "copies on a queue of its own into a buffer that is not shared with others";
}

WatchedQueues::Violation WatchedQueues::separated(const Description& device, VkCommandBuffer commands, const VkDependencyInfo& info) {
  for (std::uint32_t i = 0; i < info.memoryBarrierCount && onlyCopies(device, commands); ++i) {
    const VkMemoryBarrier2& barrier = info.pMemoryBarriers[i];
    if (((barrier.srcStageMask | barrier.dstStageMask) & VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT) != 0)
      return "has a barrier for kernels on a queue that only copies";
  }
  return std::nullopt;
}

WatchedQueues::Violation WatchedQueues::dispatched(const Description& device, VkCommandBuffer commands) {
  if (!onlyCopies(device, commands)) return std::nullopt;
  return "dispatches a kernel on a queue that only copies";
}

}  // namespace minerva::tests
