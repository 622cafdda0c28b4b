// Queues of a described device, all of which end in the one that this machine has: which queue family commands are of, which buffers all
// families may use, and what is asked of a family that it cannot do. Not thread-safe.
#pragma once

#include "tests/gpu/describing_loader/description.h"

#include <map>
#include <memory>
#include <optional>

namespace minerva::tests {

class WatchedQueues {
 public:
  // What a VkQueue of the program points to.
  struct Queue {
    VkQueue real = VK_NULL_HANDLE;
    std::uint32_t family = 0;
    unsigned long submissions = 0;
  };

  void clear() { *this = {}; }
  VkQueue add(VkQueue real, std::uint32_t family);
  void addPool(VkCommandPool pool, std::uint32_t family) { m_pools[pool] = family; }
  void addCommands(VkCommandPool pool, VkCommandBuffer commands) { m_commands[commands] = m_pools[pool]; }
  void addBuffer(VkBuffer buffer, bool shared) { m_shared[buffer] = shared; }
  [[nodiscard]] unsigned long submissions(std::uint32_t family) const;

  // Each returns what is wrong, if anything.
  using Violation = std::optional<const char*>;
  Violation submitted(Queue& queue, const VkSubmitInfo2& info);
  Violation written(const Description& device, VkCommandBuffer commands, VkBuffer buffer);
  Violation separated(const Description& device, VkCommandBuffer commands, const VkDependencyInfo& info);
  Violation dispatched(const Description& device, VkCommandBuffer commands);

 private:
  bool onlyCopies(const Description& device, VkCommandBuffer commands);

  std::vector<std::unique_ptr<Queue>> m_queues;
  std::map<VkCommandPool, std::uint32_t> m_pools;       // family
  std::map<VkCommandBuffer, std::uint32_t> m_commands;  // family
  std::map<VkBuffer, bool> m_shared;                    // between families
};

}  // namespace minerva::tests
